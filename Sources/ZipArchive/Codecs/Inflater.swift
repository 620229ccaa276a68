internal import CZlib

/// Raw inflate (RFC 1951) by zlib, used for one entry after the other. One thread at a time.
@safe final class Inflater {
  /// What one call did.
  struct Step {
    /// Bytes of input taken.
    let consumed: Int
    /// Bytes of output made.
    let produced: Int
    let state: State
  }

  enum State: Equatable {
    case more
    case finished
    case failed(String)
  }

  private let stream: UnsafeMutablePointer<z_stream>

  /// Nil when zlib has no memory.
  init?() {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    guard unsafe czlib_inflate_init_raw(stream) == Z_OK else {
      unsafe stream.deallocate()
      return nil
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Forgets the last entry.
  func reset() { _ = unsafe inflateReset(stream) }

  /// Inflates `input[start..<end]` into the front of `output`, as far as either goes.
  func inflate(_ input: [UInt8], from start: Int, to end: Int, into output: inout [UInt8]) -> Step {
    guard start >= 0, start <= end, end <= input.count else {
      return Step(consumed: 0, produced: 0, state: .failed("no such input"))
    }
    return unsafe input.withUnsafeBufferPointer { source in
      unsafe output.withUnsafeMutableBufferPointer { target in
        guard let from = source.baseAddress, let to = target.baseAddress else {
          return Step(consumed: 0, produced: 0, state: .failed("no buffer"))
        }
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: from + start)
        unsafe stream.pointee.avail_in = UInt32(clamping: end - start)
        unsafe stream.pointee.next_out = unsafe to
        unsafe stream.pointee.avail_out = UInt32(clamping: target.count)
        let status = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
        let consumed = unsafe end - start - Int(stream.pointee.avail_in)
        let produced = unsafe target.count - Int(stream.pointee.avail_out)
        return Step(consumed: consumed, produced: produced, state: state(of: status))
      }
    }
  }

  private func state(of status: Int32) -> State {
    switch status {
    // Z_BUF_ERROR: nothing could be done with what was given; more input or more room may help.
    case Z_OK, Z_BUF_ERROR: .more
    case Z_STREAM_END: .finished
    default: .failed(unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "zlib error \(status)")
    }
  }
}
