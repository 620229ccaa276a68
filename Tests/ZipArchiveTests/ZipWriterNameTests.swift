import Platform
import Testing

@testable import ZipArchive

/// Names that our own reader would refuse, clean or drop are refused when they are added, by the rule's name.
@Suite struct ZipWriterNameTests {
  private let bench: WriterBench

  init() throws { bench = try WriterBench() }

  private func refusal(of name: String, after others: [String] = [], isFolder: Bool = false) throws
    -> Finding?
  {
    let zip = try ZipWriter(creating: "a.zip", in: bench.directory, options: ZipWriterOptions())
    for other in others {
      if other.hasSuffix("/") {
        try zip.addFolder(String(other.dropLast()))
      } else {
        try zip.add(data: [1], as: other)
      }
    }
    do throws(ZipWriteError) {
      if isFolder { try zip.addFolder(name) } else { try zip.add(data: [1], as: name) }
    } catch {
      guard case .refusedName(let finding) = error else { throw error }
      // The archive goes on without it.
      try zip.add(data: [1], as: "still")
      try zip.finish()
      #expect(try bench.judged("a.zip").isAccepted)
      #expect(try bench.judged("a.zip").plan.entryCount == others.count + 1)
      return finding
    }
    try zip.finish()
    #expect(try bench.judged("a.zip").rules.subtracting(["no-index", "no-files"]) == [])
    return nil
  }

  @Test(arguments: [
    ("/etc/passwd", Rule.absolutePath), ("C:/x", .drivePath), ("../x", .parentPath), ("a/../b", .parentPath),
    ("", .emptyComponent), ("a//b", .emptyComponent), ("a/", .emptyComponent), ("./a", .emptyComponent),
    ("a/./b", .emptyComponent), ("a\nb", .controlCharacter), ("a\u{85}b", .controlCharacter),
    (String(repeating: "x", count: 256), .nameTooLong),
    (String(repeating: "x/", count: 600) + "x", .nameTooLong), ("nul.txt", .reservedName),
    ("a?b", .reservedName),
    ("a.", .reservedName), ("a\\b", .backslash), (".DS_Store", .junk), ("__MACOSX/a", .junk),
    ("x/._a", .junk),
  ])
  func refusesABadName(name: String, rule: Rule) throws {
    let finding = try refusal(of: name)
    #expect(finding?.rule == rule)
    #expect(finding?.severity == .error)
  }

  @Test(arguments: [
    (["a"], "a", false, Rule.duplicate), (["a/b"], "a/b", false, .duplicate), (["d/"], "d", true, .duplicate),
    (["e\u{301}"], "é", false, .duplicate),
    (["a"], "A", false, .caseCollision), (["dir/a"], "Dir/b", false, .caseCollision),
    (["dir/"], "DIR/b", false, .caseCollision), (["ÄB"], "äb", false, .caseCollision),
    (["dir/a"], "DIR", true, .caseCollision),
    (["a"], "a/b", false, .fileDirectoryConflict), (["a/b"], "a", false, .fileDirectoryConflict),
    (["a/"], "a", false, .fileDirectoryConflict), (["a"], "a", true, .fileDirectoryConflict),
    (["a"], "A/b", false, .caseCollision),
  ])
  func refusesANameThatDoesNotGoWithOthers(others: [String], name: String, isFolder: Bool, rule: Rule) throws
  {
    #expect(try refusal(of: name, after: others, isFolder: isFolder)?.rule == rule)
  }

  @Test(arguments: [
    (["a/b"], "a", true), (["a/"], "a/b", false), (["a/b"], "a/c", false), (["a.b"], "a/b", false),
  ])
  func takesAFolderBeforeAndAfterWhatIsInIt(others: [String], name: String, isFolder: Bool) throws {
    #expect(try refusal(of: name, after: others, isFolder: isFolder) == nil)
  }

  @Test func aNameIsFreeAgainWhenItsEntryWasDiscarded() throws {
    _ = try bench.archive { zip in
      try zip.openEntry("Dir/a")
      try zip.write(noise(1000))
      try zip.discardEntry()
      try zip.add(data: [1], as: "dir/A")
    }
  }
}
