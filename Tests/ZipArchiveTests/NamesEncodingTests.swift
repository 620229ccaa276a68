import TestSupport
import Testing
import ZipArchive

@Suite struct NamesEncodingTests {
  private static let index = ZipEntry("index.html", "x")

  /// As a tool writes it that knows nothing of UTF-8: no bit 11.
  private static func entry(_ name: [UInt8]) -> ZipEntry { ZipEntry(name, "x").with { $0.flags = 0 } }

  private static func told(_ encoding: NamesEncoding) -> PackageOptions {
    var options = PackageOptions.standard
    options.namesEncoding = encoding
    return options
  }

  /// Names of which each alone is told from the four others.
  private static let examples: [(NamesEncoding, [UInt8], String)] = [
    (.gb18030, [0xB1, 0xB3, 0xBE, 0xB0, 0x2E, 0x6A, 0x73], "背景.js"),
    // The second byte of each of these characters may be 0x5C, a backslash.
    (.gb18030, [0xEA, 0x8E, 0xD6, 0x5C, 0x2E, 0x6A, 0x73], "陰謀.js"),
    (.big5, [0xB3, 0x5C, 0xA5, 0x5C, 0xBB, 0x5C, 0x2E, 0x6A, 0x73], "許功蓋.js"),
    (.shiftJIS, [0x95, 0x5C, 0x8E, 0xA6, 0x83, 0x5C, 0x94, 0x5C, 0x2E, 0x6A, 0x73], "表示ソ能.js"),
    (.shiftJIS, [0x94, 0x77, 0x8C, 0x69, 0x2E, 0x6A, 0x73], "背景.js"),
    (.eucKR, [0xB9, 0xE8, 0xB0, 0xE6, 0x2E, 0x6A, 0x73], "배경.js"),
    (.cp437, [0x47, 0x72, 0x94, 0xE1, 0x65, 0x2E, 0x6A, 0x73], "Größe.js"),
  ]

  @Test(arguments: examples) func findsOutHowAnArchiveIsEncoded(
    encoding: NamesEncoding, name: [UInt8], text: String
  ) throws {
    let judged = try judge([Self.index, Self.entry(name)])
    #expect(judged.isAccepted && judged.rules == ["names-encoding"], "\(judged.findings)")
    #expect(judged.plan.namesEncoding == encoding)
    #expect(judged.paths == ["index.html", text])
    #expect(try judged.unpacked().keys.sorted() == ["index.html", text].sorted(), "it is one file")
    let finding = judged.findings.first { $0.rule == .namesEncoding }
    #expect(finding?.severity == .notice && finding?.path == nil)
    #expect(finding?.detail.contains("read as \(encoding.rawValue), such as \(text), which is") == true)
  }

  @Test(arguments: examples) func readsNamesAsItIsTold(
    encoding: NamesEncoding, name: [UInt8], text: String
  ) throws {
    let judged = try judge([Self.index, Self.entry(name)], Self.told(encoding))
    #expect(judged.isAccepted && judged.findings == [])
    #expect(judged.plan.namesEncoding == encoding)
    #expect(judged.paths == ["index.html", text])
  }

  @Test func oneVerdictServesTheWholeArchive() throws {
    // 剑 alone is as good a syllable of Korean: 슛. What stands beside it decides.
    let sword: [UInt8] = [0xBD, 0xA3]
    let others: [[UInt8]] = [[0xB1, 0xB3, 0xBE, 0xB0], [0xCD, 0xBC, 0xC6, 0xAC], [0xD2, 0xF4, 0xD0, 0xA7]]
    let judged = try judge([Self.index, Self.entry(sword)] + others.map(Self.entry))
    #expect(judged.paths == ["index.html", "剑", "背景", "图片", "音效"])
  }

