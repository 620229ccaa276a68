import Catalogue
import DepotModel
import DepotService
import Foundation
import HTTPWire
import Platform
import Synchronization
import TestSupport

/// A depot in a temporary folder with its handler and a token of each scope. The folder goes with it.
final class DepotFixture: Sendable {
  let path: String
  let depot: Depot
  let handler: DepotHandler
  let clock = TestClock()
  private let isOwner: Bool

  /// `reopening` takes over another fixture's folder without owning it: another process on the same depot.
  init(
    reopening other: DepotFixture? = nil, volume: any Volume = SystemVolume(),
    _ change: (inout DepotSettings) -> Void = { _ in }
  ) throws {
    isOwner = other == nil
    path = other?.path ?? "\(NSTemporaryDirectory())/depot-\(UUID().uuidString)"
    var settings = DepotSettings.standard
    settings.diskFloor = 0
    change(&settings)
    depot = try Depot(
      path: path, creating: true, settings: settings, volume: volume, clock: { [clock] in clock.now })
    handler = DepotHandler(depot: depot, logger: .silent, openAPI: Array("openapi: 3.1.0\n".utf8))
    guard other == nil else { return }
    for scope in [TokenScope.read, .publish, .admin] {
      try depot.catalogue.createToken(
        name: scope.rawValue, scope: scope, expiresAt: nil,
        hash: AccessToken(presented: "\(scope.rawValue)-token").hash)
    }
  }

  deinit {
    if isOwner { try? FileManager.default.removeItem(atPath: path) }
  }

  /// Asks the handler as the server would, body and all.
  func respond(to request: HTTPRequest, body: BytesBody = BytesBody()) async -> Reply {
    handler.prepareBatch()
    switch handler.respond(to: request) {
    case .respond(let response), .repeatable(let response): return Reply(response, wasInline: true)
    case .later(let work): return Reply(await work(body), wasInline: false)
    }
  }

  /// A read, or another request without a body.
  func ask(
    _ method: String, _ target: String, _ fields: KeyValuePairs<String, String> = [:]
  ) async throws -> Reply {
    await respond(to: try request(method, target, fields))
  }

  /// A GET.
  func ask(_ target: String) async throws -> Reply { try await ask("GET", target) }

  /// A request with a JSON body of known length.
  func send(
    _ method: String, _ target: String, json: String, token: String? = nil, type: String = "application/json"
  ) async throws -> Reply {
    let bytes = Array(json.utf8)
    let authorization = token.map { "Authorization: Bearer \($0)-token\r\n" } ?? ""
    let head = try request(
      wire: "\(method) \(target) HTTP/1.1\r\nHost: depot.test\r\n\(authorization)Content-Type: \(type)\r\n"
        + "Content-Length: \(bytes.count)\r\n\r\n")
    return await respond(to: head, body: BytesBody(bytes))
  }

  /// Publishes a zip as an `application/zip` body.
  @discardableResult
  func publish(
    _ query: String, _ zip: [UInt8] = Samples.game(), token: String? = "publish",
    fields: KeyValuePairs<String, String> = [:], isChunked: Bool = false
  ) async throws -> Reply {
    var wire = "POST /games?\(query) HTTP/1.1\r\nHost: depot.test\r\nContent-Type: application/zip\r\n"
    if let token { wire += "Authorization: Bearer \(token)-token\r\n" }
    for (name, value) in fields { wire += "\(name): \(value)\r\n" }
    wire += isChunked ? "Transfer-Encoding: chunked\r\n\r\n" : "Content-Length: \(zip.count)\r\n\r\n"
    return await respond(to: try request(wire: wire), body: BytesBody(zip, pieceSize: 1000))
  }

  /// Publishes a form.
  @discardableResult
  func publish(
    form: [UInt8], pieceSize: Int = 700, token: String? = "publish",
    fields: KeyValuePairs<String, String> = [:],
    boundary: String = "edge"
  ) async throws -> Reply {
    var wire =
      "POST /games HTTP/1.1\r\nHost: depot.test\r\nContent-Type: multipart/form-data; boundary=\(boundary)\r\n"
    if let token { wire += "Authorization: Bearer \(token)-token\r\n" }
    for (name, value) in fields { wire += "\(name): \(value)\r\n" }
    let head = try request(wire: wire + "Content-Length: \(form.count)\r\n\r\n")
    return await respond(to: head, body: BytesBody(form, pieceSize: pieceSize))
  }

