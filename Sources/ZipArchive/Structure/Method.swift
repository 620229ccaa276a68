/// Compression methods (APPNOTE 4.4.5).
enum Method {
  static let stored: UInt16 = 0
  static let deflate: UInt16 = 8
  static let aes: UInt16 = 99

  /// As people call it.
  static func name(_ method: UInt16) -> String {
    let names: [UInt16: String] = [
      0: "stored", 1: "shrink", 2: "reduce 1", 3: "reduce 2", 4: "reduce 3", 5: "reduce 4", 6: "implode",
      8: "deflate",
      9: "deflate64", 10: "DCL implode", 12: "bzip2", 14: "LZMA", 16: "CMPSC", 18: "TERSE", 19: "LZ77",
      20: "zstd",
      93: "zstd", 94: "MP3", 95: "xz", 96: "JPEG", 97: "WavPack", 98: "PPMd", 99: "AES",
    ]
    return names[method].map { "\($0) (method \(method))" } ?? "method \(method)"
  }
}

/// Bits of the general purpose flags (APPNOTE 4.4.4) that say the data are something else than their method tells.
enum Flag {
  static let patchData: UInt16 = 1 << 5
  static let strongEncryption: UInt16 = 1 << 6
  static let maskedHeaders: UInt16 = 1 << 13
}
