import TestSupport
import Testing
import ZipArchive

@Suite struct NameRuleTests {
  private static let cases: [(String, Rule)] = [
    ("/etc/passwd", .absolutePath), ("//server/share", .absolutePath), ("\\\\server\\share", .absolutePath),
    ("C:/a", .drivePath), ("c:\\a", .drivePath), ("z:a", .drivePath),
    ("../a", .parentPath), ("a/../b", .parentPath), ("a/..", .parentPath), ("..\\a", .parentPath),
    ("", .emptyComponent), ("a//b", .emptyComponent), ("a/./b", .emptyComponent), ("././a", .emptyComponent),
    ("a/.", .emptyComponent), ("a\u{0}b", .controlCharacter), ("a\nb", .controlCharacter),
    ("a\u{7F}", .controlCharacter), ("a\u{85}b", .controlCharacter),
    (String(repeating: "a", count: 256), .nameTooLong), (String(repeating: "ä", count: 128), .nameTooLong),
    (String(repeating: "abc/", count: 256) + "a", .nameTooLong),
    ("CON", .reservedName), ("con.txt", .reservedName), ("a/NUL.tar.gz", .reservedName),
    ("Com1", .reservedName),
    ("lpt¹.js", .reservedName), ("aux .txt", .reservedName), ("CONIN$", .reservedName),
    ("a<b", .reservedName),
    ("ab:c", .reservedName), ("a|b", .reservedName), ("a?", .reservedName), ("a*", .reservedName),
    ("a\"b", .reservedName), ("a>b", .reservedName), ("a.", .reservedName), ("a ", .reservedName),
    ("a./b", .reservedName), ("a /b", .reservedName), ("...", .reservedName),
  ]

  @Test(arguments: cases) func refuses(name: String, rule: Rule) throws {
    let judged = try judge([ZipEntry("index.html", "x"), ZipEntry(name, "x").with { $0.method = 8 }])
    #expect(judged.errors.contains(rule.rawValue), "\(judged.findings)")
  }

  @Test(arguments: [
    "a", "a/\u{301}b/\u{338}c",
    "a b.txt", ".htaccess", "a..b", "..a", "console.js", "com.js", "com10.js", "nullable.js", "aux-1.js",
    "日本語/ゲーム.png", "ä/ö.js", "👾.png", "a/b/c/d/e", "陰謀.js", "a~1", "[a](b){c}", "a'b", "%2e%2e/a",
    String(repeating: "a", count: 255), String(repeating: "abc/", count: 255) + "abcd",
  ])
  func accepts(name: String) throws {
    let judged = try judge([ZipEntry("index.html", "x"), ZipEntry(name, "x")])
    #expect(judged.findings == [])
    #expect(judged.paths == ["index.html", name])
    #expect(try judged.unpacked()[name] == Array("x".utf8))
  }

  @Test func readsBackslashesAsSeparators() throws {
    let judged = try judge([ZipEntry("index.html", "x"), ZipEntry("img\\a.png", "x"), ZipEntry("snd\\", "")])
    #expect(judged.isAccepted && judged.rules == ["backslash"])
    #expect(judged.paths == ["index.html", "img/a.png"])
    #expect(try judged.unpacked().keys.sorted() == ["img/", "img/a.png", "index.html", "snd/"])
  }

  @Test func leavesOutADotInFront() throws {
    let judged = try judge([ZipEntry("./"), ZipEntry("./index.html", "x"), ZipEntry("./a/b", "x")])
    #expect(judged.isAccepted && judged.rules == ["dot-prefix"])
    #expect(judged.paths == ["index.html", "a/b"])
    #expect(judged.plan.ignored.map(\.path) == ["./"])
  }

