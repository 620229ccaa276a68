internal import Platform
internal import Synchronization

/// Finds the key of every encrypted entry of a zip with one password, and whether it is the right one.
///
/// An entry by itself tells little: ZipCrypto's check byte passes one wrong password in 256, the verifier of AES one in
/// 65,536. So all entries are asked, and where even their number leaves room for chance, the smallest are deciphered.
struct Unlocking {
  /// Bits that must speak for a password.
  private static let enough = 32

  private let file: File
  private let password: [UInt8]
  private let records: [Record]
  /// Those known before, and those found.
  private(set) var keys: EntryKeys
  private var evidence = 0

  init(_ records: [Record], _ keys: EntryKeys, in file: File, with password: Password) {
    self.records = records
    self.keys = keys
    self.file = file
    self.password = password.bytes
  }

  /// What the threads have found.
  private struct Finds {
    var keys: EntryKeys
    var locked: [Int] = []
    var evidence = 0
  }

  /// Finds the keys of each record that the password opens. Throws `wrongPassword` with files that it does not open, at
  /// most `shown` of them; junk does not matter.
  mutating func run(
    shown: Int, threads: Int, isCancelled: @escaping @Sendable () -> Bool
  ) throws(ZipError) {
    let finds = try search(shown: shown, threads: threads, isCancelled)
    keys = finds.keys
    evidence = finds.evidence
    var locked = finds.locked.sorted().prefix(shown).map { records[$0].path }
    if locked.isEmpty { locked = try chance(isCancelled).map { [$0] } ?? [] }
    guard locked.isEmpty else { throw .wrongPassword(paths: locked) }
  }

  private func search(
    shown: Int, threads: Int, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(ZipError) -> Finds {
    let records = self.records
    let asked = records.indices.filter { records[$0].hasCipher && !keys.open($0) }
    let finds = Mutex(Finds(keys: keys))
    let team = EntryTeam(sizes: asked.map { records[$0].costOfKey }, threads: threads)
    do throws(ZipError) {
      try team.run { (turn, _) throws(ZipError) in
        guard !isCancelled() else { throw .cancelled }
        let index = asked[turn]
        let found = try key(of: records[index])
        let lockedCount = finds.withLock { finds in
          if let found {
            finds.keys.add(found.keys, for: index, of: records.count)
            finds.evidence += found.evidence
          } else if records[index].isPlanned {
            finds.locked.append(index)
          }
          return finds.locked.count
        }
        // With so many there is nothing more to tell.
        guard lockedCount < shown else { throw .wrongPassword(paths: []) }
      }
    } catch {
      guard case .wrongPassword = error else { throw error }
    }
    return finds.withLock { $0 }
  }

  /// The keys, and how many bits of the entry speak for them; nil when the password does not open the entry.
  private func key(of record: Record) throws(ZipError) -> (keys: DecryptionKeys, evidence: Int)? {
    guard let encryption = record.encryption, let start = record.dataOffset else { return nil }
    let head = try bytes(at: start, count: Int(encryption.headLength))
    guard head.count == Int(encryption.headLength) else { return nil }
    switch encryption {
    case .zipCrypto:
      var keys = ZipCryptoKeys(password: password)
      let check = keys.check(of: head)
      // APPNOTE 6.1.6: the CRC's; where it was not known yet the time's, by a convention of Info-ZIP that not all follow.
      let isRight =
        check == UInt8(record.crc32 >> 24) || record.hasDescriptor && check == UInt8(record.time >> 8)
      return isRight ? (.zipCrypto(keys), record.hasDescriptor ? 7 : 8) : nil
    case .aes(_, let strength, _):
      guard let strength = WinZipAES.Strength(rawValue: strength) else { return nil }
      let salt = Array(head[..<strength.saltLength])
      guard let keys = WinZipAES.Keys(password: password, salt: salt, strength: strength) else {
        throw .noMemory("derive a key")
      }
      return Secrets.areEqual(keys.verifier, Array(head[strength.saltLength...])) ? (.aes(keys), 16) : nil
    }
  }

  /// Deciphers the smallest files until chance is out of the question; the path of one that is not what was packed.
  private mutating func chance(_ isCancelled: @Sendable () -> Bool) throws(ZipError) -> String? {
    guard evidence < Self.enough else { return nil }
    let opened = records.indices.filter {
      keys.open($0) && records[$0].isPlanned && records[$0].packedSize > 0
    }
    guard !opened.isEmpty else { return nil }
    let buffers = try EntryBuffers(MemoryBudget(entries: records.count))
    for index in opened.sorted(by: { records[$0].compressedSize < records[$1].compressedSize })
    where evidence < Self.enough {
      let record = records[index]
      var reader = EntryReader(record, keys[index], in: file, buffers, digest: false)
      while try reader.next() != nil {
        guard !isCancelled() else { throw .cancelled }
      }
      if reader.finding != nil { return record.path }
      evidence += Int(min(32, 8 * record.packedSize))
    }
    return nil
  }

  private func bytes(at offset: Int64, count: Int) throws(ZipError) -> [UInt8] {
    do throws(SystemError) { return try file.bytes(at: offset, count: count) } catch { throw .system(error) }
  }
}

extension Record {
  /// Encrypted in a way we know.
  var hasCipher: Bool { encryption != nil && dataOffset != nil && packedSize >= 0 }

  /// How long its key takes to make, in bytes that are inflated in the same time.
  fileprivate var costOfKey: Int64 {
    switch encryption {
    case .aes: 256 << 10
    case .zipCrypto, nil: 64
    }
  }

  /// Sizes and CRC stand behind the data (APPNOTE 4.4.4, bit 3).
  var hasDescriptor: Bool { flags & 8 != 0 || endOffset > (dataOffset ?? endOffset) + compressedSize }
}
