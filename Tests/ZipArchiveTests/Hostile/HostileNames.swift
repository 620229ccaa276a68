import TestSupport
import ZipArchive

/// Names: where they lead, what they are made of, and where two of them meet.
enum HostileNames {
  static let all =
    encodings + undecided + separators + places + characters + lengths + reserved + meeting + cases
    + conflicts

  private static let encodings: [HostileCase] =
    [
      ("Latin-1", [0xE4, 0x2E, 0x6A, 0x73]), ("an overlong slash", [0x2E, 0x2E, 0xC0, 0xAF, 0x61]),
      ("an overlong NUL", [0x61, 0xC0, 0x80]), ("half a surrogate pair", [0x61, 0xED, 0xA0, 0x80]),
      ("a scalar beyond U+10FFFF", [0xF4, 0x90, 0x80, 0x80]),
      ("a character that is cut", [0x61, 0xE6, 0x97]),
      ("a continuation alone", [0x61, 0x80]), ("0xFF", [0xFF, 0xFE, 0x61, 0]),
    ].map { (what: String, name: [UInt8]) in
      .entry("flagged as UTF-8: " + what, [.nameEncoding], ZipEntry(name, "x")) { $0.flags = 1 << 11 }
    } + [
      .entry("flagged as UTF-8, and another Unicode path", [.nameEncoding], ZipEntry("b", "x")) {
        ($0.flags, $0.extra) = (1 << 11, ExtraField.unicodePath("c", for: $0.name))
        $0.localExtra = $0.extra
      },
      .entry("a Unicode path that is not UTF-8", [.nameEncoding], ZipEntry("b", "x")) {
        $0.extra = ExtraField.unicodePath("c", for: $0.name)
        $0.extra[$0.extra.count - 1] = 0xFF
        $0.localExtra = $0.extra
      },
      .entry("what is no UTF-8 is not read as it", [.nameEncoding], ZipEntry([0xE4, 0x2E, 0x61], "x"))
        .with { $0.namesEncoding = .utf8 },
      .entry("GBK, as which it is read", [.namesEncoding], ZipEntry([0xB1, 0xB3, 0xBE, 0xB0], "x")),
      .entry("an overlong slash, unflagged", [.namesEncoding], ZipEntry([0x61, 0xC0, 0xAF, 0x61], "x")),
      .entry(
        "GBK that leads up", [.namesEncoding, .parentPath], ZipEntry([0x2E, 0x2E, 0x2F, 0xB1, 0xB3], "x")),
      .entry(
        "GBK that leads up with backslashes", [.namesEncoding, .backslash, .parentPath],
        ZipEntry([0xB1, 0xB3, 0xBE, 0xB0, 0x5C, 0x2E, 0x2E, 0x5C, 0xB1, 0xB3], "x")),
    ]

  /// Names that nothing tells the encoding of: it is found, and what they hide is found with it.
  private static let undecided: [HostileCase] = [
    .raw("in GBK", [.namesEncoding], [0xB1, 0xB3, 0xBE, 0xB0], [0xD3, 0xCE, 0xCF, 0xB7]),
    .raw("in Shift_JIS", [.namesEncoding], [0x89, 0x41, 0x96, 0x64], [0x95, 0x5C, 0x8E, 0xA6]),
    .raw(
      "in Big5, a backslash in the first character", [.namesEncoding], [0xA5, 0x5C, 0xAF, 0xE0],
      [0xB9, 0x43, 0xC0, 0xB8]),
    .raw(
      "in GBK, leading up", [.namesEncoding, .parentPath, .backslash],
      [0x2E, 0x2E, 0x5C, 0xB1, 0xB3, 0xBE, 0xB0], [0xD3, 0xCE, 0xCF, 0xB7]),
    .raw(
      "in GBK, the same twice", [.namesEncoding, .duplicate], [0xB1, 0xB3, 0xBE, 0xB0],
      [0xB1, 0xB3, 0xBE, 0xB0]),
    .raw(
      "in GBK, and one that is not", [.namesEncoding, .nameEncoding], [0xB1, 0xB3, 0xBE, 0xB0],
      [0xD3, 0xCE, 0xCF, 0xB7],
      [0xC9, 0xE8, 0xD6, 0xC3], [0xFF, 0xFF, 0x61]),
  ]

