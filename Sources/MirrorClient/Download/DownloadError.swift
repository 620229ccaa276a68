public import HTTPClient
public import Platform

/// Why a package did not arrive. Its partial, if any, is kept unless its bytes were proven wrong.
public enum DownloadError: Error, Sendable, CustomStringConvertible {
  /// The network or the server, after the retries that made sense.
  case transfer(TransferError)
  /// The depot itself wants a token, or refused the one it got.
  case notPermitted(url: String, status: Int)
  /// The disk: full, read-only, broken.
  case disk(SystemError)
  /// All bytes came, and they are not the ones the catalogue names.
  case digestMismatch(algorithm: String, expected: String, actual: String)
  /// The server has another number of bytes under this URL than the catalogue says.
  case sizeMismatch(expected: Int64, actual: Int64)
  /// The answer is not one to the question asked.
  case badAnswer(String)
  /// An http URL named by an https server, or nothing that is a URL.
  case badURL(String)
  /// The task was cancelled or the engine stopped.
  case cancelled

  /// The disk or a quota is full.
  public var isOutOfSpace: Bool {
    guard case .disk(let error) = self else { return false }
    return error.isOutOfSpace
  }

  /// One line for people.
  public var description: String {
    switch self {
    case .transfer(let error): error.description
    case .notPermitted(let url, let status): "status \(status) from \(url)"
    case .disk(let error): error.description
    case .digestMismatch(let algorithm, let expected, let actual):
      "\(algorithm) is \(actual), not \(expected) as the catalogue says"
    case .sizeMismatch(let expected, let actual):
      "the server has \(actual) bytes, the catalogue says \(expected)"
    case .badAnswer(let what): "unusable answer: \(what)"
    case .badURL(let text): "refused URL: \(text)"
    case .cancelled: "cancelled"
    }
  }
}