  @Test func namesThatTellTheirEncodingAreNotGuessed() throws {
    let raw: [UInt8] = [0xB1, 0xB3, 0xBE, 0xB0]
    let named = Self.entry(raw).with {
      $0.extra = ExtraField.unicodePath("é.js", for: raw)
      $0.localExtra = $0.extra
    }
    let judged = try judge([
      Self.index, ZipEntry("Größe.js", "x"), named, Self.entry([0xD2, 0xF4, 0xD0, 0xA7]),
    ])
    #expect(judged.paths == ["index.html", "Größe.js", "é.js", "音效"])
    #expect(judged.plan.namesEncoding == .gb18030)
    #expect(judged.isAccepted)
  }

  @Test func namesThatAreAllUTF8AreReadSo() throws {
    // 猫 in GBK is è in UTF-8: only who knows can say so.
    let cat = Self.entry([0xC3, 0xA8])
    let judged = try judge([Self.index, cat])
    #expect(judged.findings == [] && judged.paths == ["index.html", "è"])
    #expect(judged.plan.namesEncoding == .utf8)
    #expect(try judge([Self.index, cat], Self.told(.gb18030)).paths == ["index.html", "猫"])
    // One that is not UTF-8 takes the others with it.
    let both = try judge([Self.index, cat, Self.entry([0xB1, 0xB3, 0xBE, 0xB0])])
    #expect(both.paths == ["index.html", "猫", "背景"])
  }

  @Test(arguments: NamesEncoding.allCases) func namesInASCIINeedNoVerdict(encoding: NamesEncoding) throws {
    #expect(try judge([Self.index]).plan.namesEncoding == .utf8)
    let judged = try judge([Self.index, ZipEntry("a~b#c.js", "x")], Self.told(encoding))
    #expect(judged.findings == [] && judged.paths == ["index.html", "a~b#c.js"])
    #expect(judged.plan.namesEncoding == encoding)
  }

  @Test(arguments: [
    (NamesEncoding.utf8, [0xB1, 0xB3] as [UInt8]), (.gb18030, [0xB1]), (.big5, [0xA4, 0x21]),
    (.shiftJIS, [0x81]), (.eucKR, [0xC7, 0x41]), (.gb18030, [0xFF, 0x41]),
  ])
  func aNameThatDoesNotDecodeAsToldIsRefused(encoding: NamesEncoding, name: [UInt8]) throws {
    let judged = try judge([Self.index, Self.entry(name)], Self.told(encoding))
    #expect(judged.errors == ["name-encoding"])
    let finding = judged.findings.first { $0.rule == .nameEncoding }
    #expect(finding?.path?.hasPrefix("\\x") == true)
    #expect(finding?.detail.contains(encoding.rawValue) == true)
  }

  @Test func aBrokenNameAmongSoundOnesIsTheOnlyOneRefused() throws {
    let sound: [[UInt8]] = [[0xB1, 0xB3, 0xBE, 0xB0], [0xCD, 0xBC, 0xC6, 0xAC], [0xD2, 0xF4, 0xD0, 0xA7]]
    let judged = try judge([Self.index] + sound.map(Self.entry) + [Self.entry([0xD2, 0xF4, 0xD0])])
    #expect(judged.plan.namesEncoding == .gb18030)
    #expect(judged.findings.filter { $0.severity == .error }.map(\.path) == ["\\xd2\\xf4\\xd0"])
  }

  @Test func splitsAtBackslashesAfterDecoding() throws {
    // 图片\陰謀.js as Explorer writes it.
    let name: [UInt8] = [0xCD, 0xBC, 0xC6, 0xAC, 0x5C, 0xEA, 0x8E, 0xD6, 0x5C, 0x2E, 0x6A, 0x73]
    let judged = try judge([Self.index, Self.entry(name)])
    #expect(judged.isAccepted && judged.rules == ["backslash", "names-encoding"])
    #expect(judged.paths == ["index.html", "图片/陰謀.js"])
  }

