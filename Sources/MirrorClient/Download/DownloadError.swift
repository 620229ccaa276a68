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
  /// The task was cancelled, the download suspended or removed, or the engine stopped.
  case cancelled
  /// The receipts cannot be read or written, or are newer than this program.
  case receipts(path: String, reason: String, isUnwritable: Bool)
  /// Another manager has these receipts open.
  case inUse(path: String)
  /// No receipt is known of it.
  case unknown(DownloadID)
  /// The same download is under way with another destination, size or digest.
  case conflict(DownloadID)
  /// What is to become of the file names no file, or one that belongs to the manager.
  case badDestination(String)
  /// Another file stands where it goes, and is to be kept.
  case destinationExists(path: String)
  /// As an earlier run of the program, or another part of it, told it.
  case recorded(DownloadFailure)

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
    case .receipts(let path, let reason, _): "cannot use the receipts in \(path): \(reason)"
    case .inUse(let path): "another download manager uses \(path)"
    case .unknown(let id): "no download of \(id) is known"
    case .conflict(let id):
      "\(id) is being downloaded for another destination or with other digests; suspend or remove that first"
    case .badDestination(let path): "no file can be put at \(path.debugDescription)"
    case .destinationExists(let path): "\(path) is there already and is to be kept"
    case .recorded(let failure): failure.text
    }
  }
}
