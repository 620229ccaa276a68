import HTTPWire
import TestSupport
import Testing

@Suite struct MediaTypeTests {
  @Test func readsTypeAndParameters() throws {
    let type = try #require(MediaType("Application/Problem+JSON ; Charset=UTF-8;x=\"a\\\"b;c\"; ;"))
    #expect(type.essence == "application/problem+json")
    #expect(type.isType("application/Problem+json"))
    #expect(type.parameters == ["charset": "UTF-8", "x": "a\"b;c"])
    #expect(try #require(MediaType("application/zip")).parameters.isEmpty)
  }

  @Test(arguments: [
    "", "zip", "/zip", "application/", "application /zip", "a/b c", "a/b;c", "a/b;c=", "a/b;c=\"d", "a/b;=d",
    "a/b;c=d;C=e", "a/b,c/d",
    "a/b;c = d", "a/b;c=\"d\"e",
  ])
  func refusesEverythingElse(_ value: String) { #expect(MediaType(value) == nil) }

  @Test func standsInARequest() throws {
    #expect(
      try request("POST", "/", ["Content-Type": "application/zip"]).contentType?.essence == "application/zip")
    #expect(try request("POST", "/").contentType == nil)
    #expect(try request("POST", "/", ["Content-Type": "a/b", "content-type": "a/b"]).contentType == nil)
  }
}

@Suite struct AuthorizationTests {
  @Test(arguments: ["abc", "AZaz09-._~+/", "abc=", "abc=="])
  func readsBearerTokens(_ token: String) throws {
    #expect(try request("GET", "/", ["Authorization": "Bearer \(token)"]).authorization == .bearer(token))
    #expect(try request("GET", "/", ["authorization": "bEARER   \(token)"]).authorization == .bearer(token))
  }

  @Test(arguments: [
    "", "Bearer", "Bearer ", "Bearerabc", "Basic abc", "Bearer a b", "Bearer =", "Bearer a=b", "Bearer a,b",
    "Bearer \"a\"",
    "Bearer\tabc", "Bearer ä", "Token abc",
  ])
  func tellsUnreadableOnes(_ value: String) throws {
    #expect(try request("GET", "/", ["Authorization": value]).authorization == .unreadable)
  }

  @Test func tellsAbsentAndRepeatedOnes() throws {
    #expect(try request("GET", "/").authorization == .absent)
    let twice: KeyValuePairs = ["Authorization": "Bearer a", "authorization": "Bearer a"]
    #expect(try request("GET", "/", twice).authorization == .unreadable)
  }
}
