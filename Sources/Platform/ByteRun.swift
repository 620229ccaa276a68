internal import Glibc

/// Bytes compared and hashed a word at a time, where one at a time would cost more than all else that a look-up does.
extension Span where Element == UInt8 {
  /// Whether the bytes from `start` on begin with all of `other`; false when there are not as many.
  public func holds(_ other: borrowing Span<UInt8>, at start: Int) -> Bool {
    guard start >= 0, start <= count, other.count <= count - start else { return false }
    return unsafe withUnsafeBytes { own in
      unsafe other.withUnsafeBytes { other in
        guard let left = own.baseAddress, let right = other.baseAddress else { return true }
        return unsafe memcmp(left + start, right, other.count) == 0
      }
    }
  }

  /// A number that differs for nearly all different bytes; it goes on from `seed`. Not for bytes of an attacker who
  /// gains by equal numbers. The range must lie within the span.
  public func quickHash(in range: Range<Int>, seed: UInt64) -> UInt64 {
    let part = extracting(range)
    return unsafe part.withUnsafeBytes { bytes in
      func word(at index: Int) -> UInt64 {
        unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      }
      var hash = seed ^ UInt64(truncatingIfNeeded: bytes.count)
      var other = mixed(~seed)
      var index = 0
      // Two at a time: one step waits for the one before it.
      while index + 16 <= bytes.count {
        hash = mixed(hash ^ word(at: index))
        other = mixed(other ^ word(at: index + 8))
        index += 16
      }
      if index > 0 { hash ^= other }
      if index + 8 <= bytes.count {
        hash = mixed(hash ^ word(at: index))
        index += 8
      }
      guard index < bytes.count else { return mixed(hash) }
      if index > 0 {
        // The last eight: some of them again.
        return mixed(hash ^ word(at: bytes.count - 8))
      }
      var rest: UInt64 = 0
      for index in 0..<bytes.count { rest = unsafe rest << 8 | UInt64(bytes[index]) }
      return mixed(hash ^ rest)
    }
  }
}

/// Spreads every bit over the whole number: one step of MurmurHash3's finalizer.
private func mixed(_ number: UInt64) -> UInt64 {
  let product = number &* 0xff51_afd7_ed55_8ccd
  return product ^ product >> 32
}
