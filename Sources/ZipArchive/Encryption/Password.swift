/// A password for the entries of a package. It is bytes to the ciphers, and never shown: neither printing nor
/// mirroring it gives anything away.
public struct Password: Sendable, Hashable {
  let bytes: [UInt8]

  /// The text as UTF-8, as 7-Zip and WinZip take it for AES.
  public init(_ text: String) { bytes = Array(text.utf8) }

  /// As a tool of another encoding took it.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// Whether there are no bytes: the ciphers take that, people do not mean it.
  public var isEmpty: Bool { bytes.isEmpty }
}

extension Password: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The same for every password.
  public var description: String { "(password)" }
  /// The same for every password.
  public var debugDescription: String { description }
  /// Without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
