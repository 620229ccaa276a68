import TestSupport
import Testing
import ZipArchive

/// Zips made by those who mean harm, and by programs that mean well and know no better: each is told by its rules.
@Suite struct HostileZipTests {
  private static let all =
    HostileEnds.all + HostileEntries.all + HostileStreams.all + HostileNames.all + HostilePackages.all

  @Test(arguments: HostileEnds.all) func tellsWhatIsWrongWithTheFile(example: HostileCase) throws {
    try check(example)
  }
  @Test(arguments: HostileEntries.all) func tellsWhereHeadersDisagree(example: HostileCase) throws {
    try check(example)
  }
  @Test(arguments: HostileStreams.all) func tellsWhatContentIsNotAsDeclared(example: HostileCase) throws {
    try check(example)
  }
  @Test(arguments: HostileNames.all) func tellsWhichNamesCannotBe(example: HostileCase) throws {
    try check(example)
  }
  @Test(arguments: HostilePackages.all) func tellsWhatMakesNoPackage(example: HostileCase) throws {
    try check(example)
  }

  /// No error but those expected, all that were expected; and what is accepted after all unpacks.
  private func check(_ example: HostileCase) throws {
    let judged = try judge(example.bytes, example.options)
    let found = Set(judged.findings.map(\.rule))
    let errors = Set(judged.findings.filter { $0.severity == .error }.map(\.rule))
    #expect(found.isSuperset(of: example.rules), "\(judged.findings)")
    #expect(errors.isSubset(of: example.rules), "\(judged.findings)")
    #expect(example.rules.filter { $0.severity == .error }.isSubset(of: errors), "\(judged.findings)")
    guard judged.isAccepted, !found.contains(.encrypted) else { return }
    let files = try judged.unpacked().keys.filter { !$0.hasSuffix("/") }
    #expect(files.sorted() == judged.paths.sorted())
  }

  /// Broken content is broken to Info-ZIP as well, but for folders and empty files, which it does not look at; and what we
  /// only warn of it reads, with a warning at most.
  @Test func agreeWithUnzipOnWhatIsBroken() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.zip"
    for example in Self.all where example.rules.isDisjoint(with: [.encrypted, .noFiles]) {
      let isBroken = !example.rules.isDisjoint(with: [.crcMismatch, .inflateError])
      let isSound = example.rules.allSatisfy { $0.severity != .error } && example.options == .standard
      let isUnseen = ["folder", "no bytes"].contains { example.testDescription.contains($0) }
      guard isBroken && !isUnseen || isSound else { continue }
      _ = try folder.write(example.bytes, as: "a.zip")
      guard let done = try run("unzip", ["-tqq", path]) else { return }
      // 1 is a warning, and 2 one of bytes that belong to nobody.
      let mostOfSound = example.rules.contains(.gap) ? 2 : 1
      #expect(
        isSound ? done.status <= mostOfSound : done.status > 1, "\(example.testDescription): \(done.output)")
    }
  }

  @Test func areThreeHundredAndCoverEveryRuleTwice() {
    #expect(Self.all.count >= 300)
    let names = Dictionary(grouping: Self.all) { Array($0.testDescription.unicodeScalars) }
    #expect(names.values.filter { $0.count > 1 }.map { $0[0].testDescription } == [])
    for rule in Rule.allCases {
      #expect(Self.all.count { $0.rules.contains(rule) } >= 2, "\(rule.rawValue)")
    }
  }

  /// Device names in any case, with any extension, as a file and as a folder, plus every character Windows forbids.
  @Test func tellsEveryReservedName() throws {
    let numbers = (1...9).map(String.init) + ["¹", "²", "³"]
    let devices =
      ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
      + ["COM", "LPT"].flatMap { name in numbers.map { name + $0 } }
    let names =
      devices.flatMap { ["\($0)", "\($0.lowercased()).txt", "x/\($0).a.b", "y\($0)/\($0) .c"] }
      + "<>:\"|?*".map { "file\($0)b" }
    for name in names {
      #expect(try judge([Sound.index, ZipEntry(name, "x")]).errors == ["reserved-name"], "\(name)")
    }
    for name in ["COM0", "COM10", "LPT", "CONS", "NULL", "AUXILIARY.js", "CONIN", "xCON"] {
      #expect(try judge([Sound.index, ZipEntry(name, "x")]).findings == [], "\(name)")
    }
  }
}
