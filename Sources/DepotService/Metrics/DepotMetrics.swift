internal import Catalogue
internal import HTTPWire
internal import Platform
internal import ReadAPI

/// `GET /metrics`: how the server fares, as numbers.
struct DepotMetrics: Sendable {
  let depot: Depot
  let program: ProgramFacts
  let transport: TransportMetrics

  /// Throws `unavailable` when the catalogue cannot be read.
  func answer() throws(Problem) -> Answer {
    var page = MetricsPage()
    page.begin("game_depot_build_info", .gauge, "1 for the program that runs.")
    page.line("game_depot_build_info", "version=\"\(program.version)\"", 1)
    page.add(
      "process_start_time_seconds", .gauge, "When the process started, in seconds since 1970.",
      program.startedAt)
    addRequests(to: &page)
    addConnections(to: &page)
    addUploads(to: &page)
    try addCatalogue(to: &page)
    addDisk(to: &page)
    return Answer(Array(page.text.utf8), type: MetricsPage.type, cacheControl: "no-store")
  }

  private func addRequests(to page: inout MetricsPage) {
    let requests = "game_depot_http_requests_total"
    page.begin(requests, .counter, "Requests that were answered, by route and status.")
    let sorted = transport.answers.sorted { ($0.key.kind, $0.key.status) < ($1.key.kind, $1.key.status) }
    for (key, count) in sorted {
      let route = RouteKind(rawValue: key.kind) ?? .other
      page.line(requests, "route=\"\(route.template)\",status=\"\(key.status)\"", count)
    }
    let duration = "game_depot_http_request_duration_seconds"
    page.begin(duration, .histogram, "From a request's arrival until its answer was made.")
    var below: UInt64 = 0
    for (limit, count) in zip(TransportMetrics.timeLimits, transport.times) {
      below += count
      page.line("\(duration)_bucket", "le=\"\(MetricsPage.seconds(UInt64(limit)))\"", below)
    }
    let all = transport.times.reduce(0, +)
    page.line("\(duration)_bucket", "le=\"+Inf\"", all)
    page.line("\(duration)_sum", "", MetricsPage.seconds(transport.time))
    page.line("\(duration)_count", "", all)
    page.add(
      "game_depot_http_received_bytes_total", .counter, "Bytes from clients, heads included.",
      transport.received)
    page.add(
      "game_depot_http_sent_bytes_total", .counter, "Bytes to clients, heads included.", transport.sent)
  }

  private func addConnections(to page: inout MetricsPage) {
    page.add("game_depot_http_connections", .gauge, "Connections that are open.", transport.open)
    page.add(
      "game_depot_http_connections_accepted_total", .counter, "Connections that were accepted.",
      transport.accepted)
    page.add(
      "game_depot_http_connections_refused_total", .counter, "Connections answered 503 for lack of room.",
      transport.refused)
  }

  private func addUploads(to page: inout MetricsPage) {
    let uploads = depot.uploads.now
    page.add("game_depot_uploads_running", .gauge, "Uploads that come or are checked.", uploads.running)
    let total = "game_depot_uploads_total"
    page.begin(total, .counter, "Uploads by what became of them.")
    for outcome in UploadCounts.Outcome.allCases {
      page.line(total, "outcome=\"\(outcome.rawValue)\"", uploads.ended[outcome] ?? 0)
    }
  }

  private func addCatalogue(to page: inout MetricsPage) throws(Problem) {
    let sizes = try depot.reading { catalogue throws(CatalogueError) in try catalogue.sizes() }
    page.add("game_depot_games", .gauge, "Games that are published.", sizes.games)
    page.add("game_depot_versions", .gauge, "Versions in their histories.", sizes.versions)
    page.add("game_depot_packages_bytes", .gauge, "Bytes of the versions' packages.", sizes.packageBytes)
    page.add("game_depot_catalogue_revision", .gauge, "How often what is published changed.", sizes.revision)
    let files = "game_depot_catalogue_bytes"
    page.begin(files, .gauge, "Bytes of the catalogue's files.")
    for (label, suffix) in [("main", ""), ("wal", "-wal")] {
      // One that is not there has none.
      let status = try? depot.layout.root.status(of: DepotLayout.catalogueName + suffix)
      page.line(files, "file=\"\(label)\"", status?.size ?? 0)
    }
  }

  private func addDisk(to page: inout MetricsPage) {
    // A disk that does not tell is no reason to tell nothing else.
    if let room = try? depot.layout.root.room {
      page.add("game_depot_disk_free_bytes", .gauge, "Bytes that may still be written.", room.bytes)
      page.add("game_depot_disk_size_bytes", .gauge, "Bytes of the whole file system.", room.allBytes)
    }
    page.add(
      "game_depot_disk_floor_bytes", .gauge, "Free bytes below which uploads are refused.",
      depot.settings.diskFloor)
  }
}

/// What runs, and since when.
public struct ProgramFacts: Sendable, Hashable {
  /// As `--version` says it.
  public let version: String
  /// Seconds since 1970.
  public let startedAt: Int64

  /// Both.
  public init(version: String, startedAt: Int64) {
    self.version = version
    self.startedAt = startedAt
  }
}
