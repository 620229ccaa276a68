internal import CDeflate

/// The gzip coding (RFC 1952) of a body that is there as a whole, by libdeflate: twice as fast as zlib, and smaller.
package enum Gzip {
  /// What `bytes` are under gzip, the same for the same bytes; nil when there is no memory. About 10 ms a megabyte.
  package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    guard let compressor = unsafe libdeflate_alloc_compressor(level) else { return nil }
    defer { unsafe libdeflate_free_compressor(compressor) }
    let room = unsafe libdeflate_gzip_compress_bound(compressor, bytes.count)
    var output = [UInt8](repeating: 0, count: room)
    let count = unsafe bytes.withUnsafeBytes { source in
      unsafe output.withUnsafeMutableBytes { target in
        unsafe libdeflate_gzip_compress(
          compressor, source.baseAddress, source.count, target.baseAddress, target.count)
      }
    }
    guard count > 0 else { return nil }
    output.removeLast(room - count)
    return output
  }

  private static let level: Int32 = 6
}
