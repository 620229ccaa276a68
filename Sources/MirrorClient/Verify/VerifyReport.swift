internal import DepotModel

/// What a verification found, and what it mended.
public struct VerifyReport: Sendable {
  /// Games that were looked at.
  public var games = 0
  /// Versions of them.
  public var versions = 0
  /// Files of those.
  public var files = 0
  /// Bytes that were read.
  public var bytes: Int64 = 0
  /// What is not as it was installed, in the order of the games.
  public var damages: [Damage] = []
  /// What was not before it was mended.
  public var repaired: [Damage] = []
  /// Why something could not be mended; one line each.
  public var failures: [String] = []
  /// Versions whose files were not recorded, so that only their packages could be judged: the next sync that looks at
  /// them records them.
  public var unlisted: [String] = []
  /// Bytes that came over the network.
  public var bytesFetched: Int64 = 0

  /// Nothing looked at yet.
  public init() {}

  /// 0 when everything is, or is again, as it was installed; 65 otherwise.
  public var exitCode: Int32 { damages.isEmpty ? 0 : 65 }

  /// One line for people.
  public var summary: String {
    let looked = "\(games) games, \(versions) versions, \(files) files"
    let mended = repaired.isEmpty ? "" : ", \(repaired.count) mended"
    return damages.isEmpty ? "\(looked): sound\(mended)" : "\(looked): \(damages.count) damaged\(mended)"
  }

  /// For programs: one JSON object.
  public var json: String {
    func items(_ damages: [Damage]) -> [Document.Item] {
      damages.map {
        Document.Item(
          gameId: $0.id, h5Version: $0.version, path: $0.path, expected: $0.expected, actual: $0.actual)
      }
    }
    let document = Document(
      sound: damages.isEmpty, games: games, versions: versions, files: files, bytesRead: bytes,
      bytesFetched: bytesFetched, damaged: items(damages), repaired: items(repaired), failures: failures,
      unlisted: unlisted)
    // Strings and numbers only: encoding them cannot fail.
    guard let bytes = try? JSON.encode(document) else { return "{}\n" }
    return String(decoding: bytes, as: UTF8.self) + "\n"
  }

  private struct Document: Encodable {
    struct Item: Encodable {
      let gameId: GameID
      let h5Version: H5Version
      let path: String
      let expected: String
      let actual: String
    }

    let sound: Bool
    let games: Int
    let versions: Int
    let files: Int
    let bytesRead: Int64
    let bytesFetched: Int64
    let damaged: [Item]
    let repaired: [Item]
    let failures: [String]
    let unlisted: [String]
  }
}
