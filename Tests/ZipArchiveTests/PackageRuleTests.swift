import TestSupport
import Testing
import ZipArchive

private let index = ZipEntry("index.html", "<h1>hello</h1>")

@Suite struct KindRuleTests {
  private func kind(_ mode: Int, host: Int = 3, name: String = "a") -> ZipEntry {
    ZipEntry(name, name.hasSuffix("/") ? "" : "target").with {
      $0.versionMadeBy = host << 8 | 30
      $0.externalAttributes = mode << 16
    }
  }

  @Test func refusesSymlinksWhateverHostWroteThem() throws {
    for host in [0, 3, 19] {
      #expect(try judge([index, kind(0o120777, host: host)]).errors == ["symlink"])
    }
    #expect(try judge([index, kind(0o120777, name: "a/")]).errors == ["symlink"])
  }

  @Test(arguments: [0o020644, 0o060644, 0o010644, 0o140644, 0o104755, 0o102755, 0o4755])
  func refusesSpecialFiles(mode: Int) throws {
    #expect(try judge([index, kind(mode)]).errors == ["special-file"])
  }

  @Test func ignoresOtherPermissions() throws {
    let entries = [
      kind(0o100000, name: "none"), kind(0o100777, name: "all"), kind(0o042755, name: "setgid/"),
      kind(0o101644, name: "sticky"), kind(0x2000, host: 0, name: "ntfs"), kind(0, host: 11, name: "nothing"),
    ]
    #expect(try judge([index] + entries).findings == [])
  }

  @Test func acceptsEncryptedFilesWithANotice() throws {
    let entries = [
      Encrypted.zipCrypto("a"), Encrypted.aes("b", strength: 1), Encrypted.aes("c", strength: 2, method: 8),
      Encrypted.aes("d", version: 1),
    ]
    let judged = try judge([index] + entries)
    #expect(judged.isAccepted && judged.rules == ["encrypted"])
    #expect(judged.findings.map(\.severity) == [.notice, .notice, .notice, .notice])
    #expect(judged.plan.files.map(\.isEncrypted) == [false, true, true, true, true])
    #expect(
      judged.findings.map(\.detail).map { $0.prefix { $0 != ";" } } == [
        "ZipCrypto", "AES-128 (AE-2)", "AES-192 (AE-2)", "AES-256 (AE-1)",
      ])
  }
}

@Suite struct SizeRuleTests {
  private func options(_ change: (inout ZipLimits) -> Void) -> PackageOptions {
    var limits = ZipLimits.standard
    change(&limits)
    return PackageOptions(limits: limits)
  }

  @Test func refusesMoreEntriesThanAllowed() throws {
    let entries = [index, ZipEntry("a", "x"), ZipEntry("b", "x")]
    #expect(try judge(entries, options { $0.entries = 3 }).findings == [])
    #expect(try judge(entries, options { $0.entries = 2 }).errors == ["too-many-entries"])
    #expect(try judge(entries, options { $0.directorySize = 100 }).errors == ["too-many-entries"])
    var builder = ZipBuilder(entries)
    builder.count = 1
    #expect(try judge(builder.build(), options { $0.entries = 2 }).errors == ["too-many-entries"])
  }

  @Test func refusesMoreFoldersThanAllowed() throws {
    let deep = (0..<10).map { ZipEntry("\($0)/" + String(repeating: "a/", count: 99) + "f", "x") }
    #expect(try judge([index] + deep, options { $0.entries = 1000 }).findings == [])
    #expect(try judge([index] + deep, options { $0.entries = 999 }).errors == ["too-many-entries"])
  }

  @Test func refusesSizesBeyondTheLimits() throws {
    let entries = [index, ZipEntry.stored("a", .repeating(1, count: 1000))]
    #expect(try judge(entries, options { $0.entrySize = 999 }).errors == ["entry-too-large"])
    #expect(try judge(entries, options { $0.entrySize = 1000 }).findings == [])
    #expect(try judge(entries, options { $0.unpackedSize = 1013 }).errors == ["unpacked-too-large"])
    #expect(try judge(entries, options { $0.unpackedSize = 1014 }).findings == [])
    let declared = index.with { ($0.isZip64, $0.size) = (true, 5 << 30) }
    #expect(try judge([declared]).errors.isSuperset(of: ["entry-too-large", "ratio"]))
    let many = (0..<3).map { number in
      ZipEntry("\(number)", "x").with { ($0.isZip64, $0.size) = (true, 3 << 30) }
    }
    #expect(try judge([index] + many).errors.contains("unpacked-too-large"))
  }

