internal import Platform

/// Where an entry's bytes come from, when all are there already: they can be read twice.
struct PackingSource {
  private enum Content {
    case file(File, FileStatus)
    case data([UInt8])
  }

  private let content: Content
  private var position: Int64 = 0

  /// Reads the file from its beginning.
  init(_ file: File) throws(ZipWriteError) {
    content = .file(file, try onSource { () throws(SystemError) in try file.status })
  }

  init(_ data: [UInt8]) { content = .data(data) }

  /// Bytes in all.
  var size: Int64 {
    switch content {
    case .file(_, let status): status.size
    case .data(let data): Int64(data.count)
    }
  }

  /// In seconds since 1970; nil for bytes that never were a file.
  var modifiedAt: Int64? {
    switch content {
    case .file(_, let status): status.modifiedAt
    case .data: nil
    }
  }

  /// The next bytes, into the front of `buffer`: how many; 0 at the end.
  mutating func read(into buffer: inout [UInt8]) throws(ZipWriteError) -> Int {
    let wanted = Int(min(Int64(buffer.count), size - position))
    guard wanted > 0 else { return 0 }
    let at = position
    switch content {
    case .file(let file, _):
      let got = try onSource { () throws(SystemError) in
        try file.read(into: &buffer, count: wanted, at: at)
      }
      guard got == wanted else { throw .sourceChanged(path: file.path) }
    case .data(let data):
      let start = Int(at)
      buffer.replaceSubrange(..<wanted, with: data[start..<start + wanted])
    }
    position += Int64(wanted)
    return wanted
  }

  /// Begins again.
  mutating func rewind() { position = 0 }

  /// Throws `sourceChanged` when the file is not what it was when reading began.
  func checkUnchanged() throws(ZipWriteError) {
    guard case .file(let file, let before) = content else { return }
    let now = try onSource { () throws(SystemError) in try file.status }
    guard now.size == before.size, now.modifiedAtNanoseconds == before.modifiedAtNanoseconds else {
      throw .sourceChanged(path: file.path)
    }
  }
}
