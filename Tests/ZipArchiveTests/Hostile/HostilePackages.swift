import TestSupport
import ZipArchive

/// Kinds, sizes and content: what is no file, what is too much, and what makes no game.
enum HostilePackages {
  static let all = kinds + encrypted + sizes + junk + wrappers + content

  private static func kind(_ mode: Int, host: Int = 3, _ name: String = "b") -> ZipEntry {
    ZipEntry.stored(name, name.utf8.last == UInt8(ascii: "/") ? "" : "target").with {
      ($0.versionMadeBy, $0.externalAttributes) = (host << 8 | 30, mode << 16)
    }
  }

  private static let kinds: [HostileCase] = [
    .entry("a symlink", [.symlink], kind(0o120777)),
    .entry("a symlink by DOS", [.symlink], kind(0o120777, host: 0)),
    .entry("a symlink by macOS", [.symlink], kind(0o120755, host: 19)),
    .entry("a symlink by NTFS", [.symlink], kind(0o120777, host: 10)),
    .entry("a symlink by the name of a folder", [.symlink], kind(0o120777, "b/")),
    .entry("a symlink that leads up", [.symlink], kind(0o120777)) { $0 = $0.holding("../../etc/passwd") },
    .zip(
      "a symlink to a folder, and a file through it", [.symlink, .fileDirectoryConflict],
      [
        Sound.index, kind(0o120777, "b").holding("/tmp"), ZipEntry("b/evil", "x"),
      ]),
    .entry("a symlink without a target", [.symlink], kind(0o120777)) { $0 = $0.holding("") },
    .zip("the index as a symlink", [.symlink], [kind(0o120777, "index.html")]),
    .entry("a character device", [.specialFile], kind(0o020644)),
    .entry("a block device", [.specialFile], kind(0o060644)),
    .entry("a named pipe", [.specialFile], kind(0o010644)),
    .entry("a socket", [.specialFile], kind(0o140644)),
    .entry("a pipe by the name of a folder", [.specialFile], kind(0o010644, "b/")),
    .entry("a device by macOS", [.specialFile], kind(0o020644, host: 19)),
    .entry("a file with set-uid", [.specialFile], kind(0o104755)),
    .entry("a file with set-gid", [.specialFile], kind(0o102755)),
    .entry("a file with both", [.specialFile], kind(0o106755)),
    .entry("set-uid without a type", [.specialFile], kind(0o4755)),
  ]

  private static let encrypted: [HostileCase] = [
    .entry("ZipCrypto", [.encrypted], Encrypted.zipCrypto("b")),
    .entry("AES-128", [.encrypted], Encrypted.aes("b", strength: 1)),
    .entry("AES-192", [.encrypted], Encrypted.aes("b", strength: 2)),
    .entry("AES-256", [.encrypted], Encrypted.aes("b")),
    .entry("AES-256 by AE-1", [.encrypted], Encrypted.aes("b", version: 1)),
    .entry("AES around deflate", [.encrypted], Encrypted.aes("b", method: 8)),
  ]

  private static let sizes: [HostileCase] = [
    .zip("an entry more than allowed", [.tooManyEntries], Sound.entries).limited { $0.entries = 1 },
    .zip("a folder more than allowed", [.tooManyEntries], [Sound.index, ZipEntry("a/")]).limited {
      $0.entries = 1
    },
    .zip("more entries than announced and allowed", [.tooManyEntries], Sound.entries) { $0.count = 1 }.limited
    { $0.entries = 1 },
    .zip("more folders implied than allowed", [.tooManyEntries], [Sound.index, ZipEntry("a/b/c/d/e", "x")])
      .limited { $0.entries = 3 },
    .zip("a directory larger than allowed", [.tooManyEntries], Sound.entries).limited {
      $0.directorySize = 50
    },
    .zip("100,001 entries announced", [.tooManyEntries], Sound.entries) {
      ($0.zip64End, $0.zip64Count) = (true, 100_001)
    },
    .zip("2^64 - 1 entries announced", [.tooManyEntries], Sound.entries) {
      ($0.zip64End, $0.zip64Count) = (true, -1)
    },
    .zip("more bytes in all than allowed", [.unpackedTooLarge], Sound.entries).limited {
      $0.unpackedSize = 31
    },
    .entry("more junk than allowed", [.unpackedTooLarge], .stored(".DS_Store", "stored")).limited {
      $0.unpackedSize = 31
    },
    .zip(
      "three entries that declare 3 GiB", [.unpackedTooLarge, .ratio],
      (1...3).map { number in
        ZipEntry("\(number)", "x").with { ($0.isZip64, $0.size) = (true, 3 << 30) }
      }),
    .entry("an entry larger than allowed", [.entryTooLarge]).limited { $0.entrySize = 5 },
    .entry("4 GiB and a byte declared", [.entryTooLarge, .ratio], ZipEntry("b", "x")) {
      ($0.isZip64, $0.size) = (true, 4 << 30 + 1)
    },
    .entry("2^46 bytes declared", [.entryTooLarge, .unpackedTooLarge, .ratio], ZipEntry("b", "x")) {
      ($0.isZip64, $0.size) = (true, 1 << 46)
    },
    .entry("an entry of 1,000:1", [.ratio], ZipEntry("zeros", .repeating(0, count: 2 << 20))),
    .entry("4 GiB declared", [.ratio], ZipEntry("b", "x")) { ($0.isZip64, $0.size) = (true, 4 << 30) },
    .entry("bytes of nothing", [.ratio], ZipEntry("b", "x")) {
      ($0.size, $0.payload, $0.compressedSize) = (2 << 20, [], 0)
    },
    .zip(
      "a package of 200:1", [.ratio],
      [Sound.index] + (1...3).map { ZipEntry("\($0)", .repeating(0, count: 500_000)) }),
    .entry("junk of 1,000:1", [.ratio, .junk], ZipEntry("__MACOSX/._a", .repeating(0, count: 2 << 20))),
    .bytes("quoted overlap of 100", [.overlap, .ratio], Bomb.quoted(entries: 100)),
    .bytes(
      "full overlap of 1,000", [.overlap, .localCentralMismatch, .ratio],
      Bomb.fullOverlap(entries: 1000, kernel: 100_000)),
  ]