  @Test func composesWhatItDecoded() throws {
    // e and U+0301, which GB 18030 writes with four bytes.
    let judged = try judge([Self.index, Self.entry([0x65, 0x81, 0x30, 0xBC, 0x37])], Self.told(.gb18030))
    #expect(judged.paths.last.map { Array($0.unicodeScalars) } == ["\u{E9}"])
  }

  @Test func aNameThatDiffersInTheLocalHeaderIsFoundInAnyEncoding() throws {
    let entry = Self.entry([0xB1, 0xB3, 0xBE, 0xB0]).with { $0.localName = [0xB1, 0xB3, 0xBE, 0xB1] }
    #expect(try judge([Self.index, entry]).errors == ["local-central-mismatch"])
  }

  @Test func aUnicodePathInTheLocalHeaderAloneMaySayTheSame() throws {
    let raw: [UInt8] = [0xB1, 0xB3, 0xBE, 0xB0]
    let same = Self.entry(raw).with { $0.localExtra = ExtraField.unicodePath("背景", for: raw) }
    let judged = try judge([Self.index, same])
    #expect(judged.isAccepted && judged.paths == ["index.html", "背景"])
    let other = Self.entry(raw).with { $0.localExtra = ExtraField.unicodePath("前景", for: raw) }
    #expect(try judge([Self.index, other]).errors == ["local-central-mismatch"])
  }

  @Test func aVerdictThatIsToldAgainGivesTheSamePaths() throws {
    for (_, name, _) in Self.examples {
      let first = try judge([Self.index, Self.entry(name)])
      let again = try judge([Self.index, Self.entry(name)], Self.told(first.plan.namesEncoding))
      #expect(first.paths == again.paths)
    }
  }

  @Test func readsCP437AsDOSDid() throws {
    let names = (UInt8(0x80)...0xFF).map { Self.entry([$0, 0x2E, 0x61]) }
    var options = Self.told(.cp437)
    options.limits.entries = 200
    let judged = try judge([Self.index] + names, options)
    let text = judged.paths.dropFirst().compactMap(\.first).map(String.init).joined()
    #expect(
      text == """
        ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
        αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}
        """)
  }

  @Test func big5IsWindowsFirstAndHongKongWhereThatEnds() throws {
    let names: [[UInt8]] = [[0xA1, 0xE3], [0xA1, 0xFE], [0xC6, 0xE7, 0xC6, 0xE8], [0x9D, 0xF2]]
    let judged = try judge([Self.index] + names.map(Self.entry), Self.told(.big5))
    #expect(judged.paths == ["index.html", "～", "／", "ぁあ", "𨋢"])
  }

  @Test(arguments: [
    ("utf-8", NamesEncoding.utf8), ("UTF8", .utf8), ("GBK", .gb18030), ("cp936", .gb18030),
    ("gb2312", .gb18030),
    ("Big5", .big5), ("cp950", .big5), ("SJIS", .shiftJIS), ("Shift_JIS", .shiftJIS), ("cp932", .shiftJIS),
    ("EUC-KR", .eucKR), ("cp949", .eucKR), ("IBM437", .cp437), ("cp437", .cp437),
  ])
  func knowsEncodingsByTheirUsualNames(name: String, encoding: NamesEncoding) {
    #expect(NamesEncoding(name) == encoding)
  }

  @Test(arguments: ["", "utf-16", "latin1", "gb", "cp850", "gb18030 "]) func knowsNoOther(name: String) {
    #expect(NamesEncoding(name) == nil)
  }

  @Test func anyBytesMakeAVerdictAndNoCrash() throws {
    var state: UInt64 = 7
    for _ in 0..<40 {
      let names = (0..<25).map { _ in
        (0..<12).map { _ -> UInt8 in
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return UInt8(truncatingIfNeeded: state >> 33)
        }
      }
      let judged = try judge([Self.index] + names.map(Self.entry))
      #expect(judged.plan.entryCount == 26)
      #expect(judged.rules.contains("names-encoding"))
    }
  }
}
