internal import CZlib

/// Raw deflate (RFC 1951) by zlib.
package enum Deflater {
  /// The deflate stream of `bytes`; nil when zlib has no memory.
  package static func deflate(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
    var stream = unsafe z_stream()
    guard unsafe czlib_deflate_init_raw(&stream, level) == Z_OK else { return nil }
    defer { unsafe deflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: Int(unsafe deflateBound(&stream, uLong(bytes.count))))
    let status = unsafe bytes.withUnsafeBufferPointer { source in
      unsafe output.withUnsafeMutableBufferPointer { target in
        unsafe stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        unsafe stream.avail_in = UInt32(source.count)
        unsafe stream.next_out = target.baseAddress
        unsafe stream.avail_out = UInt32(target.count)
        return unsafe CZlib.deflate(&stream, Z_FINISH)
      }
    }
    guard status == Z_STREAM_END else { return nil }
    output.removeLast(output.count - Int(unsafe stream.total_out))
    return output
  }
}
