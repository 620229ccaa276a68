import Catalogue
import CommandOptions
import DepotModel
import DepotService
import Platform

/// `audit`: who changed what.
enum Audit {
  static func run(_ settings: Settings) throws -> Int32 {
    let game = try settings.read(
      "game", expected: "1 to 128 of A-Z a-z 0-9 . _ -, first a letter or digit", GameID.init)
    let limit = try settings.integer("limit", in: 1...1_000_000) ?? 50
    let isJSON = try settings.flag("json")
    let catalogue = try Opening.depot(settings, creating: false).catalogue
    var records: [AuditRecord]
    do throws(CatalogueError) {
      records = try catalogue.audit(game: game, actor: settings.string("actor"), limit: limit + 1)
    } catch {
      throw Failure(Failure.data, "\(error)")
    }
    let isLast = records.count <= limit
    if !isLast { records.removeLast() }
    if isJSON {
      let report = AuditReport(records, next: isLast ? nil : records.last.map { "\($0.id)" })
      Terminal.write(String(decoding: report.json, as: UTF8.self) + "\n", to: .output)
      return 0
    }
    let rows = records.map { record in
      [
        "\(record.at)", record.actor, record.origin ?? "-", record.action, record.subject,
        record.version ?? "-", record.channel ?? "-", record.detail ?? "",
      ]
    }
    let table = Table(["AT", "ACTOR", "FROM", "ACTION", "SUBJECT", "VERSION", "CHANNEL", "DETAIL"], rows)
    Terminal.write(table.text, to: .output)
    return 0
  }
}
