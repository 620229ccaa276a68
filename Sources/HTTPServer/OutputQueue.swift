internal import HTTPWire

/// What of a connection's answers waits to be sent, in order. There is one only while something does, so that the many
/// connections without one spend a word on it, and nothing to look into it.
final class OutputQueue {
  /// A run of bytes, or a part of a file.
  enum Piece {
    case bytes([UInt8], from: Int)
    case file(any BodyFile, offset: Int64, count: Int64)
  }

  /// What is to be sent now.
  private(set) var first: Piece
  private var others: [Piece] = []

  init(_ first: Piece) { self.first = first }

  /// Whether nothing follows the first piece.
  var isLast: Bool { others.isEmpty }

  func append(_ piece: Piece) { others.append(piece) }

  /// Puts bytes before everything else.
  func prepend(_ bytes: [UInt8]) {
    others.insert(first, at: 0)
    first = .bytes(bytes, from: 0)
  }

  /// That many bytes of the first piece are sent; false when nothing is left.
  func consume(_ sent: Int) -> Bool {
    switch first {
    case .bytes(let bytes, let start):
      if start + sent < bytes.count {
        first = .bytes(bytes, from: start + sent)
        return true
      }
    case .file(let file, let offset, let count):
      let left = count - Int64(sent)
      if left > 0 {
        first = .file(file, offset: offset + Int64(sent), count: left)
        return true
      }
    }
    guard !others.isEmpty else { return false }
    // Few: the ranges of one answer, each with its head.
    first = others.removeFirst()
    return true
  }
}

extension Connection {
  /// Lets a body wait to be sent after everything else.
  func enqueue(_ body: ResponseBody) {
    switch body {
    case .bytes(let bytes): if !bytes.isEmpty { add(.bytes(bytes, from: 0)) }
    case .file(let file, let offset, let count):
      if count > 0 { add(.file(file, offset: offset, count: count)) }
    case .segments(let segments): for segment in segments { enqueue(segment) }
    }
  }

  private func add(_ piece: OutputQueue.Piece) {
    if let output { output.append(piece) } else { output = OutputQueue(piece) }
  }

  /// Lets bytes wait to be sent before everything else.
  func enqueueFirst(_ bytes: [UInt8]) {
    if let output { output.prepend(bytes) } else { output = OutputQueue(.bytes(bytes, from: 0)) }
  }

  /// That many bytes of the first piece are sent.
  func consumeOutput(_ sent: Int) {
    if let output, !output.consume(sent) { self.output = nil }
  }
}
