internal import CZlib

/// Raw deflate (RFC 1951) by zlib, used for one entry after the other. One thread at a time.
@safe package final class Deflater {
  /// What one call did.
  struct Step {
    /// Bytes of input taken.
    let consumed: Int
    /// Bytes of output made.
    let produced: Int
    /// The stream is complete.
    let isFinished: Bool
  }

  private let stream: UnsafeMutablePointer<z_stream>

  /// For a level of 1 to 9. Nil when zlib has no memory (it takes some 270 KB).
  init?(level: Int32) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    guard unsafe czlib_deflate_init_raw(stream, level) == Z_OK else {
      unsafe stream.deallocate()
      return nil
    }
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Forgets the last entry.
  func reset() { _ = unsafe deflateReset(stream) }

  /// Deflates `input[start..<end]` into the front of `output`, as far as either goes; with `isLast` the stream ends with
  /// these bytes. Nil when there is no such input.
  func deflate(
    _ input: [UInt8], from start: Int, to end: Int, isLast: Bool, into output: inout [UInt8]
  ) -> Step? {
    guard start >= 0, start <= end, end <= input.count else { return nil }
    return unsafe input.withUnsafeBufferPointer { source in
      unsafe output.withUnsafeMutableBufferPointer { target in
        unsafe stream.pointee.next_in = UnsafeMutablePointer(
          mutating: source.baseAddress.map { unsafe $0 + start })
        unsafe stream.pointee.avail_in = UInt32(clamping: end - start)
        unsafe stream.pointee.next_out = target.baseAddress
        unsafe stream.pointee.avail_out = UInt32(clamping: target.count)
        let status = unsafe CZlib.deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
        // Z_BUF_ERROR: nothing could be done with what was given; more input or more room may help.
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { return nil }
        let consumed = unsafe end - start - Int(stream.pointee.avail_in)
        let produced = unsafe target.count - Int(stream.pointee.avail_out)
        return Step(consumed: consumed, produced: produced, isFinished: status == Z_STREAM_END)
      }
    }
  }

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
