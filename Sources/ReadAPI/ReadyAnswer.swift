package import HTTPWire

/// What the cache holds under one target: an answer, and once somebody took it compressed, that too.
package struct ReadyAnswer: Sendable {
  package let plain: Answer
  /// The same content under gzip; nil until it is made, and of what is too small for it.
  package private(set) var compressed: Answer?
  /// Whether clients that take gzip get it.
  package let isEncodable: Bool
  /// What it counts as.
  package var kind: UInt8 = 0

  package init(_ plain: Answer) {
    self.plain = plain
    isEncodable = plain.ok.body.count > AcceptEncoding.threshold
  }

  /// Roughly the bytes both forms hold.
  package var weight: Int { plain.weight + (compressed?.weight ?? 0) }

  /// Whether the request is for the compressed form, and that is still to be made.
  package func lacksForm(for request: HTTPRequest) -> Bool {
    isEncodable && compressed == nil && AcceptEncoding.prefersGzip(request)
  }

  /// Whether the compressed form can be made of what is here.
  package var canCompress: Bool { isEncodable && compressed == nil && plain.hasBody }

  /// Makes the compressed form. Takes about 10 ms a megabyte of the plain one.
  package mutating func compress() {
    guard canCompress else { return }
    compressed = plain.compressed()
  }

  /// Takes over the compressed form if it is of the same content.
  package mutating func adopt(_ other: ReadyAnswer) {
    guard compressed == nil, plain.etag == other.plain.etag else { return }
    compressed = other.compressed
  }

  /// Itself, and what to keep instead where that is too much: each smaller than the one before.
  package var keepable: [ReadyAnswer] {
    let bare = plain.withoutBody
    return [
      self, ReadyAnswer(bare, compressed, of: self), ReadyAnswer(bare, compressed?.withoutBody, of: self),
    ]
  }

  private init(_ plain: Answer, _ compressed: Answer?, of other: ReadyAnswer) {
    self.plain = plain
    self.compressed = compressed
    isEncodable = other.isEncodable
    kind = other.kind
  }

  /// The answer in the form the request asks for; nil when that is not here. The forms' ETags differ, and a condition is
  /// judged by the one of the form asked for.
  package func response(to request: HTTPRequest) -> HTTPResponse? {
    guard isEncodable, AcceptEncoding.prefersGzip(request) else { return plain.response(to: request) }
    return compressed?.response(to: request)
  }
}
