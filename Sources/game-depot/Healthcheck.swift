import CommandOptions
import HTTPClient
import Platform

/// `healthcheck [URL]`: exit 0 when the server answers 2xx, else 1 with the reason.
enum Healthcheck {
  static func run(_ settings: Settings) async throws -> Int32 {
    let text = settings.arguments.first ?? "http://127.0.0.1:8080"
    var client = HTTPClientSettings.standard
    if text.hasPrefix("unix:") { client.unixSocket = UnixSocketPath(String(text.dropFirst(5)))?.text }
    let address = client.unixSocket == nil ? text : "http://localhost"
    guard let given = WebURL(address), let health = WebURL("\(given.origin)/healthz") else {
      throw UsageError.badValue(source: "URL", value: text, expected: "an http or https URL, or unix:/path")
    }
    let url = given.resolving("/") == given ? health : given
    client.caFile = settings.string("cacert")
    let engine = try TransferEngine(client)
    defer { engine.shutdown() }
    do throws(TransferError) {
      let answer = try await engine.fetch(
        FetchRequest(.get, url, deadline: .seconds(5)), limit: 1 << 16)
      if let failure = answer.failure { throw failure }
      return 0
    } catch {
      Terminal.write("game-depot: \(client.unixSocket == nil ? url.text : text): \(error)\n", to: .error)
      return 1
    }
  }
}
