import TestSupport
import Testing

@testable import Platform

/// Certificates and keys as operators hand them over.
@Suite struct TLSContextTests {
  private let folder: TemporaryFolder
  private let good: TLSContext.CertificateFiles

  init() throws {
    folder = try TemporaryFolder()
    good = try TestCertificate(in: folder, names: ["localhost"], daysLeft: 30).files
  }

  private func file(_ name: String, _ text: String) throws -> String {
    try SystemVolume().write(Array(text.utf8), to: folder.directory.file(name, mode: .createNew), at: 0)
    return "\(folder.path)/\(name)"
  }

  private func failure(_ certificate: String, _ key: String) -> TLSError? {
    do throws(TLSError) {
      _ = try TLSContext([.init(certificate: certificate, key: key)])
      return nil
    } catch {
      return error
    }
  }

  @Test func readsCertificatesAndTellsWhenTheyEnd() throws {
    let context = try TLSContext([good])
    #expect(context.expiries.map(\.path) == [good.certificate])
    let left = try #require(context.expiries.first).expires - SystemClock.unixSeconds
    #expect((29 * 86_400...30 * 86_400).contains(left))
  }

  @Test func readsOthersWhileItIsInUseAndKeepsWhatItHasWhenTheyAreBad() throws {
    let context = try TLSContext([good])
    let other = try TestCertificate(in: folder, names: ["other.example"], daysLeft: 90).files
    try context.reload([other, good])
    #expect(context.expiries.map(\.path) == [other.certificate, good.certificate])
    #expect(throws: TLSError.self) { try context.reload([.init(certificate: good.key, key: good.key)]) }
    #expect(throws: TLSError.noCertificate) { try context.reload([]) }
    #expect(context.expiries.map(\.path) == [other.certificate, good.certificate])
  }

  @Test func wantsACertificate() {
    #expect(throws: TLSError.noCertificate) { try TLSContext([]) }
  }

  @Test func namesAFileThatIsNotThere() {
    let missing = "\(folder.path)/missing"
    let error = TLSError.unreadable(SystemError(errno: 2, operation: "open", path: missing))
    #expect(failure(missing, good.key) == error)
    #expect(failure(good.certificate, missing) == error)
  }

  @Test func namesAFileThatHoldsNoCertificate() throws {
    let empty = try file("empty", "")
    #expect(failure(empty, good.key)?.description == "certificate \(empty): no start line")
    guard case .certificate = failure(good.key, good.key) else {
      Issue.record("a key was taken for a certificate")
      return
    }
  }

  @Test func namesAFileThatHoldsNoKey() throws {
    let empty = try file("empty", "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n")
    guard case .key(empty, _) = failure(good.certificate, empty) else {
      Issue.record("rubbish was taken for a key")
      return
    }
  }

  @Test func refusesAnotherCertificatesKey() throws {
    let other = try TestCertificate(in: folder, names: ["other"]).files
    #expect(
      failure(good.certificate, other.key)?.description == "private key \(other.key): key values mismatch")
  }

  @Test func refusesAKeyWithAPasswordInsteadOfAskingForIt() throws {
    let locked = try TestCertificate(in: folder, names: ["locked"], password: "secret").files
    guard case .key(locked.key, _) = failure(locked.certificate, locked.key) else {
      Issue.record("a locked key was taken")
      return
    }
  }
}
