import TestSupport
import Testing

/// `Content-Encoding` as a client on a socket meets it.
@Suite struct CodingTests {
  @Test func everyAnswerOverAKibibyteComesInBothForms() async throws {
    try await withLiveDepot { live in
      let zip = ZipBuilder((0..<40).map { ZipEntry("levels/\($0).json", "[\($0)]") }).build()
      let notes = String(repeating: "n", count: 1200)
      let upload = Wire.upload("gameId=a&h5Version=1&notes=\(notes)", length: zip.count)
      #expect(try live.exchange(upload, body: zip).status == 201)
      let client = try live.client()
      for target in [
        "/games", "/games/a", "/games/a/versions", "/games/a/check?h5Version=0", "/games/a/manifest",
      ] {
        try client.send(Wire.get(target))
        let plain = try client.response()
        try client.send(Wire.get(target, "Accept-Encoding: br, gzip;q=0.5\r\n"))
        let small = try client.response()
        #expect(plain["Content-Encoding"] == nil && small["Content-Encoding"] == "gzip")
        #expect(plain.body.count > 1024 && small.body.count < plain.body.count)
        #expect(small.body.prefix(3) == [0x1f, 0x8b, 8])
        #expect(plain["Vary"] == "Accept-Encoding" && small["Vary"] == "Accept-Encoding")
        let tag = try #require(small["ETag"])
        try client.send(Wire.get(target, "Accept-Encoding: gzip\r\nIf-None-Match: \(tag)\r\n"))
        let unchanged = try client.response()
        #expect(unchanged.status == 304)
        #expect(unchanged["Vary"] == "Accept-Encoding" && unchanged["ETag"] == tag)
        try client.send(Wire.get(target, "If-None-Match: \(tag)\r\n"))
        #expect(try client.response().body == plain.body, "the tag is the other form's")
        for (answer, fields) in [(plain, ""), (small, "Accept-Encoding: gzip\r\n")] {
          try client.send(Wire.get(target, fields).replacing("GET", with: "HEAD"))
          let head = try client.response(toHead: true)
          for name in ["Content-Length", "Content-Encoding", "ETag", "Vary", "Content-Type"] {
            #expect(head[name] == answer[name])
          }
        }
      }
    }
  }

  @Test func aBatchCheckComesInBothForms() async throws {
    try await withLiveDepot { live in
      let zip = ZipBuilder.zip(["index.html": "x"])
      let notes = String(repeating: "n", count: 1200)
      let upload = Wire.upload("gameId=a&h5Version=1&notes=\(notes)", length: zip.count)
      #expect(try live.exchange(upload, body: zip).status == 201)
      let question = #"{"installed":[{"gameId":"a","h5Version":"0"}]}"#
      let plain = try live.exchange(Wire.json("POST", "/games/check", question, token: nil))
      let wire = Wire.json("POST", "/games/check", question, token: nil)
        .replacing("Host: depot.test\r\n", with: "Host: depot.test\r\nAccept-Encoding: gzip\r\n")
      let small = try live.exchange(wire)
      #expect(plain.status == 200 && small.status == 200)
      #expect(plain["Content-Encoding"] == nil && small["Content-Encoding"] == "gzip")
      #expect(small.body.count < plain.body.count)
      #expect(plain["Vary"] == "Accept-Encoding" && small["Vary"] == "Accept-Encoding")
      #expect(plain["ETag"] == nil && small["ETag"] == nil)
    }
  }
}