  /// Names in a folder of the depot.
  func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []).sorted()
  }

  /// Packages in the blob store.
  var blobNames: [String] {
    names(in: "blobs/sha256").flatMap { names(in: "blobs/sha256/\($0)") }
  }
}

/// A clock that stands still until it is moved.
final class TestClock: Sendable {
  private let seconds = Mutex<Int64>(1_770_000_000)

  var now: Timestamp { Timestamp(seconds: seconds.withLock { $0 }) }

  func advance(by count: Int64) { seconds.withLock { $0 += count } }
}

/// A response with its body in memory.
struct Reply {
  let response: HTTPResponse
  /// It was answered on the loop, without a worker.
  let wasInline: Bool
  let fields: HTTPFields

  init(_ response: HTTPResponse, wasInline: Bool) {
    self.response = response
    self.wasInline = wasInline
    fields = response.fields
  }

  var status: Int { response.status.code }
  var bytes: [UInt8] { Self.bytes(of: response.body) }
  var text: String { String(decoding: bytes, as: UTF8.self) }
  var json: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] ?? [:]
  }
  /// The last part of a problem's type.
  var slug: String? {
    guard fields["Content-Type"] == "application/problem+json", let type = json["type"] as? String,
      json["status"] as? Int == status, json["title"] is String, json["detail"] is String
    else { return nil }
    return type.split(separator: ":").last.map(String.init)
  }
  var rules: [String] {
    (json["findings"] as? [[String: Any]] ?? []).compactMap { $0["rule"] as? String }
  }

  subscript(_ member: String) -> String? { json[member] as? String }

  private static func bytes(of body: ResponseBody) -> [UInt8] {
    switch body {
    case .bytes(let bytes): return bytes
    case .segments(let segments): return segments.flatMap { bytes(of: $0) }
    case .file(let file, let offset, let count):
      let path = "/proc/self/fd/\(file.number)"
      return (try? File(path: path, mode: .read).bytes(at: offset, count: Int(count))) ?? []
    }
  }
}

/// Packages and forms for tests.
enum Samples {
  /// A small game; another `text` makes another package.
  static func game(_ text: String = "one") -> [UInt8] {
    ZipBuilder.zip(["index.html": "<title>\(text)</title>", "js/app.js": "run('\(text)')"])
  }

  /// A game of a little more than `count` bytes.
  static func large(_ count: Int) -> [UInt8] {
    var state: UInt64 = 0x9e37_79b9_7f4a_7c15
    let block = (0..<4001).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    var noise: [UInt8] = []
    while noise.count < count { noise += block }
    noise.removeLast(noise.count - count)
    return ZipBuilder([ZipEntry("index.html", "<p>"), .stored("noise.bin", FileContent(noise))]).build()
  }

  /// A form with these fields before the package and those after it; nil leaves the package out.
  static func form(
    _ before: KeyValuePairs<String, String>, package: [UInt8]?, after: KeyValuePairs<String, String> = [:],
    boundary: String = "edge"
  ) -> [UInt8] {
    func field(_ name: String, _ value: String) -> String {
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
    }
    var form = Array(before.map { field($0.key, $0.value) }.joined().utf8)
    if let package {
      form +=
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"package\"; filename=\"a.zip\"\r\n\r\n".utf8
      form += package + Array("\r\n".utf8)
    }
    form += after.map { field($0.key, $0.value) }.joined().utf8
    return form + Array("--\(boundary)--\r\n".utf8)
  }

  static func md5(_ bytes: [UInt8]) -> String {
    MD5Digest(bytes: Hash.digest(of: bytes, .md5))?.hex ?? ""
  }

  static func md5Base64(_ bytes: [UInt8]) -> String {
    MD5Digest(bytes: Hash.digest(of: bytes, .md5))?.base64 ?? ""
  }

  static func sha256(_ bytes: [UInt8]) -> String {
    SHA256Digest(bytes: Hash.digest(of: bytes, .sha256))?.hex ?? ""
  }
}
