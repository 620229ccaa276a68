import DepotModel
import Testing
import ZipArchive

@testable import MirrorClient

@Suite struct PackagePasswordsTests {
  private func candidates(_ file: String, for id: String) throws -> [Password] {
    try PackagePasswords(file: Array(file.utf8)).candidates(for: try game(id))
  }

  @Test(arguments: [
    "secret", "secret\n", "secret\r\n", "\n\nsecret\n\n", "# of the studio\nsecret\n", "\u{FEFF}secret\n",
    "* secret",
    " \t\nsecret\n",
  ])
  func aSingleLineIsThePasswordOfEveryGame(file: String) throws {
    #expect(try candidates(file, for: "courier").first == Password("secret"))
    #expect(try candidates(file, for: "other").first == Password("secret"))
  }

  @Test func aSingleLineIsTakenWithItsSpaces() throws {
    #expect(
      try candidates("correct horse battery \n", for: "courier") == [Password("correct horse battery ")])
    #expect(try candidates(" secret", for: "courier") == [Password(" secret")])
  }

  @Test func aSingleLineThatBeginsWithAGameIsTriedBothWays() throws {
    let file = "courier secret word\n"
    #expect(
      try candidates(file, for: "courier") == [Password("secret word"), Password("courier secret word")])
    #expect(try candidates(file, for: "other") == [Password("courier secret word")])
  }

  @Test func severalLinesNameTheirGames() throws {
    let file = "courier one\r\n# older\r\ncourier  two words \r\n\r\nother\tthree\r\n* for all\r\n"
    #expect(
      try candidates(file, for: "courier") == [Password("one"), Password("two words "), Password("for all")])
    #expect(try candidates(file, for: "other") == [Password("three"), Password("for all")])
    #expect(try candidates(file, for: "third") == [Password("for all")])
    #expect(try candidates("a x\nb y", for: "c").isEmpty)
  }

  @Test func triesNoPasswordTwice() throws {
    #expect(try candidates("a x\n* x\n", for: "a") == [Password("x")])
  }

  @Test func takesPasswordsAsBytes() throws {
    let passwords = try PackagePasswords(file: [0x61, 0x20, 0xE4, 0x0A, 0x62, 0x20, 0xFF])
    #expect(passwords.candidates(for: try game("a")) == [Password(bytes: [0xE4])])
    #expect(passwords.candidates(for: try game("b")) == [Password(bytes: [0xFF])])
  }

  @Test(arguments: ["", "\n \n", "# secret\n", "\u{FEFF}"]) func aFileWithoutAPasswordIsRefused(file: String)
  {
    #expect {
      try PackagePasswords(file: Array(file.utf8))
    } throws: { error in
      guard case MirrorError.passwordFile(let reason) = error else { return false }
      return !reason.contains("secret") && (error as? MirrorError)?.exitCode == 64
    }
  }

  @Test(arguments: ["a x\nsecret\n", "a x\nsecret ", "a x\n-? secret", "a x\n  secret"])
  func aLineThatNamesNoGameIsToldByItsNumberAlone(file: String) {
    #expect {
      try PackagePasswords(file: Array(file.utf8))
    } throws: { error in
      guard case MirrorError.passwordFile(let reason) = error else { return false }
      return reason.hasPrefix("line 2 ") && !reason.contains("secret")
    }
  }

  @Test func isNeverShown() throws {
    let passwords = try PackagePasswords(file: Array("a geheim\nb geheim".utf8))
    var dumped = ""
    dump(passwords, to: &dumped)
    #expect(!dumped.contains("geheim") && !"\(passwords)".contains("geheim"))
  }
}
