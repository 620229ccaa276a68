internal import DepotModel
public import ReadAPI
public import ZipArchive

/// What an operator decides about a depot.
public struct DepotSettings: Sendable {
  /// What absolute URLs in answers begin with; nil takes each request's Host field.
  public var publicURL: PublicURL?
  /// Bytes of the largest package accepted.
  public var maxUpload: Int64
  /// Bytes that must stay free on the data folder's file system.
  public var diskFloor: Int64
  /// What a zip may ask for.
  public var zipLimits: ZipLimits
  /// Packages kept open between requests.
  public var openPackages: Int
  /// Bytes of answers kept ready.
  public var cachedBytes: Int
  /// Answers kept ready.
  public var cachedAnswers: Int
  /// Bytes of request bodies that are kept whole while they come, all together.
  public var heldBodies: Int
  /// Seconds that a resumable upload is kept after its last bytes.
  public var uploadExpiry: Int64
  /// Resumable uploads that may be under way, of all tokens together.
  public var heldUploads: Int
  /// Whether reading needs a token as well.
  public var requiresReadToken: Bool
  /// Wrong tokens that an address may send a minute before it is told to wait.
  public var wrongTokens: Int

  /// Whether there is a web console at `/console`.
  public var hasConsole: Bool

  /// Every setting is named: none is hidden.
  public init(
    publicURL: PublicURL?, maxUpload: Int64, diskFloor: Int64, zipLimits: ZipLimits, openPackages: Int,
    cachedBytes: Int, cachedAnswers: Int, heldBodies: Int, uploadExpiry: Int64, heldUploads: Int,
    requiresReadToken: Bool, wrongTokens: Int, hasConsole: Bool
  ) {
    self.publicURL = publicURL
    self.maxUpload = maxUpload
    self.diskFloor = diskFloor
    self.zipLimits = zipLimits
    self.openPackages = openPackages
    self.cachedBytes = cachedBytes
    self.cachedAnswers = cachedAnswers
    self.heldBodies = heldBodies
    self.uploadExpiry = uploadExpiry
    self.heldUploads = heldUploads
    self.requiresReadToken = requiresReadToken
    self.wrongTokens = wrongTokens
    self.hasConsole = hasConsole
  }

  /// Bytes of ready answers unless an operator decides: an eighth of the memory there is, from 16 to 512 MiB. That holds
  /// the checks of 100,000 games, or 10,000 manifests of 20 KB.
  public static func cachedBytes(ofMemory bytes: Int64) -> Int {
    Int(min(max(bytes / 8, 16 << 20), 512 << 20))
  }

  /// How many answers fill those bytes when they are as small as answers get.
  public static func cachedAnswers(ofBytes bytes: Int) -> Int { max(8192, bytes / 2048) }

  /// 2 GiB a package, 512 MiB free, 64 MiB of ready answers, 64 MiB of JSON that comes; 1000
  /// resumable uploads for a day; everybody may read; 20
  /// wrong tokens a minute.
  public static let standard = DepotSettings(
    publicURL: nil, maxUpload: 2 << 30, diskFloor: 512 << 20, zipLimits: .standard, openPackages: 512,
    cachedBytes: 64 << 20, cachedAnswers: 65536, heldBodies: 64 << 20,
    uploadExpiry: 86_400, heldUploads: 1000,
    requiresReadToken: false, wrongTokens: 20, hasConsole: true
  )
}
