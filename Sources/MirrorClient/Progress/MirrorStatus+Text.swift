internal import DepotModel

extension MirrorStatus {
  /// For people: a line on the whole, then a table of the games.
  public var text: String {
    var lines: [String] = []
    if let lastSync {
      let revision = point.map { ", revision \($0.revision)" } ?? ""
      lines.append(
        "\(destination): last sync \(lastSync.at)\(revision), exit \(lastSync.exitCode): \(lastSync.summary)")
    } else {
      lines.append("\(destination): never synced to the end")
    }
    if let lastVerify {
      lines.append("last verify \(lastVerify.at), exit \(lastVerify.exitCode): \(lastVerify.summary)")
    }
    let rows = games.map { game in
      [
        game.id.text, game.installed?.version.text ?? "-",
        game.installed.map { ByteText.short($0.size) } ?? "-",
        game.installed?.installedAt.description ?? "-", Self.describe(game),
      ]
    }
    if !rows.isEmpty {
      let table = [["GAME", "VERSION", "SIZE", "INSTALLED", "STATE"]] + rows
      let widths = (0..<4).map { column in table.map { $0[column].count }.max() ?? 0 }
      for row in table {
        let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        lines.append((cells + [row[4]]).joined(separator: "  "))
      }
    }
    if !partials.isEmpty {
      let bytes = partials.reduce(0) { $0 + $1.size }
      lines.append(
        "\(partials.count) unfinished downloads, \(ByteText.short(bytes)): the next sync resumes them")
      for partial in partials {
        guard let label = partial.label, let expected = partial.expected else { continue }
        lines.append(
          "  \(label): \(ByteText.short(partial.size)) of \(ByteText.short(expected)), \(partial.state?.rawValue ?? "")"
        )
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func describe(_ game: GameStatus) -> String {
    var text = game.state.rawValue
    if let offered = game.offered, game.state == .behind || game.state == .missing {
      text += ", offered: \(offered)"
    }
    if let hold = game.hold {
      text += game.state == .held ? " at \(hold.version)" : ", held at \(hold.version)"
      text += game.offered.map { ", offered: \($0)" } ?? ""
    }
    for bad in game.badVersions { text += ", \(bad.version) is bad until \(bad.until)" }
    if let installed = game.installed, installed.sharedFiles > 0 {
      text += ", shares \(installed.sharedFiles) files, \(ByteText.short(installed.sharedBytes))"
    }
    if game.installed?.needsIsolation == true { text += ", isolated" }
    if game.installed?.hasPackage == false { text += ", no zip" }
    if let error = game.error { text += ", \(error)" }
    return text
  }

  /// For programs: one JSON object.
  public var json: String {
    let document = Document(
      destination: destination,
      lastSync: lastSync.map { .init(at: $0.at, exitCode: $0.exitCode, summary: $0.summary) },
      lastVerify: lastVerify.map { .init(at: $0.at, exitCode: $0.exitCode, summary: $0.summary) },
      catalogue: point?.catalogue, revision: point?.revision,
      games: games.map { game in
        Document.Game(
          gameId: game.id, title: game.installed?.title, h5Version: game.installed?.version,
          h5Sha256: game.installed?.sha256, h5Md5: game.installed?.md5, h5Size: game.installed?.size,
          unpackedSize: game.installed?.unpackedSize, installedAt: game.installed?.installedAt,
          state: game.state.rawValue, offered: game.offered, error: game.error, kept: game.kept,
          hasPackage: game.installed?.hasPackage, sharedFiles: game.installed?.sharedFiles,
          sharedBytes: game.installed?.sharedBytes, needsIsolation: game.installed?.needsIsolation,
          held: game.hold.map { .init(h5Version: $0.version, offeredSha256: $0.offered) },
          bad: game.badVersions.map {
            .init(h5Version: $0.version, h5Sha256: $0.sha256, until: $0.until, reason: $0.reason)
          })
      },
      partials: partials.map {
        .init(
          sha256: $0.sha256, size: $0.size, expected: $0.expected, label: $0.label, state: $0.state?.rawValue)
      })
    // Strings and numbers only: encoding them cannot fail.
    guard let bytes = try? JSON.encode(document) else { return "{}\n" }
    return String(decoding: bytes, as: UTF8.self) + "\n"
  }

  private struct Document: Encodable {
    struct Sync: Encodable {
      let at: Timestamp
      let exitCode: Int32
      let summary: String
    }

    struct Game: Encodable {
      let gameId: GameID
      let title: String?
      let h5Version: H5Version?
      let h5Sha256: SHA256Digest?
      let h5Md5: MD5Digest?
      let h5Size: Int64?
      let unpackedSize: Int64?
      let installedAt: Timestamp?
      let state: String
      let offered: String?
      let error: String?
      let kept: [H5Version]
      let hasPackage: Bool?
      let sharedFiles: Int?
      let sharedBytes: Int64?
      let needsIsolation: Bool?
      let held: Held?
      let bad: [Bad]
    }

    struct Held: Encodable {
      let h5Version: H5Version
      let offeredSha256: SHA256Digest?
    }

    struct Bad: Encodable {
      let h5Version: H5Version
      let h5Sha256: SHA256Digest
      let until: Timestamp
      let reason: String
    }

    struct Partial: Encodable {
      let sha256: String
      let size: Int64
      let expected: Int64?
      let label: String?
      let state: String?
    }

    let destination: String
    let lastSync: Sync?
    let lastVerify: Sync?
    let catalogue: String?
    let revision: Int64?
    let games: [Game]
    let partials: [Partial]
  }
}