  private static let separators: [HostileCase] = [
    .names([.backslash], "img\\a.png"), .names([.backslash], "a\\b\\c.js"), .names([.backslash], "snd\\"),
    .names([.backslash], "a/b\\c"), .names([.dotPrefix], "./a.js"), .names([.dotPrefix], "./a/", "./a/b"),
    .names([.dotPrefix], "./"), .names([.dotPrefix, .backslash], ".\\a"),
  ]

  private static let places: [HostileCase] = [
    .names([.absolutePath], "/etc/passwd"), .names([.absolutePath], "/a"), .names([.absolutePath], "/a/"),
    .names([.absolutePath, .backslash], "\\a"), .names([.absolutePath, .emptyComponent], "//server/share"),
    .names([.absolutePath, .emptyComponent, .backslash], "\\\\server\\share"),
    .names([.absolutePath, .parentPath], "/../a"), .names([.absolutePath, .dotPrefix], ".//a"),
    .names([.absolutePath, .emptyComponent, .reservedName, .backslash], "\\\\?\\C:\\a"),
    .names([.drivePath], "C:/a"), .names([.drivePath, .backslash], "c:\\a"), .names([.drivePath], "z:a"),
    .names([.drivePath], "C:"), .names([.drivePath, .parentPath], "C:/../a"),
    .names([.drivePath, .dotPrefix], "./C:/a"),
    .names([.parentPath], ".."), .names([.parentPath], "../"), .names([.parentPath], "../a"),
    .names([.parentPath], "a/../b"),
    .names([.parentPath], "a/.."), .names([.parentPath], "a/../"), .names([.parentPath], "a/b/../../../c"),
    .names([.parentPath, .backslash], "..\\a"), .names([.parentPath, .backslash], "a\\..\\b"),
    .names([.parentPath, .backslash], "a/..\\b"), .names([.parentPath, .backslash], "a\\.."),
    .names([.parentPath, .dotPrefix], "./../a"), .names([.parentPath, .emptyComponent], "..//a"),
    .names([.parentPath], "../index.html"),
    // A slash with a combining mark behind it is another character to Swift, but not to the system.
    .names([.parentPath], "../\u{301}a"), .names([.parentPath], "a/../\u{301}b"),
    .names([.parentPath], "../\u{301}a/"),
    .names([.parentPath, .backslash], "..\\\u{301}a"), .names([.absolutePath], "/\u{301}a"),
    .names([.emptyComponent], "a//\u{301}b"), .names([.reservedName], "CON.\u{301}txt"),
    .names([.fileDirectoryConflict], "a", "a/\u{301}b"), .names([.duplicate], "a/\u{301}b", "a/\u{301}b"),
    .entry("a Unicode path that leads up", [.parentPath], ZipEntry("b", "x")) {
      $0.extra = ExtraField.unicodePath("../b", for: $0.name)
      $0.localExtra = $0.extra
    },
    .names([.emptyComponent], ""), .names([.emptyComponent], "a//b"), .names([.emptyComponent], "a//"),
    .names([.emptyComponent], "a/./b"), .names([.emptyComponent], "a/."), .names([.emptyComponent], "."),
    .names([.emptyComponent, .dotPrefix], "././a"), .names([.emptyComponent, .backslash], "a\\\\b"),
    .names([.emptyComponent], "a/./"),
  ]

  private static let characters: [HostileCase] = [
    .names([.controlCharacter], "a\u{0}b"), .names([.controlCharacter], "a.html\u{0}.exe"),
    .names([.controlCharacter], "\u{0}"),
    .names([.controlCharacter], "a\nb"), .names([.controlCharacter], "a\r"),
    .names([.controlCharacter], "a\tb"),
    .names([.controlCharacter], "\u{1B}[2Ja"), .names([.controlCharacter], "a\u{7F}"),
    .names([.controlCharacter], "a\u{85}b"),
    .names([.controlCharacter], "a\u{9B}31m"), .names([.controlCharacter], "a/\u{1}/b"),
    .names([.controlCharacter, .parentPath], "../\u{8}a"),
  ]

  private static let lengths: [HostileCase] = [
    .names([.nameTooLong], String(repeating: "a", count: 256)),
    .names([.nameTooLong], String(repeating: "ä", count: 128)),
    .names([.nameTooLong], String(repeating: "日", count: 86)),
    .names([.nameTooLong], "a/" + String(repeating: "b", count: 300) + "/c"),
    .names([.nameTooLong], String(repeating: "abc/", count: 256) + "a"),
    .names([.nameTooLong], String(repeating: "a/", count: 512) + "a"),
    .names([.nameTooLong], String(repeating: "a", count: 65_535)),
    // Composed it is shorter: what counts is the name that would be made.
    .names([.nameTooLong], String(repeating: "o\u{308}", count: 128)),
  ]

