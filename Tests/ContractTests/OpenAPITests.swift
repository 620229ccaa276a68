import Foundation
import TestSupport
import Testing

/// openapi.yaml beside what the server does.
@Suite struct OpenAPITests {
  static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Path templates with the methods the file gives them. Read by indentation: two spaces a level.
  static func routes() throws -> [String: Set<String>] {
    let text = try String(contentsOf: repository.appending(path: "openapi.yaml"), encoding: .utf8)
    var routes: [String: Set<String>] = [:]
    var isInPaths = false
    var path: String?
    for line in text.split(separator: "\n") {
      if !line.hasPrefix(" ") && !line.hasPrefix("#") { isInPaths = line.hasPrefix("paths:") }
      guard isInPaths else { continue }
      if line.hasPrefix("  /"), line.hasSuffix(":") {
        path = String(line.dropFirst(2).dropLast())
      } else if let path, line.hasPrefix("    "), !line.hasPrefix("     "),
        let colon = line.firstIndex(of: ":")
      {
        let method = String(line[..<colon]).trimmingCharacters(in: .whitespaces)
        if ["get", "head", "post", "put", "patch", "delete", "options"].contains(method) {
          routes[path, default: []].insert(method.uppercased())
        }
      }
    }
    return routes
  }

  @Test func everyRouteOfTheFileExistsWithItsMethodsAndNoOthers() async throws {
    let routes = try Self.routes()
    #expect(routes.count >= 13)
    try await withLiveDepot { live in
      for (template, methods) in routes {
        let target = template.replacing("{id}", with: "courier").replacing("{gameId}", with: "courier")
          .replacing("{version}", with: "1.0").replacing("{v}", with: "1.0").replacing(
            "{h5Version}", with: "1.0"
          )
          .replacing("{name}", with: "stable").replacing("{channel}", with: "stable")
          .replacing("{upload}", with: String(repeating: "0", count: 32))
          .replacing("{from}", with: String(repeating: "0", count: 64))
        #expect(!target.contains("{"), "\(template)")
        let answer = try live.exchange("OPTIONS \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        let allowed = Set(
          (answer["Allow"] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        #expect(allowed == methods.union(["OPTIONS"]), "\(template)")
      }
    }
  }

  @Test func everyProblemOfTheREADMEIsInTheFile() throws {
    let readme = try String(contentsOf: Self.repository.appending(path: "README.md"), encoding: .utf8)
    let file = try String(contentsOf: Self.repository.appending(path: "openapi.yaml"), encoding: .utf8)
    // Other tables have rows that look alike.
    let section = readme.split(separator: "\n## ").first { $0.hasPrefix("Errors\n") } ?? ""
    let slugs = section.split(separator: "\n").compactMap { line in
      line.hasPrefix("| `") ? line.dropFirst(3).prefix { $0 != "`" } : nil
    }.filter { $0.contains("-") || ["unauthorized", "forbidden", "internal", "unavailable"].contains($0) }
    #expect(slugs.count > 20)
    for slug in slugs { #expect(file.contains("urn:game-depot:problem:\(slug)"), "\(slug)") }
  }
}
