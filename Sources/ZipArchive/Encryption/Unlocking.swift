internal import Platform

/// Finds the key of every encrypted entry of a zip with one password, and whether it is the right one.
///
/// An entry by itself tells little: ZipCrypto's check byte passes one wrong password in 256, the verifier of AES one in
/// 65,536. So all entries are asked, and where even their number leaves room for chance, the smallest are deciphered.
struct Unlocking {
  /// Bits that must speak for a password.
  private static let enough = 32

  private let file: File
  private let password: [UInt8]
  private(set) var records: [Record]
  private var evidence = 0

  init(_ records: [Record], in file: File, with password: Password) {
    self.records = records
    self.file = file
    self.password = password.bytes
  }

  /// Gives each record that the password opens its key. Throws `wrongPassword` with the files that it does not open, the
  /// first `shown` of them; junk does not matter.
  mutating func run(shown: Int, isCancelled: () -> Bool) throws(ZipError) {
    var locked: [String] = []
    for index in records.indices where records[index].isLocked {
      guard !isCancelled() else { throw .cancelled }
      records[index].key = try key(of: records[index])
      guard records[index].key == nil, records[index].isPlanned else { continue }
      locked.append(records[index].path)
      if locked.count == shown { break }
    }
    if locked.isEmpty { locked = try chance(isCancelled).map { [$0] } ?? [] }
    guard locked.isEmpty else { throw .wrongPassword(paths: locked) }
  }

  /// Nil when the password does not open the entry.
  private mutating func key(of record: Record) throws(ZipError) -> EntryKey? {
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
      guard isRight else { return nil }
      evidence += record.hasDescriptor ? 7 : 8
      return .zipCrypto(keys)
    case .aes(_, let strength, _):
      guard let strength = WinZipAES.Strength(rawValue: strength) else { return nil }
      let salt = Array(head[..<strength.saltLength])
      guard let keys = WinZipAES.Keys(password: password, salt: salt, strength: strength) else {
        throw .noMemory("derive a key")
      }
      guard Secrets.areEqual(keys.verifier, Array(head[strength.saltLength...])) else { return nil }
      evidence += 16
      let code = try bytes(at: record.packedOffset + record.packedSize, count: WinZipAES.codeLength)
      return .aes(keys, code: code)
    }
  }

  /// Deciphers the smallest files until chance is out of the question; the path of one that is not what was packed.
  private mutating func chance(_ isCancelled: () -> Bool) throws(ZipError) -> String? {
    guard evidence < Self.enough else { return nil }
    let opened = records.filter { $0.key != nil && $0.isPlanned && $0.packedSize > 0 }
    guard !opened.isEmpty else { return nil }
    let buffers = try EntryBuffers(MemoryBudget(entries: records.count))
    for record in opened.sorted(by: { $0.compressedSize < $1.compressedSize }) where evidence < Self.enough {
      var reader = EntryReader(record, in: file, buffers, digest: false)
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
  /// Encrypted in a way we know, and not opened.
  var isLocked: Bool { encryption != nil && dataOffset != nil && packedSize >= 0 && key == nil }

  /// Sizes and CRC stand behind the data (APPNOTE 4.4.4, bit 3).
  var hasDescriptor: Bool { flags & 8 != 0 || endOffset > (dataOffset ?? endOffset) + compressedSize }
}
