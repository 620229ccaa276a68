import Foundation
import HTTPWire
import Platform
import PlayService
import TestSupport
import Testing

/// A mirror's folder with one game in two versions, of which `current` names the second, and what else a test puts there.
final class MirrorFolder: Sendable {
  let path: String
  let handler: PlayHandler
  /// What compresses well.
  static let script = Array(String(repeating: "let a = 1;\n", count: 500).utf8)

  init(
    _ settings: PlaySettings = PlaySettings(), record: (any MirrorRecord)? = nil,
    catalogue: (any MirrorCatalogue)? = nil, logger: Logger = .silent
  ) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "play-\(UUID())").path
    try Self.write("<h1>old</h1>", "\(path)/games/courier/versions/1.0/index.html")
    try Self.write("<h1>new</h1>", "\(path)/games/courier/versions/1.1/index.html")
    try Self.write("secret", "\(path)/games/secret.txt")
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/games/courier/current", withDestinationPath: "versions/1.1")
    try FileManager.default.createDirectory(atPath: "\(path)/games/empty", withIntermediateDirectories: true)
    handler = try PlayHandler(
      mirrorAt: path, record: record, catalogue: catalogue, settings: settings, logger: logger)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Of the version that is current.
  var folder: String { "\(path)/games/courier/versions/1.1" }

  static func write(_ text: String, _ path: String) throws { try write(Array(text.utf8), path) }

  static func write(_ bytes: [UInt8], _ path: String) throws {
    let folder = URL(filePath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Foundation would bring names into a form of its own.
    let file = try File(path: path, mode: .readWrite)
    let copy = FileHandle(fileDescriptor: file.number, closeOnDealloc: false)
    try copy.truncate(atOffset: 0)
    try copy.write(contentsOf: bytes)
  }

  /// Puts a file into the current version.
  func put(_ text: String, _ name: String) throws { try Self.write(text, "\(folder)/\(name)") }

  func put(_ bytes: [UInt8], _ name: String) throws { try Self.write(bytes, "\(folder)/\(name)") }

  /// Lets `current` of a game point elsewhere.
  func flip(_ game: String = "courier", to target: String) throws {
    let link = "\(path)/games/\(game)/current"
    try? FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
  }

  /// Another game, of one page.
  func install(_ game: String, _ page: String = "<h1>other</h1>") throws {
    try Self.write(page, "\(path)/games/\(game)/versions/1.0/index.html")
    try flip(game, to: "versions/1.0")
  }

  struct Answer {
    let status: Int
    let fields: HTTPFields
    let bytes: [UInt8]
    var body: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// Asked as a browser on this machine does, unless the fields name another host.
  func answer(
    _ target: String, method: String = "GET", _ fields: KeyValuePairs<String, String> = [:],
    body: String = ""
  ) async throws -> Answer {
    let hasHost = fields.contains { $0.key == "Host" }
    var lines = "\(method) \(target) HTTP/1.1\r\n\(hasHost ? "" : "Host: localhost:8081\r\n")"
    for (name, value) in fields { lines += "\(name): \(value)\r\n" }
    if !body.isEmpty { lines += "Content-Length: \(body.utf8.count)\r\n" }
    return try await answer(to: try request(wire: "\(lines)\r\n"), body: body)
  }

  func answer(to request: HTTPRequest, body: String = "") async throws -> Answer {
    let response: HTTPResponse
    switch handler.respond(to: request) {
    case .respond(let now), .repeatable(let now): response = now
    case .later(let work): response = await work(BytesBody(Array(body.utf8)))
    }
    return Answer(
      status: response.status.code, fields: response.fields, bytes: try response.body.content())
  }

  /// Whether the answer comes at once.
  func isReady(_ target: String, _ fields: KeyValuePairs<String, String> = [:]) throws -> Bool {
    var all = "GET \(target) HTTP/1.1\r\nHost: localhost\r\n"
    for (name, value) in fields { all += "\(name): \(value)\r\n" }
    if case .respond = handler.respond(to: try request(wire: "\(all)\r\n")) { return true }
    return false
  }
}
