internal import CLinux
internal import Glibc

/// Text from one encoding in another, by iconv(3). One thread at a time.
///
/// The encodings are the C library's (`iconv -l`); glibc loads most of them from `gconv/` when they are first asked for.
@safe public final class TextConverter {
  private let converter: iconv_t

  /// Throws EINVAL when the C library has no such encoding or cannot find its module.
  public init(from source: String, to target: String) throws(SystemError) {
    let opened = unsafe iconv_open(target, source)
    // iconv_open(3) fails with (iconv_t)-1.
    guard let opened = unsafe opened, Int(bitPattern: opened) != -1 else {
      throw .last("iconv_open", "\(source) to \(target)")
    }
    unsafe converter = opened
  }

  deinit { _ = unsafe iconv_close(converter) }

  /// The same text in the other encoding; nil when `bytes` are no text in theirs, or a character has no place in the other.
  public func convert(_ bytes: [UInt8]) -> [UInt8]? {
    // No encoding takes more than four bytes where another takes one; a few bytes more for shifts.
    var output = [UInt8](repeating: 0, count: bytes.count * 4 + 16)
    let written = unsafe bytes.withUnsafeBytes { source in
      unsafe output.withUnsafeMutableBytes { target in
        let from = unsafe source.baseAddress?.assumingMemoryBound(to: CChar.self)
        let to = unsafe target.baseAddress?.assumingMemoryBound(to: CChar.self)
        return unsafe clinux_iconv(converter, from, source.count, to, target.count)
      }
    }
    guard written >= 0 else { return nil }
    output.removeLast(output.count - written)
    return output
  }
}
