internal import Glibc

/// The network interfaces of this machine.
public enum NetworkInterfaces {
  /// An address that an interface has.
  public struct Address: Hashable, Sendable {
    /// Of the interface: `eth0`.
    public let interface: String
    /// Its port is 0.
    public let address: SocketAddress
  }

  /// The internet addresses of the interfaces that are up, in the kernel's order (getifaddrs(3)); none when it does not
  /// tell. Takes some ten microseconds.
  public static var addresses: [Address] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&first) == 0 else { return [] }
    defer { unsafe freeifaddrs(first) }
    var addresses: [Address] = []
    var next = unsafe first
    while let entry = unsafe next?.pointee {
      unsafe next = entry.ifa_next
      guard unsafe entry.ifa_flags & UInt32(IFF_UP) != 0, let raw = unsafe entry.ifa_addr else {
        continue
      }
      let length: Int
      switch unsafe Int32(raw.pointee.sa_family) {
      case AF_INET: length = MemoryLayout<sockaddr_in>.size
      case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
      default: continue
      }
      var storage = sockaddr_storage()
      unsafe withUnsafeMutableBytes(of: &storage) { room in
        unsafe room.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: length))
      }
      guard let address = SocketAddress(storage) else { continue }
      addresses.append(Address(interface: unsafe String(cString: entry.ifa_name), address: address))
    }
    return addresses
  }
}
