package import DepotModel
package import HTTPWire

/// The query parameters that one route knows; others are ignored, so that clients may be newer than the server.
package struct Parameters: Sendable {
  private let items: [(name: String, value: String)]

  /// Text that people write: a `+` in it is a space, as HTML forms and most libraries send it. In everything else a
  /// space could not stand, and a `+` is itself.
  private static let texts: Set<String> = ["q", "title", "notes"]

  /// Throws `bad-request` for a query that cannot be decoded, `bad-field` for a known name that came twice.
  package init(_ request: HTTPRequest, _ names: Set<String>) throws(Problem) {
    guard let query = request.queryString else {
      throw Problem(
        .badRequest, "The query cannot be read: an escape is broken, or does not stand for UTF-8.")
    }
    items = query.items.filter { names.contains($0.name) }.map {
      ($0.name, Self.texts.contains($0.name) ? $0.formValue : $0.value)
    }
    var seen: Set<String> = []
    for item in items where !seen.insert(item.name).inserted {
      throw .badField(item.name, "\(item.name) came more than once: send it once.")
    }
  }

  /// The value as it came; nil when it did not.
  package subscript(_ name: String) -> String? { items.first { $0.name == name }?.value }

  /// All of them.
  package var values: [String: String] {
    Dictionary(items.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  package func channel() throws(Problem) -> ChannelName {
    guard let text = self["channel"] else { return .stable }
    guard let channel = ChannelName(text) else {
      throw .badField("channel", "channel must be 1 to 32 of A-Z a-z 0-9 . _ -, first a letter or digit.")
    }
    return channel
  }

  package func version(_ name: String) throws(Problem) -> H5Version? {
    guard let text = self[name] else { return nil }
    guard let version = H5Version(text) else {
      throw .badField(name, "\(name) must be 1 to 64 of A-Z a-z 0-9 . _ + -, first a letter or digit.")
    }
    return version
  }

  package func md5(_ name: String) throws(Problem) -> MD5Digest? {
    guard let text = self[name] else { return nil }
    guard let digest = MD5Digest(hex: text) else { throw .badField(name, "\(name) must be 32 hex digits.") }
    return digest
  }

  /// Nil when it is absent or empty.
  package func text(_ name: String, upTo limit: Int) throws(Problem) -> String? {
    guard let text = self[name], !text.isEmpty else { return nil }
    guard text.count <= limit else { throw .badField(name, "\(name) may have at most \(limit) characters.") }
    return text
  }

  /// Entries a page.
  package func limit() throws(Problem) -> Int {
    guard let text = self["limit"] else { return 100 }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let limit = Int(text),
      (1...1000).contains(limit)
    else {
      throw .badField("limit", "limit must be a number from 1 to 1000.")
    }
    return limit
  }

  /// Seconds to hold an answer back, at most `longestWait`; nil when none were given.
  package func wait() throws(Problem) -> Int? {
    guard let text = self["wait"] else { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int(text),
      seconds <= Self.longestWait
    else { throw .badField("wait", "wait must be a number of seconds from 0 to \(Self.longestWait).") }
    return seconds
  }

  /// Proxies and clients give a silent connection up about then.
  package static let longestWait = 300

  /// The cursor of the page before.
  package func after() throws(Problem) -> String? {
    guard let text = self["after"] else { return nil }
    guard (1...512).contains(text.utf8.count) else {
      throw .badField("after", "after must be the next of the page before.")
    }
    return text
  }

  /// The cursor of a listing that numbers its entries.
  package func afterNumber() throws(Problem) -> Int64? {
    guard let text = self["after"] else { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text) else {
      throw .badField("after", "after must be the next of the page before.")
    }
    return number
  }

  /// The `Link` (RFC 8288) to the page that begins after `cursor`, all else as this request asked.
  package func nextLink(_ url: String, after cursor: String) -> String {
    let all = items.filter { $0.name != "after" } + [(name: "after", value: cursor)]
    let query = all.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    return "<\(url)?\(query)>; rel=\"next\""
  }
}
