/// What a supervisor asks: is the process alive, and can it do its work.
package enum Health {
  private struct Status: Encodable {
    let status: String
  }

  /// Yes.
  package static func fine() throws(Problem) -> Answer {
    try Answer(json: Status(status: "ok"), cacheControl: "no-cache", varies: false)
  }
}
