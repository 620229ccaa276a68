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

  /// Ends it at once, with what exit(3) still does.
  public static func exit(_ code: Int32) -> Never { Glibc.exit(code) }
}
