internal import Glibc

/// The process this code runs in.
public enum ThisProcess {
  /// The variables it was started with; names or values that are not UTF-8 are left out.
  public static var environment: [String: String] {
    var variables: [String: String] = [:]
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      unsafe entry += 1
      guard let line = unsafe String(validatingCString: text), let equals = line.firstIndex(of: "=") else {
        continue
      }
      variables[String(line[..<equals])] = String(line[line.index(after: equals)...])
    }
    return variables
  }

  /// What the machine calls itself (gethostname(2)); nil when it does not say.
  public static var hostName: String? {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return nil }
    return String(validating: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Ends it at once, with what exit(3) still does.
  public static func exit(_ code: Int32) -> Never { Glibc.exit(code) }
}
