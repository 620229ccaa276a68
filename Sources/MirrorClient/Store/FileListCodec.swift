internal import DepotModel

/// A list of installed files as one blob: paths in order, each without what it shares with the one before; numbers as
/// variable-length integers (LEB128). Some 50 bytes a file, 36 of them digests that nothing makes smaller.
enum FileListCodec {
  private static let format: UInt8 = 1

  static func encode(_ files: InstalledFiles) -> [UInt8] {
    var bytes: [UInt8] = [format]
    bytes.reserveCapacity(files.count * 60)
    let base = files.first?.modifiedAtNanoseconds ?? 0
    append(UInt64(bitPattern: base), to: &bytes)
    append(UInt64(files.count), to: &bytes)
    var last: [UInt8] = []
    for file in files {
      append(file.path, after: &last, to: &bytes)
      append(UInt64(bitPattern: file.size), to: &bytes)
      let difference = file.modifiedAtNanoseconds.subtractingReportingOverflow(base).partialValue
      append(UInt64(bitPattern: difference << 1 ^ difference >> 63), to: &bytes)
      for shift in [0, 8, 16, 24] as [UInt32] {
        bytes.append(UInt8(truncatingIfNeeded: file.crc32 >> shift))
      }
      bytes += file.sha256.bytes
    }
    append(UInt64(files.emptyFolders.count), to: &bytes)
    last = []
    for folder in files.emptyFolders { append(folder, after: &last, to: &bytes) }
    return bytes
  }

  /// Nil for bytes that `encode` never makes; takes no more memory than they are long, whatever they say.
  static func decode(_ bytes: [UInt8]) -> InstalledFiles? {
    var reader = Reader(bytes: bytes)
    guard reader.byte() == format, let first = reader.number(), let count = reader.number() else {
      return nil
    }
    let base = Int64(bitPattern: first)
    var files: [InstalledFile] = []
    var last: [UInt8] = []
    for _ in 0..<min(count, UInt64(bytes.count)) {
      guard let path = reader.text(after: &last), let size = reader.number(), let time = reader.number(),
        let checksum = reader.take(4), let digest = reader.take(32),
        let sha256 = SHA256Digest(bytes: Array(digest)), size <= UInt64(Int64.max)
      else { return nil }
      let difference = Int64(bitPattern: time >> 1) ^ -Int64(bitPattern: time & 1)
      files.append(
        InstalledFile(
          path: path, size: Int64(size), sha256: sha256,
          crc32: checksum.reversed().reduce(0) { $0 << 8 | UInt32($1) },
          modifiedAtNanoseconds: base.addingReportingOverflow(difference).partialValue))
    }
    guard let folderCount = reader.number() else { return nil }
    var folders: [String] = []
    last = []
    for _ in 0..<min(folderCount, UInt64(bytes.count)) {
      guard let folder = reader.text(after: &last) else { return nil }
      folders.append(folder)
    }
    guard reader.isAtEnd, UInt64(files.count) == count else { return nil }
    return InstalledFiles(files, folders: folders)
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func append(_ text: String, after last: inout [UInt8], to bytes: inout [UInt8]) {
    let path = Array(text.utf8)
    let shared = zip(last, path).prefix { $0 == $1 }.count
    append(UInt64(shared), to: &bytes)
    append(UInt64(path.count - shared), to: &bytes)
    bytes += path[shared...]
    last = path
  }

  private struct Reader {
    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    mutating func byte() -> UInt8? { take(1)?.first }

    mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
      guard count <= UInt64(bytes.count - index) else { return nil }
      defer { index += Int(count) }
      return bytes[index..<index + Int(count)]
    }

    mutating func number() -> UInt64? {
      var number: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 64, by: 7) {
        guard let byte = byte(), shift < 63 || byte <= 1 else { return nil }
        number |= UInt64(byte & 0x7F) << shift
        if byte & 0x80 == 0 { return number }
      }
      return nil
    }

    mutating func text(after last: inout [UInt8]) -> String? {
      guard let shared = number(), shared <= UInt64(last.count), let count = number(), let rest = take(count)
      else { return nil }
      last = Array(last.prefix(Int(shared)) + rest)
      return String(validating: last, as: UTF8.self)
    }
  }
}