  private static let junk: [HostileCase] = [
    .names([.junk], "__MACOSX/", "__MACOSX/._index.html"), .names([.junk], ".DS_Store", "a/.DS_Store"),
    .names([.junk], "Thumbs.db"),
    .names([.junk], "a/DESKTOP.INI"), .names([.junk], ".git/config", ".git/hooks/post-checkout"),
    .names([.junk], "a/.git/HEAD"),
    .names([.junk], "._index.html"), .names([.junk], "Icon\r"), .names([.junk], "__MACOSX/../../evil"),
    .names([.junk], "__MACOSX/CON"),
    .entry("a symlink in junk", [.junk], kind(0o120777, "__MACOSX/._a")),
    .names([.junk, .backslash], "__MACOSX\\._a"), .names([.junk, .dotPrefix], "./.DS_Store"),
  ]

  private static let wrappers: [HostileCase] = [
    .zip("a folder around all", [.wrapperFolder], [ZipEntry("g/index.html", "x"), ZipEntry("g/a", "x")]),
    .zip(
      "folders around all", [.wrapperFolder],
      [ZipEntry("a/"), ZipEntry("a/b/"), ZipEntry("a/b/index.html", "x")]),
    .zip(
      "a folder around all but junk", [.wrapperFolder, .junk],
      [ZipEntry("g/index.html", "x"), ZipEntry(".DS_Store", "x")]),
    .zip(
      "not below the folder that was named", [.wrapperFolder],
      [ZipEntry("g/index.html", "x"), ZipEntry("a", "x")]
    )
    .with { $0.root = "g/" },
    .zip("a wrapper that leads up", [.parentPath], [ZipEntry("../index.html", "x"), ZipEntry("../a", "x")]),
    .zip(
      "a wrapper in a wrapper that leads up", [.parentPath, .wrapperFolder],
      [ZipEntry("a/../index.html", "x")]),
    .zip("a wrapper that is absolute", [.absolutePath], [ZipEntry("/g/index.html", "x")]),
    .zip("a wrapper that is a drive", [.drivePath], [ZipEntry("C:/index.html", "x")]),
    .zip("a wrapper that is a device", [.reservedName], [ZipEntry("AUX/index.html", "x")]),
    .zip(
      "a wrapper in two cases", [.caseCollision, .noIndex],
      [ZipEntry("Game/index.html", "x"), ZipEntry("game/a.js", "x")]),
  ]

  private static let content: [HostileCase] = [
    .zip("no index", [.noIndex], [ZipEntry("main.html", "x")]),
    .zip("an index deep down", [.noIndex], [ZipEntry("a/index.html", "x"), ZipEntry("b", "x")]),
    .zip("an index of another case", [.noIndex], [ZipEntry("Index.html", "x")]),
    .zip("an index that is a folder", [.noIndex], [ZipEntry("index.html/"), ZipEntry("a", "x")]),
    .zip("an index in junk", [.noIndex, .junk], [ZipEntry("__MACOSX/index.html", "x"), ZipEntry("a", "x")]),
    .zip(
      "a script that is missing", [.missingAsset], [ZipEntry("index.html", "<script src=js/a.js></script>")]),
    .zip(
      "an image of another case", [.missingAsset],
      [ZipEntry("index.html", "<img src=\"A.png\">"), ZipEntry("a.png", "x")]),
    .zip(
      "an image that was junk", [.missingAsset, .junk],
      [ZipEntry("index.html", "<img src=\"._a.png\">"), ZipEntry("._a.png", "x")]),
    .zip("an image above the top", [.missingAsset], [ZipEntry("index.html", "<img src=../../a.png>")]),
    .zip("an empty index", [.emptyFile], [.stored("index.html", "")]),
    .zip("an empty index, deflated", [.emptyFile], [ZipEntry("index.html", "")]),
    .zip("an empty index in a wrapper folder", [.emptyFile, .wrapperFolder], [.stored("g/index.html", "")]),
    .zip("nothing", [.noFiles], []), .zip("a folder alone", [.noFiles], [ZipEntry("a/")]),
    .zip("junk alone", [.noFiles, .junk], [ZipEntry(".DS_Store", "x")]),
    .zip("the folder ./ alone", [.noFiles, .dotPrefix], [ZipEntry("./")]),
    .zip("zip64 of nothing", [.noFiles], []) { $0.zip64End = true },
  ]
}

extension ZipEntry {
  fileprivate func holding(_ content: FileContent) -> ZipEntry {
    with {
      ($0.payload, $0.size, $0.compressedSize) = (content.bytes, content.bytes.count, content.bytes.count)
      $0.crc32 = CRC32.value(of: content.bytes)
    }
  }
}
