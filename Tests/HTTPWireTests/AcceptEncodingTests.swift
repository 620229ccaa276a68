import HTTPWire
import TestSupport
import Testing

@Suite struct AcceptEncodingTests {
  @Test(arguments: [
    "gzip", "GZip", "x-gzip", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8, *;q=0.1", "*", "*;q=0.001",
    "gzip;q=1.000",
    "gzip;q=0.001", "gzip ; q=0.5", "gzip;Q=0.5", "deflate,\tgzip", ",,gzip,", "identity;q=0, gzip;q=0.1",
    "gzip, identity",
    "identity;q=0.5, gzip;q=0.5", "gzip;q=1., identity;q=0.5", "br, *", "identity;q=0.2, *;q=0.3",
  ])
  func gzipIsWanted(_ list: String) throws {
    #expect(AcceptEncoding.prefersGzip(try request("GET", "/", ["Accept-Encoding": list])))
  }

  @Test(arguments: [
    "", "identity", "br", "gzip;q=0", "gzip;q=0.000", "*;q=0", "gzip;q=0, *", "x-gzip;q=0, *;q=1",
    "gzip;q=0.5, identity;q=1",
    "*;q=0.5, identity", "gzipx", "xgzip", "gzip gzip", "identity;q=0", "identity;q=0, br",
  ])
  func gzipIsNotWanted(_ list: String) throws {
    #expect(!AcceptEncoding.prefersGzip(try request("GET", "/", ["Accept-Encoding": list])))
  }

  @Test(arguments: [
    "gzip;q=2", "gzip;q=1.001", "gzip;q=0.0001", "gzip;q=", "gzip;q=.5", "gzip;q=0,5", "gzip;q=-1",
    "gzip;q=a", "gzip;level=1",
    "gzip;q=0.5;x=1", "gzip;q = 1", "gzip;",
  ])
  func aWeightNobodyCanReadIsNoConsent(_ list: String) throws {
    #expect(!AcceptEncoding.prefersGzip(try request("GET", "/", ["Accept-Encoding": list])))
  }

  @Test func severalLinesAreOneList() throws {
    let fields: KeyValuePairs = ["Accept-Encoding": "identity;q=0.5", "accept-encoding": "gzip;q=0.4"]
    #expect(!AcceptEncoding.prefersGzip(try request("GET", "/", fields)))
    #expect(
      AcceptEncoding.prefersGzip(
        try request("GET", "/", ["Accept-Encoding": "br", "ACCEPT-ENCODING": "gzip"])))
    #expect(!AcceptEncoding.prefersGzip(try request("GET", "/")))
  }

  @Test(
    arguments: [
      ("gzip, deflate, br, zstd", .brotli), ("gzip, deflate", .gzip), ("br;q=0.5, gzip", .gzip),
      ("*", .brotli),
      ("br;q=0, *", .gzip), ("identity, br;q=0.9", nil), ("identity;q=1, *;q=0", nil), ("", nil),
      ("br;q=2, gzip", .gzip), ("BR", .brotli), ("brotli", nil), ("gzip;q=0.5, identity;q=0.5", .gzip),
    ] as [(String, ContentCoding?)])
  func theHeaviestOfTheCodingsThatAreThereIsSent(_ list: String, _ coding: ContentCoding?) throws {
    let request = try request("GET", "/", ["Accept-Encoding": list])
    #expect(AcceptEncoding.preferred(of: [.brotli, .gzip], for: request) == coding)
    #expect(AcceptEncoding.preferred(of: [], for: request) == nil)
  }

  @Test func whatIsThereInOneCodingAloneNeedsNoPreference() throws {
    let request = try request("GET", "/", ["Accept-Encoding": "identity, gzip;q=0.1, br;q=0"])
    #expect(AcceptEncoding.accepts(.gzip, request))
    #expect(!AcceptEncoding.accepts(.brotli, request))
    #expect(!AcceptEncoding.accepts(.gzip, try TestSupport.request("GET", "/")))
  }
}
