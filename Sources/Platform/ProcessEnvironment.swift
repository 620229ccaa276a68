internal import Glibc

/// The variables this process was started with.
public enum ProcessEnvironment {
  /// All of them by name; names or values that are not UTF-8 are left out.
  public static var current: [String: String] {
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
}
