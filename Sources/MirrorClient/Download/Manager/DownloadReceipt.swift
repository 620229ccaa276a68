public import DepotModel
internal import HTTPClient

/// What is known of one download, now or at the end of the last run of the program.
public struct DownloadReceipt: Sendable, Hashable {
  /// Where a download stands.
  public enum State: String, Sendable, Hashable {
    /// Nothing of it is here and nothing is going on.
    case none
    /// It waits for a place.
    case willResume = "will-resume"
    /// Its bytes are coming, or being checked.
    case downloading
    /// It was stopped; what came is kept.
    case suspended
    /// The file stands whole at `file`.
    case completed
    /// `failure` says why; what came is kept unless it was proven wrong.
    case failed
  }

  /// What was asked for.
  public internal(set) var download: Download
  /// Where it stands.
  public internal(set) var state: State
  /// Bytes that are here.
  public internal(set) var written: Int64
  /// Bytes of the whole; nil when nobody knows yet.
  public internal(set) var expected: Int64?
  /// Bytes a second over the last seconds; 0 when nothing moves.
  public internal(set) var speed: Int64
  /// Why it failed; nil unless it did.
  public internal(set) var failure: DownloadFailure?
  /// Of the bytes that are here.
  public internal(set) var validators: Validators
  /// The whole file that came last; it stays in place while a newer one is fetched.
  public internal(set) var file: StandingFile?
  /// What the server would call it, made safe; nil when it said nothing.
  public internal(set) var suggestedName: String?
  /// Grows with each request: the order they came in.
  var position: Int64
  /// Bytes that would survive a power cut.
  var durable: Int64

  /// Tells it from others.
  public var id: DownloadID { download.id }

  /// From 0 to 1; nil when the whole's size is not known.
  public var progress: Double? {
    if state == .completed { return 1 }
    guard let expected else { return nil }
    return expected > 0 ? min(1, Double(written) / Double(expected)) : 1
  }

  /// How long the rest takes at this speed; nil when nobody can say.
  public var remaining: Duration? {
    guard let expected, speed > 0, state == .downloading else { return nil }
    return .seconds(Double(max(0, expected - written)) / Double(speed))
  }

  /// A download that was just asked for.
  init(_ download: Download, position: Int64) {
    self.download = download
    self.position = position
    state = .willResume
    written = 0
    durable = 0
    expected = download.size
    speed = 0
    validators = .none
  }
}

/// A file that came whole.
public struct StandingFile: Sendable, Hashable {
  /// Where it is.
  public var path: String
  /// Bytes.
  public var size: Int64
  /// Of its bytes, as they came.
  public var sha256: SHA256Digest
  /// What the server called that state of it.
  public var validators: Validators
  /// False for one that stood there before and was found to be the one that was asked for.
  public var isOurs: Bool
}

/// Why a download failed, as it can be kept.
public struct DownloadFailure: Sendable, Hashable, CustomStringConvertible {
  /// One line for people.
  public let text: String
  /// The server's status, when that was the reason.
  public let status: Int?

  init(text: String, status: Int?) {
    self.text = text
    self.status = status
  }

  init(_ error: DownloadError) {
    switch error {
    case .recorded(let failure): self = failure
    case .transfer(.status(let failure)): self.init(text: error.description, status: failure.status)
    case .notPermitted(_, let status): self.init(text: error.description, status: status)
    default: self.init(text: error.description, status: nil)
    }
  }

  /// The same as `text`.
  public var description: String { text }
}
