import HTTPWire
import TestSupport
import Testing

@Suite struct PreconditionsTests {
  private static let modified: Int64 = 1_403_716_338  // Wed, 25 Jun 2014 17:12:18 GMT
  private static let same = "Wed, 25 Jun 2014 17:12:18 GMT"
  private static let before = "Wed, 25 Jun 2014 17:12:17 GMT"
  private static let after = "Wed, 25 Jun 2014 17:12:19 GMT"

  private func evaluate(
    _ method: String, _ fields: KeyValuePairs<String, String>, etag: EntityTag? = EntityTag("A"),
    lastModified: Int64? = Self.modified, isDateStrong: Bool = true
  ) throws -> Preconditions.Verdict {
    Preconditions.evaluate(
      try request(method, "/", fields), etag: etag, lastModified: lastModified, isDateStrong: isDateStrong)
  }

  @Test func proceedsWithoutConditions() throws {
    #expect(try evaluate("GET", [:]) == .proceed(rangeAllowed: true))
    #expect(try evaluate("HEAD", [:]) == .proceed(rangeAllowed: false))
    #expect(try evaluate("PUT", [:]) == .proceed(rangeAllowed: false))
  }

  @Test(arguments: [
    ("\"A\"", true), ("W/\"A\"", true), ("*", true), (" * ", true), ("\"B\"", false), ("\"a\"", false),
    ("\"AA\"", false), ("\"\"", false),
    ("\"B\", \"A\"", true), ("\"B\",\"A\"", true), (",, \"B\" ,W/\"A\",", true), ("\"B\" \"A\"", false),
    ("A", false), ("\"A", false),
    (",", false), ("", false), ("w/\"A\"", false), ("\"A\" x", true), ("x, \"A\"", false),
    ("\"B, \"A\"", false), ("*, \"B\"", false),
  ])
  func comparesIfNoneMatchWeakly(_ list: String, _ names: Bool) throws {
    let expected: Preconditions.Verdict = names ? .notModified : .proceed(rangeAllowed: true)
    #expect(try evaluate("GET", ["If-None-Match": list]) == expected)
    let weak = EntityTag("A", isWeak: true)
    #expect(try evaluate("GET", ["If-None-Match": list], etag: weak) == expected)
    #expect(
      try evaluate("PUT", ["If-None-Match": list])
        == (names ? .preconditionFailed : .proceed(rangeAllowed: false)))
  }

  @Test func joinsLinesOfOneList() throws {
    #expect(try evaluate("GET", ["If-None-Match": "\"B\"", "if-none-match": "\"A\""]) == .notModified)
    #expect(try evaluate("GET", ["If-None-Match": "\"A\"", "if-none-match": "\"B\""]) == .notModified)
    #expect(try evaluate("GET", ["If-Match": "\"B\"", "if-match": "\"A\""]) == .proceed(rangeAllowed: true))
  }

  @Test(arguments: [
    ("\"A\"", true), ("*", true), ("\"Z\", \"A\"", true), ("W/\"A\"", false), ("\"B\"", false), ("", false),
    ("A", false),
  ])
  func comparesIfMatchStrongly(_ list: String, _ names: Bool) throws {
    for method in ["GET", "HEAD", "PUT"] {
      let verdict = try evaluate(method, ["If-Match": list])
      #expect(verdict == (names ? .proceed(rangeAllowed: method == "GET") : .preconditionFailed))
    }
    if list != "*" {
      #expect(
        try evaluate("GET", ["If-Match": list], etag: EntityTag("A", isWeak: true)) == .preconditionFailed)
      #expect(try evaluate("GET", ["If-Match": list], etag: nil) == .preconditionFailed)
    }
  }

  @Test func followsTheOrderOfRFC9110() throws {
    // Step 1 before 2: If-Match makes If-Unmodified-Since irrelevant.
    #expect(
      try evaluate("GET", ["If-Match": "\"A\"", "If-Unmodified-Since": Self.before])
        == .proceed(rangeAllowed: true))
    #expect(
      try evaluate("GET", ["If-Match": "\"B\"", "If-Unmodified-Since": Self.after]) == .preconditionFailed)
    // Steps 1 and 2 before 3.
    #expect(try evaluate("GET", ["If-Match": "\"B\"", "If-None-Match": "\"A\""]) == .preconditionFailed)
    #expect(try evaluate("GET", ["If-Match": "\"A\"", "If-None-Match": "\"A\""]) == .notModified)
    #expect(
      try evaluate("GET", ["If-Unmodified-Since": Self.before, "If-None-Match": "\"A\""])
        == .preconditionFailed)
    // Step 3 before 4: If-None-Match makes If-Modified-Since irrelevant.
    #expect(
      try evaluate("GET", ["If-None-Match": "\"B\"", "If-Modified-Since": Self.after])
        == .proceed(rangeAllowed: true))
    #expect(
      try evaluate("GET", ["If-None-Match": "\"A\"", "If-Modified-Since": Self.before]) == .notModified)
    // Step 5 last.
    #expect(
      try evaluate("GET", ["If-None-Match": "\"A\"", "If-Range": "\"A\"", "Range": "bytes=0-1"])
        == .notModified)
  }

  @Test func comparesDates() throws {
    #expect(try evaluate("GET", ["If-Modified-Since": Self.same]) == .notModified)
    #expect(try evaluate("GET", ["If-Modified-Since": Self.after]) == .notModified)
    #expect(try evaluate("GET", ["If-Modified-Since": Self.before]) == .proceed(rangeAllowed: true))
    #expect(try evaluate("PUT", ["If-Modified-Since": Self.same]) == .proceed(rangeAllowed: false))
    #expect(try evaluate("GET", ["If-Unmodified-Since": Self.same]) == .proceed(rangeAllowed: true))
    #expect(try evaluate("GET", ["If-Unmodified-Since": Self.before]) == .preconditionFailed)
    #expect(try evaluate("PUT", ["If-Unmodified-Since": Self.before]) == .preconditionFailed)
    #expect(try evaluate("GET", ["If-Modified-Since": "Wednesday, 25-Jun-14 17:12:18 GMT"]) == .notModified)
    #expect(try evaluate("GET", ["If-Modified-Since": "Wed Jun 25 17:12:18 2014"]) == .notModified)
  }

  @Test func ignoresWhatIsNoDate() throws {
    for field in ["If-Modified-Since", "If-Unmodified-Since"] {
      for value in ["yesterday", "", "0", "Wed, 25 Jun 2014 17:12:18 GMT, Wed, 25 Jun 2014 17:12:18 GMT"] {
        let bad = try request(wire: "GET / HTTP/1.1\r\nHost: a\r\n\(field): \(value)\r\n\r\n")
        let verdict = Preconditions.evaluate(
          bad, etag: EntityTag("A"), lastModified: Self.modified, isDateStrong: true)
        #expect(verdict == .proceed(rangeAllowed: true))
      }
      let twice = try request(
        wire: "GET / HTTP/1.1\r\nHost: a\r\n\(field): \(Self.before)\r\n\(field): \(Self.after)\r\n\r\n")
      let verdict = Preconditions.evaluate(
        twice, etag: EntityTag("A"), lastModified: Self.modified, isDateStrong: true)
      #expect(verdict == .proceed(rangeAllowed: true))
      let undated = try request(wire: "GET / HTTP/1.1\r\nHost: a\r\n\(field): \(Self.before)\r\n\r\n")
      #expect(
        Preconditions.evaluate(undated, etag: EntityTag("A"), lastModified: nil, isDateStrong: true)
          == .proceed(rangeAllowed: true))
    }
  }

  @Test(arguments: [
    ("\"A\"", true), ("\"B\"", false), ("W/\"A\"", false), ("\"A\", \"B\"", false), ("\"A\"x", false),
    ("A", false), ("", false), ("*", false),
    (same, true), (before, false), (after, false), ("Wed Jun 25 17:12:18 2014", true),
  ])
  func allowsRangesByIfRange(_ validator: String, _ isAllowed: Bool) throws {
    let verdict = try evaluate("GET", ["If-Range": validator, "Range": "bytes=0-4"])
    #expect(verdict == .proceed(rangeAllowed: isAllowed))
    // RFC 9110 §13.1.5: without Range it means nothing.
    #expect(try evaluate("GET", ["If-Range": validator]) == .proceed(rangeAllowed: true))
    #expect(
      try evaluate("HEAD", ["If-Range": validator, "Range": "bytes=0-4"]) == .proceed(rangeAllowed: false))
  }

  @Test func allowsNoRangesByDoubtfulIfRange() throws {
    let fields: KeyValuePairs = ["If-Range": "\"A\"", "if-range": "\"A\"", "Range": "bytes=0-4"]
    #expect(try evaluate("GET", fields) == .proceed(rangeAllowed: false))
    let range: KeyValuePairs = ["If-Range": "\"A\"", "Range": "bytes=0-4"]
    #expect(try evaluate("GET", range, etag: EntityTag("A", isWeak: true)) == .proceed(rangeAllowed: false))
    #expect(try evaluate("GET", range, etag: nil) == .proceed(rangeAllowed: false))
    #expect(
      try evaluate("GET", ["If-Range": Self.same, "Range": "bytes=0-4"], lastModified: nil)
        == .proceed(rangeAllowed: false))
    // RFC 9110 §8.8.2.2: what may have changed twice in that second is not named by it.
    #expect(
      try evaluate("GET", ["If-Range": Self.same, "Range": "bytes=0-4"], isDateStrong: false)
        == .proceed(rangeAllowed: false))
    #expect(
      try evaluate("GET", ["If-Range": "\"A\"", "Range": "bytes=0-4"], isDateStrong: false)
        == .proceed(rangeAllowed: true))
    #expect(try evaluate("GET", ["If-Modified-Since": Self.same], isDateStrong: false) == .notModified)
  }

  struct GoCase: Sendable {
    let name: String
    let etag: EntityTag?
    var date: Int64?
    var fields: KeyValuePairs<String, String> = [:]
    let status: Int
  }

  /// The cases of Go's net/http ServeContent over a file of 8 bytes, each for GET and HEAD. For HEAD Go answers ranges
  /// too; RFC 9110 §14.2 defines them for GET only.
  @Test(arguments: [
    GoCase(name: "no_last_modified", etag: nil, status: 200),
    GoCase(name: "with_last_modified", etag: nil, date: modified, status: 200),
    GoCase(
      name: "not_modified_modtime", etag: EntityTag("foo"), date: modified,
      fields: ["If-Modified-Since": same],
      status: 304),
    GoCase(
      name: "not_modified_modtime_with_contenttype", etag: EntityTag("foo"), date: modified,
      fields: ["If-Modified-Since": same], status: 304),
    GoCase(
      name: "not_modified_etag", etag: EntityTag("foo"), fields: ["If-None-Match": "\"foo\""], status: 304),
    GoCase(
      name: "not_modified_etag_no_seek", etag: EntityTag("foo", isWeak: true),
      fields: ["If-None-Match": "\"baz\", W/\"foo\""], status: 304),
    GoCase(
      name: "if_none_match_mismatch", etag: EntityTag("foo"), fields: ["If-None-Match": "\"Foo\""],
      status: 200),
    GoCase(
      name: "if_none_match_malformed", etag: EntityTag("foo"), fields: ["If-None-Match": ","], status: 200),
    GoCase(name: "range_good", etag: EntityTag("A"), fields: ["Range": "bytes=0-4"], status: 206),
    GoCase(
      name: "range_match", etag: EntityTag("A"), fields: ["Range": "bytes=0-4", "If-Range": "\"A\""],
      status: 206),
    GoCase(
      name: "range_match_weak_etag", etag: EntityTag("A", isWeak: true),
      fields: ["Range": "bytes=0-4", "If-Range": "W/\"A\""], status: 200),
    GoCase(name: "range_no_overlap", etag: EntityTag("A"), fields: ["Range": "bytes=10-20"], status: 416),
    GoCase(
      name: "range_no_match", etag: EntityTag("A"), fields: ["Range": "bytes=0-4", "If-Range": "\"B\""],
      status: 200),
    GoCase(
      name: "range_with_modtime", etag: nil, date: modified,
      fields: ["Range": "bytes=0-4", "If-Range": same],
      status: 206),
    GoCase(
      name: "range_with_modtime_mismatch", etag: nil, date: modified,
      fields: ["Range": "bytes=0-4", "If-Range": after], status: 200),
    // There with nanoseconds, which no field has.
    GoCase(
      name: "range_with_modtime_nanos", etag: nil, date: modified,
      fields: ["Range": "bytes=0-4", "If-Range": same], status: 206),
    GoCase(name: "unix_zero_modtime", etag: nil, date: 0, status: 200),
    GoCase(name: "ifmatch_matches", etag: EntityTag("A"), fields: ["If-Match": "\"Z\", \"A\""], status: 200),
    GoCase(name: "ifmatch_star", etag: EntityTag("A"), fields: ["If-Match": "*"], status: 200),
    GoCase(name: "ifmatch_failed", etag: EntityTag("A"), fields: ["If-Match": "\"B\""], status: 412),
    GoCase(
      name: "ifmatch_fails_on_weak_etag", etag: EntityTag("A", isWeak: true), fields: ["If-Match": "W/\"A\""],
      status: 412),
    GoCase(
      name: "if_unmodified_since_true", etag: nil, date: modified, fields: ["If-Unmodified-Since": same],
      status: 200),
    GoCase(
      name: "if_unmodified_since_false", etag: nil, date: modified, fields: ["If-Unmodified-Since": before],
      status: 412),
  ])
  func agreesWithGo(_ go: GoCase) throws {
    for method in ["GET", "HEAD"] {
      let request = try request(method, "/style.css", go.fields)
      let status: Int
      switch Preconditions.evaluate(request, etag: go.etag, lastModified: go.date, isDateStrong: true) {
      case .notModified: status = 304
      case .preconditionFailed: status = 412
      case .proceed(rangeAllowed: false): status = 200
      case .proceed(rangeAllowed: true):
        switch request.rangeSelection(size: 8) {
        case .whole: status = 200
        case .unsatisfiable: status = 416
        case .ranges: status = 206
        }
      }
      let expected = method == "HEAD" && [206, 416].contains(go.status) ? 200 : go.status
      #expect(status == expected, "\(go.name) \(method)")
    }
  }

  @Test func makesOnlyTagsThatCanBeSent() {
    #expect(EntityTag("abc")?.description == "\"abc\"")
    #expect(EntityTag("", isWeak: true)?.description == "W/\"\"")
    for opaque in ["a\"b", "a b", "a\r\n", "\u{7f}"] { #expect(EntityTag(opaque) == nil) }
  }
}
