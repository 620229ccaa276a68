import TestSupport
import ZipArchive

/// Structure: methods, checksums, sizes, and what deflate makes of the bytes.
enum HostileStreams {
  static let all = methods + checksums + sizes + folders + streams

  private static let methods: [HostileCase] =
    [1, 2, 5, 6, 7, 9, 10, 12, 14, 18, 19, 20, 93, 94, 95, 96, 97, 98, 4711, 0xFFFF].map { method in
      .entry("method \(method)", [.unsupportedMethod]) { $0.method = method }
    } + [
      .entry("AES without its field", [.unsupportedMethod]) { ($0.method, $0.flags) = (99, 1) },
      .entry("AES that is not encrypted", [.unsupportedMethod], Encrypted.aes("b")) { $0.flags = 0 },
      .entry("AES of strength 0", [.unsupportedMethod], Encrypted.aes("b", strength: 0)),
      .entry("AES of strength 4", [.unsupportedMethod], Encrypted.aes("b", strength: 4)),
      .entry("AES version 0", [.unsupportedMethod], Encrypted.aes("b", version: 0)),
      .entry("AES version 3", [.unsupportedMethod], Encrypted.aes("b", version: 3)),
      .entry("AES by another vendor", [.unsupportedMethod], Encrypted.aes("b")) {
        ($0.extra, $0.localExtra) = (Sound.aes(vendor: "EA"), Sound.aes(vendor: "EA"))
      },
      .entry("AES with a field of six bytes", [.unsupportedMethod], Encrypted.aes("b")) {
        $0.extra = Sound.extra(0x9901, le(2, 2) + Array("AE".utf8) + [3, 0])
        $0.localExtra = $0.extra
      },
      .entry("AES with a field of eight bytes", [.unsupportedMethod], Encrypted.aes("b")) {
        $0.extra = Sound.extra(0x9901, le(2, 2) + Array("AE".utf8) + [3] + le(0, 3))
        $0.localExtra = $0.extra
      },
      .entry("AES around LZMA", [.unsupportedMethod], Encrypted.aes("b", method: 14)),
      .entry("AES around AES", [.unsupportedMethod], Encrypted.aes("b", method: 99)),
      .entry("ZipCrypto around bzip2", [.unsupportedMethod], Encrypted.zipCrypto("b")) { $0.method = 12 },
      .entry("strong encryption", [.unsupportedMethod]) { $0.flags = 1 | 1 << 6 },
      .entry("masked headers", [.unsupportedMethod]) { $0.flags = 1 << 13 },
      .entry("patch data", [.unsupportedMethod]) { $0.flags = 1 << 5 },
      .entry("an unknown method of junk", [.unsupportedMethod], .stored(".DS_Store", "x")) { $0.method = 12 },
    ]

  private static let checksums: [HostileCase] = [
    .zip("a wrong CRC of deflated bytes", [.crcMismatch], [Sound.index.with { $0.crc32 ^= 1 }]),
    .entry("a wrong CRC of stored bytes", [.crcMismatch]) { $0.crc32 ^= 1 << 31 },
    .entry("a CRC of no bytes", [.crcMismatch], .stored("b", "")) { $0.crc32 = 1 },
    .entry("a CRC of 0", [.crcMismatch]) { $0.crc32 = 0 },
    .entry("a wrong CRC of junk", [.crcMismatch, .junk], .stored(".DS_Store", "x")) { $0.crc32 ^= 1 },
    .entry("a wrong CRC of a folder", [.crcMismatch], ZipEntry("a/")) { $0.crc32 = 1 },
    .entry("a wrong CRC, the same behind the data", [.crcMismatch]) {
      ($0.descriptor, $0.crc32) = (.withSignature, 1)
    },
    .entry("a stored byte that was changed", [.crcMismatch]) { $0.payload[0] ^= 0x20 },
    .entry("two stored bytes the other way round", [.crcMismatch]) { $0.payload.swapAt(0, 1) },
    .zip(
      "a deflated byte that was changed", [.crcMismatch],
      [.stored("index.html", "hello").deflatedAsStored().with { $0.payload[5] ^= 1 }]),
  ]