  private static let reserved: [HostileCase] =
    [
      "CON", "con.txt", "Aux.js", "a/NUL.tar.gz", "nul/b", "prn.", "COM1", "com9.dat", "LPT1/a", "lpt¹.js",
      "COM².x", "CONIN$", "conout$.txt",
      "aux .txt", "NUL .", "a<b", "a>b", "ab:c", "file.txt:stream", "a|b", "a?", "a*", "a\"b", "a.", "a ",
      "a./b",
      "a /b", "...", ". ", "a/b. ", " ",
    ]
    .map { .names([.reservedName], $0) }

  private static let meeting: [HostileCase] = [
    .names([.duplicate], "a", "a"), .names([.duplicate], "a/", "a/"), .names([.duplicate], "index.html"),
    .names([.duplicate], "e\u{301}", "\u{E9}"), .names([.duplicate], "\u{1112}\u{1161}\u{11AB}", "\u{D55C}"),
    .names([.duplicate, .backslash], "a/b", "a\\b"), .names([.duplicate, .dotPrefix], "a", "./a"),
    .names([.duplicate], "x/K", "x/\u{212A}"), .names([.duplicate], "\u{2126}", "\u{3A9}"),
    .names([.duplicate], "a", "b", "a", "b", "a"),
    .zip(
      "two Unicode paths that are the same", [.duplicate],
      [Sound.index]
        + ["b", "c"].map { name in
          ZipEntry(name, "x").with {
            $0.extra = ExtraField.unicodePath("d", for: $0.name)
            $0.localExtra = $0.extra
          }
        }),
    .zip(
      "the same in a wrapper folder", [.duplicate, .wrapperFolder],
      ["g/index.html", "g/a", "g/a"].map { ZipEntry($0, "x") }),
  ]

  private static let cases: [HostileCase] = [
    .names([.caseCollision], "a", "A"), .names([.caseCollision], "INDEX.HTML"),
    .names([.caseCollision], "ä", "Ä"),
    .names([.caseCollision], "\u{E4}", "A\u{308}"), .names([.caseCollision], "σ", "ς"),
    .names([.caseCollision], "Σ", "ς"),
    .names([.caseCollision], "k", "\u{212A}"), .names([.caseCollision], "\u{17F}", "s"),
    .names([.caseCollision], "å", "\u{212B}"),
    .names([.caseCollision], "ß", "ss"), .names([.caseCollision], "ẞ", "ß"),
    .names([.caseCollision], "straße.js", "STRASSE.js"),
    .names([.caseCollision], "\u{FB01}", "fi"), .names([.caseCollision], "\u{1C4}", "\u{1C5}"),
    .names([.caseCollision], "\u{149}", "\u{2BC}n"),
    .names([.caseCollision], "\u{130}", "i\u{307}"), .names([.caseCollision], "\u{10400}", "\u{10428}"),
    .names([.caseCollision], "Ꭰ", "ꭰ"), .names([.caseCollision], "µ", "μ"),
    .names([.caseCollision], "Img/a", "img/b"),
    .names([.caseCollision], "x/y/Z/a", "x/Y/z/b"), .names([.caseCollision], "a/", "A"),
    .names([.caseCollision], "a", "A/b"),
    .names([.caseCollision], "a/", "A/"), .names([.caseCollision, .backslash], "a/b", "A\\c"),
  ]

  private static let conflicts: [HostileCase] = [
    .names([.fileDirectoryConflict], "a", "a/b"), .names([.fileDirectoryConflict], "a/b", "a"),
    .names([.fileDirectoryConflict], "a", "a/"), .names([.fileDirectoryConflict], "a/", "a"),
    .names([.fileDirectoryConflict], "a/b", "a/b/c/d"), .names([.fileDirectoryConflict], "index.html/a"),
    .names([.fileDirectoryConflict, .backslash], "a", "a\\b"),
    .names([.fileDirectoryConflict, .dotPrefix], "./a", "a/b"),
    .names([.fileDirectoryConflict], "\u{E9}", "e\u{301}/b"),
    .names([.fileDirectoryConflict], "a", "a-", "a b", "a/b"),
    .names([.fileDirectoryConflict, .backslash], "a\\", "a"),
  ]
}
