internal import HTTPWire

/// What of a connection's answers waits to be sent, in order. Holds no memory while it is empty.
struct OutputQueue {
  /// A run of bytes, or a part of a file.
  enum Piece {
    case bytes([UInt8], from: Int)
    case file(any BodyFile, offset: Int64, count: Int64)
  }

  private var pieces: [Piece] = []
  private var next = 0

  var isEmpty: Bool { next == pieces.count }
  /// Whether nothing follows the first piece.
  var isLast: Bool { next == pieces.count - 1 }
  /// Whether a head before the first piece is better held back to leave with it. Before a long part of a file it is not:
  /// Linux 6.18 under BBR then takes twice the processor time for it (`Benchmarks/RESULTS.md`).
  var beginsShort: Bool {
    switch first {
    case .none: false
    case .bytes: true
    case .file(_, _, let count): count <= 16 << 10
    }
  }
  /// What is to be sent now.
  var first: Piece? { next < pieces.count ? pieces[next] : nil }

  /// Adds a body to the end.
  mutating func append(_ body: ResponseBody) {
    switch body {
    case .bytes(let bytes): if !bytes.isEmpty { pieces.append(.bytes(bytes, from: 0)) }
    case .file(let file, let offset, let count):
      if count > 0 { pieces.append(.file(file, offset: offset, count: count)) }
    case .segments(let segments): for segment in segments { append(segment) }
    }
  }

  /// Puts bytes before everything else.
  mutating func prepend(_ bytes: [UInt8]) {
    pieces.insert(.bytes(bytes, from: 0), at: next)
  }

  /// That many bytes of the first piece are sent.
  mutating func consume(_ sent: Int) {
    guard next < pieces.count else { return }
    switch pieces[next] {
    case .bytes(let bytes, let start):
      if start + sent < bytes.count { return pieces[next] = .bytes(bytes, from: start + sent) }
    case .file(let file, let offset, let count):
      let left = count - Int64(sent)
      if left > 0 { return pieces[next] = .file(file, offset: offset + Int64(sent), count: left) }
    }
    next += 1
    if next == pieces.count { removeAll() }
  }

  mutating func removeAll() {
    pieces = []
    next = 0
  }
}
