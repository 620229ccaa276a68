public import Platform

/// Why an index could not be made or read.
public enum IndexError: Error, Sendable, Hashable {
  /// The bytes do not begin as an index does.
  case notAnIndex
  /// An index of a version that is not known here.
  case unknownVersion(UInt8)
  /// The index, or the zip it is to be made of, asks for more than is allowed.
  case overLimit(what: String, asked: UInt64, allowed: UInt64)
  /// The index ends in the middle of an entry, counted from 0, or of what stands behind the last.
  case truncated(entry: Int)
  /// The index says something that cannot be.
  case damaged(String)
  /// The zip is not laid out as an index can tell: no package is like that.
  case irregular(String)
  /// The system failed.
  case system(SystemError)
}

extension IndexError: CustomStringConvertible {
  /// One line for a log.
  public var description: String {
    switch self {
    case .notAnIndex: "not the index of a package"
    case .unknownVersion(let version): "an index of version \(version), which is not known here"
    case .overLimit(let what, let asked, let allowed): "\(asked) \(what); \(allowed) are allowed"
    case .truncated(let entry): "the index ends within entry \(entry)"
    case .damaged(let why): "the index is damaged: \(why)"
    case .irregular(let why): "no index can be made of this zip: \(why)"
    case .system(let error): error.description
    }
  }
}
