/// What one proxy tells of a request it passed on (RFC 7239 §4). Anybody can write such a field: who is believed is the
/// server's matter.
public struct ForwardedElement: Hashable, Sendable {
  /// Who made the request to the proxy (RFC 7239 §5.2).
  public private(set) var client: ForwardedNode?
  /// Where the proxy took it (RFC 7239 §5.1).
  public private(set) var receiver: ForwardedNode?
  /// The Host field as the proxy got it (RFC 7239 §5.3), as it was sent.
  public private(set) var host: String?
  /// `http` or `https` as a rule (RFC 7239 §5.4), in lower case.
  public private(set) var scheme: String?

  /// Elements of a field that are read; more make it unreadable.
  public static let limit = 100

  /// RFC 7239 §4: Forwarded = 1#forwarded-element. Nil when it is unreadable, has a parameter of an element twice, or
  /// more than `limit` elements. Parameters with other names are skipped.
  public static func list(_ value: [UInt8]) -> [ForwardedElement]? {
    var reader = FieldReader(value)
    var elements: [ForwardedElement] = []
    while true {
      reader.skipBlanks()
      // RFC 9110 §5.6.1.2: empty members of a list are no error.
      if reader.skip(UInt8(ascii: ",")) { continue }
      guard !reader.isAtEnd else { return elements }
      guard elements.count < limit, let element = ForwardedElement(&reader) else { return nil }
      elements.append(element)
      guard reader.isAtEnd || reader.skip(UInt8(ascii: ",")) else { return nil }
    }
  }

  /// RFC 7239 §4: forwarded-element = [ forwarded-pair ] *( ";" [ forwarded-pair ] ); white space around the
  /// semicolons is tolerated.
  private init?(_ reader: inout FieldReader) {
    var names: Set<String> = []
    repeat {
      reader.skipBlanks()
      guard let name = reader.token()?.lowercased() else { continue }
      guard reader.skip(UInt8(ascii: "=")), let value = reader.value(), names.insert(name).inserted,
        note(name, value)
      else { return nil }
      reader.skipBlanks()
    } while reader.skip(UInt8(ascii: ";"))
  }

  private mutating func note(_ name: String, _ value: String) -> Bool {
    switch name {
    case "for":
      client = ForwardedNode(value)
      return client != nil
    case "by":
      receiver = ForwardedNode(value)
      return receiver != nil
    case "host": host = value
    case "proto": scheme = value.lowercased()
    default: break
    }
    return true
  }
}

extension HTTPRequest {
  /// What all `Forwarded` lines tell, the proxy nearest to this server last; empty when there are none. 400 when they
  /// are unreadable: what a client wrote in front would otherwise hide what a proxy wrote behind.
  public func forwardedElements() throws(HTTPRefusal) -> [ForwardedElement] {
    guard let value = list(of: .forwarded) else { return [] }
    guard let elements = ForwardedElement.list(value) else {
      throw HTTPRefusal(.badRequest, "Forwarded is not what RFC 7239 makes of it.")
    }
    return elements
  }

  /// The members of all lines of a list of plain words, without blanks and empty ones; empty when it was not sent.
  public func members(of field: KnownField) -> [String] {
    guard let list = list(of: field) else { return [] }
    return list.split(separator: UInt8(ascii: ",")).compactMap { member in
      let text = member.drop { $0.isBlank }
      let end = text.lastIndex { !$0.isBlank }
      return end.map { String(decoding: text[...$0], as: UTF8.self) }
    }
  }

  /// Makes it a request for another host than its head names; false, without a change, when that is no `host[:port]`.
  public mutating func redirect(toHost host: String) -> Bool {
    let name = Array(host.utf8)
    guard Authority.isValid(name.span, in: 0..<name.count) else { return false }
    self = detached()
    hostSlice = Slice(start: bytes.count, count: name.count)
    bytes += name
    // So that a copy has it too.
    headSlice = Slice(start: 0, count: bytes.count)
    return true
  }
}
