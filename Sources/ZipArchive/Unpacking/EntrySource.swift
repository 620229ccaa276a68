internal import Platform

/// The packed bytes of one entry, front to back, with the cipher taken off where there are keys for it.
struct EntrySource: ~Copyable {
  private let file: File
  private let start: Int64
  private let count: Int64
  private let keys: DecryptionKeys?
  private var decryption: EntryDecryption?
  private var hash: Hash?
  /// Bytes read so far.
  private(set) var taken: Int64 = 0
  /// The entry's code is not that of its bytes: what was read last must not be used.
  private(set) var isForged = false

  /// With `digest` the bytes are hashed as they are read, before the cipher is taken off.
  init(_ record: Record, _ keys: DecryptionKeys?, in file: File, digest: Bool) {
    self.file = file
    start = record.packedOffset
    count = max(0, record.packedSize)
    self.keys = keys
    hash = digest ? Hash(.sha256) : nil
  }

  /// As they lie in the zip, with what a cipher puts around them, and hashed.
  init(enciphered record: Record, in file: File) {
    self.file = file
    start = record.dataOffset ?? 0
    count = record.compressedSize
    keys = nil
    hash = Hash(.sha256)
  }

  /// Bytes that are not read yet.
  var left: Int64 { count - taken }

  /// Where in the file the next byte lies.
  var offset: Int64 { start + taken }

  /// Reads the next bytes to the front of `buffer`, as many as it holds or are left; fewer only where the file ends.
  mutating func read(into buffer: inout [UInt8]) throws(ZipError) -> Int {
    let wanted = Int(min(Int64(buffer.count), left))
    let got: Int
    do throws(SystemError) {
      got = try file.read(into: &buffer, count: wanted, at: offset)
    } catch {
      throw .system(error)
    }
    if taken == 0, let keys { decryption = try EntryDecryption(keys, code: try code()) }
    taken += Int64(got)
    hash?.update(buffer, count: got)
    let isLast = left == 0
    if decryption?.process(&buffer, count: got, isLast: isLast) == false { isForged = true }
    return got
  }

  /// What stands behind the ciphertext of AES; ZipCrypto does not look at it.
  private func code() throws(ZipError) -> [UInt8] {
    do throws(SystemError) {
      return try file.bytes(at: start + count, count: WinZipAES.codeLength)
    } catch {
      throw .system(error)
    }
  }

  /// SHA-256 of what was read; nil when it was not asked for, or was told already.
  mutating func takeSHA256() -> [UInt8]? { hash.take()?.finish() }
}
