import Catalogue
import DepotService
import Foundation
import HTTPServer
import Platform
import TestSupport
import Testing

/// A depot behind a real socket, with a token of each scope named after it.
struct LiveDepot {
  let path: String
  let port: UInt16
  let depot: Depot

  func client() throws -> RawClient { try RawClient(port: port) }

  /// Sends one request on a connection of its own and reads the answer.
  func exchange(_ wire: String, body: [UInt8] = [], toHead: Bool = false) throws -> RawResponse {
    let client = try client()
    try client.send(Array(wire.utf8) + body)
    return try client.response(toHead: toHead)
  }

  /// Names below a folder of the depot.
  func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []).sorted()
  }
}

/// Serves a fresh depot while `body` runs.
func withLiveDepot(
  logger: Logger = .silent, _ change: (inout DepotSettings) -> Void = { _ in },
  while body: (LiveDepot) async throws -> Void
) async throws {
  let folder = try TemporaryFolder()
  var settings = DepotSettings.standard
  settings.diskFloor = 0
  change(&settings)
  let depot = try Depot(path: folder.path, creating: true, settings: settings)
  for scope in [TokenScope.read, .publish, .admin] {
    try depot.catalogue.createToken(
      name: scope.rawValue, scope: scope, expiresAt: nil,
      hash: AccessToken(presented: "\(scope.rawValue)-token").hash)
  }
  let handler = DepotHandler(depot: depot, logger: logger, openAPI: Array("openapi: 3.1.0\n".utf8))
  let workers = try WorkerPool(count: 4)
  let server = try HTTPServer(
    handler: handler, listen: [try #require(ListenAddress("127.0.0.1:0"))], loops: 2, workers: workers,
    limits: .standard, accessLog: nil, logger: .silent)
  try server.start()
  do {
    try await body(LiveDepot(path: folder.path, port: server.addresses[0].port, depot: depot))
  } catch {
    await server.stop()
    workers.shutdown()
    throw error
  }
  await server.stop()
  workers.shutdown()
  withExtendedLifetime(folder) {}
}

/// Requests as they stand on the wire.
enum Wire {
  static func get(_ target: String, _ fields: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: depot.test\r\n\(fields)\r\n"
  }

  static func upload(
    _ query: String, length: Int, token: String? = "publish-token", type: String = "application/zip",
    fields: String = ""
  ) -> String {
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    return "POST /games?\(query) HTTP/1.1\r\nHost: depot.test\r\n\(authorization)Content-Type: \(type)\r\n"
      + "Content-Length: \(length)\r\n\(fields)\r\n"
  }

  static func json(_ method: String, _ target: String, _ body: String, token: String?) -> String {
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    return
      "\(method) \(target) HTTP/1.1\r\nHost: depot.test\r\n\(authorization)Content-Type: application/json\r\n"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }
}
