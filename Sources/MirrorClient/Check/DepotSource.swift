public import DepotModel

/// A depot as a mirror sees it: what there is, what changed, and what a package unpacks to.
public protocol DepotSource: Sendable {
  /// The server's address, for messages.
  var name: String { get }
  /// Whether it can tell what changed since a point; else everything is listed each time, and no point is kept.
  var tellsChanges: Bool { get }
  /// One page of everything the channel offers; `cursor` is the `next` of the page before.
  func listing(channel: ChannelName, after cursor: String?) async throws(MirrorError) -> ListingPage
  /// One page of what changed since a revision.
  func changes(
    since point: CataloguePoint, channel: ChannelName, after cursor: String?
  ) async throws(MirrorError) -> ChangesAnswer
  /// What is needed to unpack a package. Throws unless it speaks of exactly these bytes.
  func manifest(of release: Release) async throws(MirrorError) -> UnpackingFacts
  /// What spares an update bytes, and a first install the manifest. Nil when the server has nothing of the kind or what
  /// it says is of no use: then the manifest is asked. Throws `unreachable` and `cancelled` alone.
  func delta(of release: Release) async throws(MirrorError) -> DeltaOffer?
  /// The block digests of a package, from its manifest. Nil when they do not fit it.
  func blocks(of release: Release) async throws(MirrorError) -> PackageBlocks?
}

extension DepotSource {
  /// As depots do.
  public var tellsChanges: Bool { true }

  /// Nothing: for sources that have no `delta.json`.
  public func delta(of release: Release) async throws(MirrorError) -> DeltaOffer? { nil }

  /// None: for sources that have no digests of blocks.
  public func blocks(of release: Release) async throws(MirrorError) -> PackageBlocks? { nil }
}

/// A state of one catalogue: revisions of different catalogues say nothing about each other.
public struct CataloguePoint: Sendable, Hashable {
  /// The catalogue's uuid.
  public let catalogue: String
  /// Grows with every visible change.
  public let revision: Int64

  /// All of it.
  public init(catalogue: String, revision: Int64) {
    self.catalogue = catalogue
    self.revision = revision
  }
}

/// A game in an answer: read, or not readable and why.
public typealias OfferedGame = Result<Release, UnreadableGame>

/// A game of an answer that breaks the contract; the others of the answer are still good.
public struct UnreadableGame: Error, Sendable, Hashable {
  /// Its id as the server wrote it, cut to a sane length.
  public let game: String
  /// What is wrong with it.
  public let reason: String

  /// All of it.
  public init(game: String, reason: String) {
    self.game = game
    self.reason = reason
  }
}

/// One page of a listing.
public struct ListingPage: Sendable {
  /// The catalogue's uuid.
  public var catalogue: String
  /// The revision the page was read at.
  public var revision: Int64
  /// In the server's order.
  public var games: [OfferedGame]
  /// Names the next page; nil on the last.
  public var next: String?

  /// All of it.
  public init(catalogue: String, revision: Int64, games: [OfferedGame], next: String?) {
    self.catalogue = catalogue
    self.revision = revision
    self.games = games
    self.next = next
  }
}

/// What a server says to `since`.
public enum ChangesAnswer: Sendable {
  case page(ChangesPage)
  /// It no longer knows what changed since then, or it is another catalogue: list everything.
  case gone
}

/// One page of changes.
public struct ChangesPage: Sendable {
  /// The revision the page was read at.
  public var revision: Int64
  /// Games to look at.
  public var changed: [OfferedGame]
  /// Games that are no more.
  public var removed: [GameID]
  /// Names the next page; nil on the last.
  public var next: String?

  /// All of it.
  public init(revision: Int64, changed: [OfferedGame], removed: [GameID], next: String?) {
    self.revision = revision
    self.changed = changed
    self.removed = removed
    self.next = next
  }
}

/// The part of a manifest that unpacking needs.
public struct UnpackingFacts: Sendable, Hashable {
  /// The wrapper folder that paths lose, with its slash; empty for none.
  public var root: String
  /// How the names in the zip are to be read.
  public var namesEncoding: String
  /// Bytes of all files.
  public var unpackedSize: Int64
  /// Number of files.
  public var fileCount: Int
  /// Whether some of them need a password.
  public var isEncrypted: Bool

  /// All of it.
  public init(
    root: String, namesEncoding: String, unpackedSize: Int64, fileCount: Int, isEncrypted: Bool
  ) {
    self.root = root
    self.namesEncoding = namesEncoding
    self.unpackedSize = unpackedSize
    self.fileCount = fileCount
    self.isEncrypted = isEncrypted
  }
}
