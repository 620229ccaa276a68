/// What a request says beyond its known fields.
extension HTTPRequest {
  /// A copy that holds the head alone, for whoever keeps a request after the handler has returned: the read buffer it
  /// came in stays free to be used again.
  public func detached() -> HTTPRequest {
    var copy = self
    copy.bytes = Array(bytes[headSlice.range])
    let offset = headSlice.start
    func moved(_ slice: Slice) -> Slice {
      slice.isAbsent ? slice : Slice(start: Int(slice.start - offset), count: Int(slice.count))
    }
    copy.headSlice = moved(headSlice)
    copy.targetSlice = moved(targetSlice)
    copy.pathSlice = moved(pathSlice)
    copy.querySlice = moved(querySlice)
    copy.hostSlice = moved(hostSlice)
    copy.fieldsSlice = moved(fieldsSlice)
    for index in known.indices where present & (1 << UInt32(index)) != 0 {
      copy.known[index] = moved(known[index])
    }
    return copy
  }

  /// The values of all lines with this name, of whatever case, in the order they came; found by reading the head again.
  /// Bytes that are not UTF-8 become U+FFFD.
  public func values(of name: String) -> [String] {
    var values: [String] = []
    forEachLine(named: name) { values.append(text(Slice(start: $0.lowerBound, count: $0.count))) }
    return values
  }

  /// The first value under a name, of whatever case, known or not; nil when it was not sent.
  public func field(named name: String) -> String? { values(of: name).first }

  /// All lines of a known list-valued field as one list (RFC 9110 §5.3); nil when it was not sent.
  func list(of field: KnownField) -> [UInt8]? {
    let slice = slice(of: field)
    guard !slice.isAbsent else { return nil }
    guard isRepeated(field) else { return Array(bytes[slice.range]) }
    var list: [UInt8] = []
    forEachLine(named: field.name) { value in
      if !list.isEmpty { list += [UInt8(ascii: ","), 0x20] }
      list += bytes[value]
    }
    return list
  }

  /// The parser has checked the lines: each has a name, a colon, and ends with CRLF.
  private func forEachLine(named name: String, _ body: (Range<Int>) -> Void) {
    let span = bytes.span
    let end = fieldsSlice.range.upperBound
    var index = fieldsSlice.range.lowerBound
    while index < end {
      guard let lineEnd = span.firstIndex(of: 0x0d, in: index..<end),
        let colon = span.firstIndex(of: UInt8(ascii: ":"), in: index..<lineEnd)
      else { return }
      if span.matches(name, in: index..<colon) { body(span.trimmed(colon + 1..<lineEnd)) }
      index = lineEnd + 2
    }
  }

  /// What names this request in answers and logs: the client's `X-Request-Id` if it is 1–64 of `A-Z a-z 0-9 . _ -`,
  /// else `generatedID` as 16 hexadecimal digits.
  public var id: String {
    let slice = slice(of: .requestID)
    let isSane =
      (1...64).contains(slice.count) && !isRepeated(.requestID)
      && bytes[slice.range].allSatisfy { byte in
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
          || byte == UInt8(ascii: "-")
      }
    if isSane { return text(slice) }
    let digits = String(generatedID, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