  @Test func refusesRatiosOfBombs() throws {
    let zeros = ZipEntry("zeros", .repeating(0, count: 2 << 20))
    let noise = ZipEntry.stored(
      "noise", FileContent((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
    #expect(try judge([index, zeros]).findings.filter { $0.rule == .ratio }.map(\.path) == ["zeros", nil])
    #expect(try judge([index, zeros, noise]).findings.filter { $0.rule == .ratio }.map(\.path) == ["zeros"])
    #expect(
      try judge([index, ZipEntry("small", .repeating(0, count: 1 << 20))]).findings.map(\.path) == [nil])
    #expect(try judge([index, ZipEntry("small", .repeating(0, count: 900_000))]).findings == [])
  }

  /// Unpacked, they would be 10 GB and more.
  @Test(.timeLimit(.minutes(5))) func costsABombNothing() throws {
    let bombs = [
      ("full overlap", Bomb.fullOverlap(entries: 1000, kernel: 10 << 20), "overlap"),
      ("quoted overlap", Bomb.quoted(entries: 250, kernel: 2 << 20), "overlap"),
      ("1000:1", ZipBuilder.zip(["index.html": "x", "zeros": .repeating(0, count: 64 << 20)]), "ratio"),
    ]
    for (name, bytes, rule) in bombs {
      let folder = try TemporaryFolder()
      let path = try folder.write(bytes, as: "bomb.zip")
      let judged = try judge(file: path)
      #expect(judged.errors.contains(rule), "\(name)")
      #expect(!judged.contents.isComplete, "\(name)")
    }
  }

  @Test func stopsInflatingAtTheDeclaredSize() throws {
    let bytes = ZipBuilder([
      index, ZipEntry("liar", .repeating(0, count: 32 << 20)).with { $0.size = 10 },
    ]).build()
    let judged = try judge(bytes)
    #expect(judged.errors == ["size-mismatch"])
    #expect(judged.detail(of: .sizeMismatch) == "more bytes come of it than the 10 it declares")
  }
}

@Suite struct ContentRuleTests {
  @Test func dropsJunkAtAnyDepth() throws {
    let junk = [
      "__MACOSX/._a", ".DS_Store", "img/.DS_Store", "Thumbs.db", "img/thumbs.db", "desktop.ini",
      "Desktop.ini",
      ".git/config", "img/.git/HEAD", "img/._b.png", "Icon\r", "__MACOSX/../evil",
    ]
    let judged = try judge([index, ZipEntry("__MACOSX/")] + junk.map { ZipEntry($0, "x") })
    #expect(judged.isAccepted && judged.rules == ["junk"], "\(judged.findings)")
    #expect(judged.paths == ["index.html"])
    #expect(judged.plan.ignored.count == junk.count + 1)
    #expect(judged.plan.ignored.contains { $0.path == "Icon\\u{d}" && $0.reason == "junk" })
    #expect(try judged.unpacked().keys.sorted() == ["index.html"])
  }

  @Test func keepsWhatOnlyLooksLikeJunk() throws {
    let names = ["git/a", "DS_Store", "MACOSX/a", "Thumbs.db.js", "a._b", "Icon", ".gitignore"]
    #expect(try judge([index] + names.map { ZipEntry($0, "x") }).findings == [])
  }

  @Test(arguments: [
    (["game/index.html", "game/a.js"], "game/"),
    (["game/", "game/index.html"], "game/"),
    (["dist/", "dist/game/", "dist/game/index.html", "dist/game/js/a.js"], "dist/game/"),
    (["game/www/index.html", "game/readme.txt"], "game/"),
    (["game/index.html", ".DS_Store", "__MACOSX/game/._a"], "game/"),
    (["game/index.html", "readme.txt"], ""),
    (["game/index.html", "other/"], ""),
    (["index.html", "game/index.html"], ""),
    (["game/a.js", "game/b.js"], ""),
    (["gameA/index.html", "gameB/a.js"], ""),
    (["game/b/index.html", "game/a/"], "game/"),
    (["./game/index.html", "./game/a"], "game/"),
    (["game\\index.html", "game\\a"], "game/"),
  ])
  func takesOffAFolderThatHoldsEverything(names: [String], root: String) throws {
    let judged = try judge(names.map { ZipEntry($0, $0.hasSuffix("/") ? "" : "x") })
    #expect(judged.isAccepted)
    #expect(judged.plan.root == root)
    #expect(judged.rules.contains("wrapper-folder") == !root.isEmpty)
    #expect(judged.paths.allSatisfy { root.isEmpty || !$0.hasPrefix(root) })
    #expect(try judged.unpacked().count >= judged.paths.count)
  }

  @Test func keepsTheWrapperWhenAsked() throws {
    let options = PackageOptions(limits: .standard, keepWrapper: true)
    let judged = try judge([ZipEntry("game/index.html", "x")], options)
    #expect(judged.plan.root == "" && judged.paths == ["game/index.html"] && judged.rules == ["no-index"])
  }

  @Test func believesAGivenRoot() throws {
    let entries = [ZipEntry("game/"), ZipEntry("game/index.html", "x")]
    let given = try judge(entries, PackageOptions(limits: .standard, root: "game/"))
    #expect(given.findings == [] && given.plan.root == "game/" && given.paths == ["index.html"])
    let none = try judge(entries, PackageOptions(limits: .standard, root: ""))
    #expect(none.plan.root == "" && none.paths == ["game/index.html"])
    let other = try judge(entries, PackageOptions(limits: .standard, root: "other/"))
    #expect(other.errors.contains("wrapper-folder"))
  }

  @Test func neverHidesAnUnsoundNameInTheRoot() throws {
    for (name, rule) in [
      ("../x/", "parent-path"), ("/x/", "absolute-path"), ("C:/x/", "drive-path"), ("CON/", "reserved-name"),
    ] {
      #expect(try judge([ZipEntry(name + "index.html", "x")]).errors.contains(rule))
    }
  }

  @Test func wantsAnIndex() throws {
    let judged = try judge([ZipEntry("main.html", "x")])
    #expect(judged.isAccepted && judged.rules == ["no-index"])
    let strict = try judge(
      [ZipEntry("main.html", "x")], PackageOptions(limits: .standard, requireIndex: true))
    #expect(strict.errors == ["no-index"])
    #expect(try judge([ZipEntry("index.html", "")]).errors == ["empty-file"])
    #expect(try judge([ZipEntry.stored("game/index.html", "")]).errors == ["empty-file"])
  }

  @Test func wantsAFile() throws {
    #expect(try judge([ZipEntry]()).errors == ["no-files"])
    #expect(try judge([ZipEntry("a/")]).errors == ["no-files"])
    #expect(try judge([ZipEntry("__MACOSX/._a", "x"), ZipEntry(".DS_Store", "x")]).errors == ["no-files"])
  }

  @Test func tellsAssetsThatAreMissing() throws {
    let page = """
      <!-- <img src="commented.png"> --><link rel=icon href=icon.png><script src='js/missing.js?v=2'></script>
      <script>var html = '<img src="scripted.png">'</script><style>a::after{content:"<img src=x>"}</style>
      <IMG SRC="./img/a%20b.png#x" alt="a > b"><img src = img/m&amp;n.png><a href="http://x/y">x</a><a href="//x/y">y</a>
      <a href="/abs">z</a><a href="#top">t</a><img src="data:image/png;base64,x"><a href="mailto:a@b">m</a><img src="">
      <img src="{{template}}"><a href="sub/">s</a><img src="../up.png"><img src="img/%zz"><video src=broken
      """
    let present = ["js/a.js", "img/a b.png", "icon.png"].map { ZipEntry($0, "x") }
    let judged = try judge([ZipEntry("index.html", FileContent(Array(page.utf8)))] + present)
    #expect(judged.isAccepted && judged.rules == ["missing-asset"])
    #expect(
      judged.findings.map(\.path) == ["broken", "img/m&n.png", "js/missing.js", "sub/index.html", "up.png"])
  }

  @Test func guessesNoAssetsBesideABase() throws {
    let judged = try judge([ZipEntry("index.html", "<base href=\"/x/\"><img src=\"missing.png\">")])
    #expect(judged.findings == [])
  }

  /// A scan that starts anew at each tag takes hours here.
  @Test(.timeLimit(.minutes(10))) func isNotSlowedDownByAPageOfTags() throws {
    for piece in ["<", "<a ", "<!--", "</script", "<script>", "<a href=", "<a b='", "</"] {
      let page = String(repeating: piece, count: (1 << 20) / piece.utf8.count)
      let judged = try judge([.stored("index.html", FileContent(Array(page.utf8)))])
      #expect(judged.isAccepted, "\(piece)")
    }
  }
}
