extension PackageReader {
  /// Files of the package need a password.
  public var isEncrypted: Bool { plan.files.contains(where: \.isEncrypted) }

  /// The same package with its files open to `verifyContents` and `unpack`. A millisecond or so for each file (AES makes
  /// guessing slow on purpose), on that many threads; nothing is unpacked, but the smallest files are deciphered when they are so few that a
  /// wrong password could pass. Without encrypted files every password is right.
  ///
  /// Throws `wrongPassword` with the files that the password does not open (a package may have several passwords),
  /// `refused` when the plan forbids reading, the system's failures and `cancelled`.
  public func unlocked(
    with password: Password, threads: Int = Self.threads,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(ZipError) -> PackageReader {
    guard !forbidsReading else { throw .refused(plan.findings.filter { $0.severity == .error }) }
    var unlocking = Unlocking(records, keys, in: file, with: password)
    try unlocking.run(shown: Self.shownPaths, threads: threads, isCancelled: isCancelled)
    var copy = self
    copy.keys = unlocking.keys
    return copy
  }

  /// Whether the password opens every encrypted file, without unpacking any: see `unlocked(with:)`.
  public func isRight(
    password: Password, threads: Int = Self.threads,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(ZipError) -> Bool {
    do throws(ZipError) {
      _ = try unlocked(with: password, threads: threads, isCancelled: isCancelled)
      return true
    } catch {
      guard case .wrongPassword = error else { throw error }
      return false
    }
  }
}