  private static let sizes: [HostileCase] = [
    .zip("a byte more than declared", [.sizeMismatch], [Sound.index.with { $0.size -= 1 }]),
    .zip("a byte less than declared", [.sizeMismatch], [Sound.index.with { $0.size += 1 }]),
    .zip("much less than declared", [.sizeMismatch], [Sound.index.with { $0.size = 1 << 16 }]),
    .entry("much more than declared", [.sizeMismatch], ZipEntry("b", .repeating(0, count: 1 << 20))) {
      $0.size = 10
    },
    .entry("bytes where none are declared", [.sizeMismatch], ZipEntry("b", "data")) {
      ($0.size, $0.crc32) = (0, 0)
    },
    .entry("none where bytes are declared", [.sizeMismatch], ZipEntry("b", "data")) {
      ($0.payload, $0.compressedSize) = ([3, 0], 2)
    },
    .entry("stored, of more bytes than there are", [.sizeMismatch]) { $0.size += 1 },
    .entry("stored, of fewer bytes than there are", [.sizeMismatch]) { $0.size -= 1 },
    .entry("stored, of 2^32 more", [.sizeMismatch, .entryTooLarge, .ratio]) {
      ($0.isZip64, $0.size) = (true, 6 + 1 << 32)
    },
    .zip("zeros behind the deflate stream", [.sizeMismatch], [Sound.index.with { $0.behind([0, 0]) }]),
    .zip(
      "an entry behind the deflate stream", [.sizeMismatch],
      [Sound.index.with { $0.behind(Sound.record(Sound.other)) }]),
    .zip(
      "a second deflate stream behind the first", [.sizeMismatch],
      [Sound.index.with { $0.behind($0.payload) }]),
    .zip(
      "a megabyte behind the deflate stream", [.sizeMismatch],
      [Sound.index.with { $0.behind([UInt8](repeating: 9, count: 1 << 20)) }]),
    .entry("bytes behind the empty stream of an empty file", [.sizeMismatch], ZipEntry("b", "")) {
      $0.behind([1])
    },
    .entry("ZipCrypto without its header", [.sizeMismatch]) { $0.flags = 1 },
    .entry("ZipCrypto cut in its header", [.sizeMismatch], Encrypted.zipCrypto("b")) {
      ($0.method, $0.payload, $0.compressedSize) = (8, Array($0.payload.prefix(11)), 11)
    },
    .entry("AES too short for salt and code", [.sizeMismatch], Encrypted.aes("b", method: 8)) {
      ($0.payload, $0.compressedSize) = ([1], 1)
    },
    .entry("AES a byte too long", [.sizeMismatch], Encrypted.aes("b")) {
      ($0.payload, $0.compressedSize) = ($0.payload + [1], $0.compressedSize + 1)
    },
  ]

  private static let folders: [HostileCase] = [
    .entry("a folder with data", [.directoryData], ZipEntry("a/", "data")),
    .entry("a folder with deflated data", [.directoryData], ZipEntry("x", "data")) {
      $0.name = Array("a/".utf8)
    },
    .entry("a folder deep down with data", [.directoryData], ZipEntry("a/b/c/", "data")),
    .entry("a folder with data and a descriptor", [.directoryData], ZipEntry("a/", "data")) {
      $0.descriptor = .withSignature
    },
    .entry("a folder by a backslash, with data", [.directoryData, .backslash], ZipEntry("x", "data")) {
      $0.name = Array("a\\".utf8)
    },
    .entry("a folder of junk with data", [.directoryData, .junk], ZipEntry("__MACOSX/", "data")),
    .entry("the folder ./ with data", [.directoryData, .dotPrefix], ZipEntry("./", "data")),
    .entry("a folder that declares data it does not have", [.directoryData, .sizeMismatch], ZipEntry("a/")) {
      $0.size = 4
    },
  ]

  private static let streams: [HostileCase] =
    [
      ("a block of the reserved type", [7, 0]),
      ("a stored block whose lengths do not fit", [1, 5, 0, 0, 0, 1, 2, 3, 4, 5]),
      ("a distance to before the start", [3, 2, 0, 0]),
      ("more codes than there can be", [0xFD] + [UInt8](repeating: 0xFF, count: 20)),
      ("codes of lengths that do not fit", [0x05, 0xC0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
      ("zlib around it", [0x78, 0x9C] + Sound.index.payload),
      ("gzip around it", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + Sound.index.payload),
      ("no last block", [0, 5, 0, 0xFA, 0xFF] + Array("hello".utf8)),
      ("nothing", []),
      ("the plain bytes", Array("<h1>hello hello hello</h1>".utf8)),
      ("bytes of all ones", [UInt8](repeating: 0xFF, count: 30)),
      ("a stream without its last three bytes", Array(Sound.index.payload.dropLast(3))),
      ("a stream without its first byte", Array(Sound.index.payload.dropFirst())),
    ].map { (name: String, payload: [UInt8]) in
      .zip(
        "deflated: " + name, [.inflateError],
        [Sound.index.with { ($0.payload, $0.compressedSize) = (payload, payload.count) }])
    } + [
      .entry("junk that does not inflate", [.inflateError, .junk], ZipEntry("__MACOSX/._a", "hello")) {
        $0.payload[0] = 7
      },
      .entry("a folder that does not inflate", [.inflateError], ZipEntry("a/")) {
        ($0.method, $0.payload, $0.compressedSize) = (8, [7, 0], 2)
      },
    ]
}

extension ZipEntry {
  /// More compressed bytes than the stream needs, honestly counted.
  fileprivate mutating func behind(_ bytes: [UInt8]) {
    payload += bytes
    compressedSize += bytes.count
  }

  /// Its bytes in one stored block (RFC 1951 §3.2.4), for content that can be changed without breaking the stream.
  fileprivate func deflatedAsStored() -> ZipEntry {
    with {
      $0.payload = [1] + le(payload.count, 2) + le(~payload.count, 2) + payload
      ($0.method, $0.compressedSize) = (8, $0.payload.count)
    }
  }
}
