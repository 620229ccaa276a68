internal import Platform

/// Where a loop puts answers together before they are sent: memory that grows as needed and is kept.
///
/// An array would do, but would ask with every piece whether somebody shares it.
@safe struct OutputBuffer: ~Copyable {
  /// Bodies up to this size are copied behind their head; larger ones are sent from where they are.
  static var copiedBody: Int { 16 << 10 }

  private var memory: UnsafeMutableRawBufferPointer
  /// Bytes that wait to be sent.
  private(set) var count = 0

  /// With room for `capacity` bytes, at least one.
  init(capacity: Int) {
    unsafe memory = .allocate(byteCount: max(1, capacity), alignment: 1)
  }

  deinit { unsafe memory.deallocate() }

  var isEmpty: Bool { count == 0 }

  /// Adds the bytes of an array.
  @inline(__always)
  mutating func append(_ bytes: [UInt8]) {
    makeRoom(for: bytes.count)
    unsafe bytes.withUnsafeBytes { source in
      let target = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count..<count + source.count])
      unsafe target.copyMemory(from: source)
    }
    count += bytes.count
  }

  /// Adds the bytes of a span.
  mutating func append(_ bytes: Span<UInt8>) {
    makeRoom(for: bytes.count)
    unsafe bytes.withUnsafeBytes { source in
      let target = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count..<count + source.count])
      unsafe target.copyMemory(from: source)
    }
    count += bytes.count
  }

  /// Adds a text that is written in the program.
  @inline(__always)
  mutating func append(_ text: StaticString) {
    unsafe append(Span(_unsafeStart: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Adds one byte.
  @inline(__always)
  mutating func append(byte: UInt8) {
    makeRoom(for: 1)
    unsafe memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Adds the first `bytes` bytes of a word, at most 8, the lowest first.
  @inline(__always)
  mutating func append(_ word: UInt64, count bytes: Int = 8) {
    makeRoom(for: 8)
    unsafe memory.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt64.self)
    count += min(bytes, 8)
  }

  /// Forgets everything; the memory stays.
  mutating func removeAll() { count = 0 }

  /// The bytes from `start` on, in memory of just that size: for a connection to keep.
  func copy(from start: Int) -> [UInt8] { unsafe Array(memory[min(start, count)..<count]) }

  /// Sends all of it; see there.
  func send(through transport: borrowing Transport, more: Bool) -> Socket.Transfer {
    let bytes = unsafe Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(memory).prefix(count))
    return transport.send(bytes, more: more)
  }

  /// The same with others behind it.
  func send(_ others: Span<UInt8>, through transport: borrowing Transport, more: Bool) -> Socket.Transfer {
    let bytes = unsafe Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(memory).prefix(count))
    return transport.send(bytes, others, more: more)
  }

  @inline(__always)
  private mutating func makeRoom(for more: Int) {
    if unsafe memory.count - count < more { grow(for: more) }
  }

  private mutating func grow(for more: Int) {
    let larger = unsafe UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(2 * memory.count, count + more), alignment: 1)
    unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
    unsafe memory.deallocate()
    unsafe memory = larger
  }
}
