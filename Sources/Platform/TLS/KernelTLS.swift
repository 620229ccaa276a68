internal import CLinux
internal import Glibc

/// Whether the kernel can encrypt what a socket sends (the module `tls`), so that files need not pass through the process.
enum KernelTLS {
  static let isAvailable: Bool = {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return false }
    let probe = FileDescriptor(owning: number)
    // <linux/tcp.h>: TCP_ULP. A kernel that knows the protocol only misses a connection; one that does not says ENOENT.
    let attached = unsafe setsockopt(probe.number, Int32(IPPROTO_TCP), 31, "tls", 4)
    return attached == 0 || errno == ENOTCONN
  }()
}
