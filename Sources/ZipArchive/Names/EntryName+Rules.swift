extension EntryName {
  /// Bytes of UTF-8 that a component, and a whole path, may have.
  private static let longestComponent = 255
  static let longestPath = 1024

  /// Everything that forbids creating `path` here, on Windows or on macOS, each rule once.
  static func breaches(of path: String) -> [(rule: Rule, detail: String)] {
    if isPlain(path) { return [] }
    var found: [(rule: Rule, detail: String)] = []
    // The text is made once, however many characters break the rule.
    func add(_ rule: Rule, _ detail: @autoclosure () -> String) {
      if !found.contains(where: { $0.rule == rule }) { found.append((rule, detail())) }
    }
    if path.isEmpty { add(.emptyComponent, "the name is empty") }
    if path.utf8.count > longestPath {
      add(.nameTooLong, "\(path.utf8.count) bytes of UTF-8; \(longestPath) are allowed")
    }
    // By scalars: with a combining mark behind it, a slash is another character to Swift, but not to the system.
    var components = path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map {
      Substring($0)
    }
    if path.utf8.first == UInt8(ascii: "/") {
      add(.absolutePath, "it begins with a slash")
      components.removeFirst()
    }
    for (index, component) in components.enumerated() {
      if index == 0, isDrive(component) {
        add(.drivePath, "it begins with a drive")
        continue
      }
      judge(component, add)
    }
    return found
  }

  /// Most names are: ASCII that no rule speaks of, in one pass.
  private static func isPlain(_ path: String) -> Bool {
    guard (1...longestComponent).contains(path.utf8.count) else { return false }
    var component = PlainComponent()
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "/"):
        guard component.isSound else { return false }
        component = PlainComponent()
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: " "):
        component.take(byte)
      default: return false
      }
    }
    return component.isSound
  }

  /// What has to be known of a component to call it plain.
  private struct PlainComponent {
    private static let deviceStarts: [UInt32] = [
      0x636F_6E, 0x7072_6E, 0x6175_78, 0x6E75_6C, 0x636F_6D, 0x6C70_74,
    ]

    private var length = 0
    private var last: UInt8 = 0
    /// The first three bytes, as lower-case letters.
    private var start: UInt32 = 0

    mutating func take(_ byte: UInt8) {
      if length < 3 { start = start << 8 | UInt32(byte | 0x20) }
      length += 1
      last = byte
    }

    /// Neither empty, nor ending in a dot or a space, nor beginning like a device.
    var isSound: Bool {
      length > 0 && last != UInt8(ascii: ".") && last != UInt8(ascii: " ")
        && !Self.deviceStarts.contains(start)
    }
  }

  private static func judge(_ component: Substring, _ add: (Rule, @autoclosure () -> String) -> Void) {
    switch component {
    case "": return add(.emptyComponent, "it has an empty component")
    case ".": return add(.emptyComponent, "it has the component .")
    case "..": return add(.parentPath, "it has the component ..")
    default: break
    }
    if component.utf8.count > longestComponent {
      add(
        .nameTooLong, "a component of \(component.utf8.count) bytes of UTF-8; \(longestComponent) are allowed"
      )
    }
    var last: UInt8 = 0
    for byte in component.utf8 {
      switch byte {
      case 0..<0x20, 0x7F,
        0x80..<0xA0 where byte < 0x80 || last == 0xC2:
        // Unicode's control characters: U+0080 to U+009F are C2 80 to C2 9F.
        add(.controlCharacter, "it has the character U+\(hex(UInt32(byte)).dropFirst(4).uppercased())")
      case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "|"),
        UInt8(ascii: "?"), UInt8(ascii: "*"):
        add(.reservedName, "Windows does not allow \(Unicode.Scalar(byte)) in names")
      default: break
      }
      last = byte
    }
    if let last = component.unicodeScalars.last, last == "." || last == " " {
      add(.reservedName, "Windows does not allow a dot or a space at the end of \"\(component)\"")
    }
    if isReserved(component) { add(.reservedName, "\"\(component)\" is a device on Windows") }
  }

  /// `C:` in front, with or without a slash behind it.
  private static func isDrive(_ component: Substring) -> Bool {
    let head = Array(component.utf8.prefix(2))
    return head.count == 2 && head[1] == UInt8(ascii: ":")
      && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(head[0] | 0x20)
  }

  /// Windows: device names in any case and with any extension.
  private static func isReserved(_ component: Substring) -> Bool {
    guard let first = component.utf8.first, "cpanlCPANL".utf8.contains(first) else { return false }
    var base = component.unicodeScalars.prefix { $0 != "." }
    while base.last == " " { base.removeLast() }
    let name = Substring(base).uppercased()
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(name) { return true }
    guard name.hasPrefix("COM") || name.hasPrefix("LPT"), name.count == 4, let digit = name.last else {
      return false
    }
    return "123456789¹²³".contains(digit)
  }
}