  @Test(arguments: [
    (["a", "a"], Rule.duplicate), (["a/", "a/"], .duplicate), (["e\u{301}", "\u{E9}"], .duplicate),
    (["a/b", "a\\b"], .duplicate), (["a", "./a"], .duplicate),
    (["a", "A"], .caseCollision), (["ä", "Ä"], .caseCollision), (["σ", "ς"], .caseCollision),
    (["ss", "ß"], .caseCollision),
    (["Img/a", "img/b"], .caseCollision), (["a/", "A"], .caseCollision), (["x/K", "x/\u{212A}"], .duplicate),
    (["a", "a/b"], .fileDirectoryConflict), (["a/b", "a"], .fileDirectoryConflict),
    (["a", "a/"], .fileDirectoryConflict),
    (["a", "a-", "a/b", "a b"], .fileDirectoryConflict), (["a", "A/b"], .caseCollision),
  ])
  func refusesNamesThatMeet(names: [String], rule: Rule) throws {
    let judged = try judge(
      [ZipEntry("index.html", "x")] + names.map { ZipEntry($0, $0.hasSuffix("/") ? "" : "x") })
    #expect(judged.errors == [rule.rawValue], "\(judged.findings)")
  }

  @Test func keepsNamesThatOnlyResembleEachOther() throws {
    let names = ["a", "a.js", "a-b", "ab/c", "ab/d", "b/a", "ı", "i", "s", "ß"]
    #expect(try judge([ZipEntry("index.html", "x")] + names.map { ZipEntry($0, "x") }).findings == [])
  }

  @Test func normalisesToNFC() throws {
    let judged = try judge([
      ZipEntry("index.html", "x"), ZipEntry("Ko\u{308}ln/\u{1112}\u{1161}\u{11AB}.js", "x"),
    ])
    #expect(Array(judged.paths[1].unicodeScalars) == Array("K\u{F6}ln/\u{D55C}.js".unicodeScalars))
    #expect(judged.isAccepted)
  }

  @Test func believesAUnicodePathWithTheRightCRC() throws {
    let raw = Array("File _.txt".utf8)
    let entry = ZipEntry(raw, "x").with {
      $0.extra = ExtraField.unicodePath("Fileö.txt", for: raw)
      $0.localExtra = $0.extra
    }
    #expect(try judge([ZipEntry("index.html", "x"), entry]).paths == ["index.html", "Fileö.txt"])

    let stale = entry.with {
      $0.extra[5] ^= 1; $0.localExtra = $0.extra
    }
    #expect(try judge([ZipEntry("index.html", "x"), stale]).paths == ["index.html", "File _.txt"])
  }

  @Test func readsUnflaggedUTF8() throws {
    let judged = try judge([ZipEntry("index.html", "x"), ZipEntry("ä.js", "x").with { $0.flags = 0 }])
    #expect(judged.isAccepted && judged.paths == ["index.html", "ä.js"])
  }

  @Test(arguments: [
    ("flagged, not UTF-8", ZipEntry([0xE4, 0x2E, 0x6A, 0x73], "x").with { $0.flags = 1 << 11 }),
    (
      "flagged, and another Unicode path",
      ZipEntry("a", "x").with {
        $0.flags = 1 << 11
        $0.extra = ExtraField.unicodePath("b", for: $0.name)
      }
    ),
    (
      "a Unicode path that is not UTF-8",
      ZipEntry("a", "x").with {
        $0.extra = ExtraField.unicodePath("b", for: $0.name)
        $0.extra[$0.extra.count - 1] = 0xFF
      }
    ),
  ])
  func refusesNamesItCannotRead(what: String, entry: ZipEntry) throws {
    #expect(try judge([ZipEntry("index.html", "x"), entry]).errors.contains("name-encoding"))
  }

  @Test func showsNoControlCharacterInFindings() throws {
    let judged = try judge([ZipEntry("index.html", "x"), ZipEntry("a\u{1B}[31m\u{202E}\r", "x")])
    let text = judged.findings.map(\.description).joined()
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
    #expect(text.contains("a\\u{1b}[31m\\u{202e}\\u{d}"))
  }
}
