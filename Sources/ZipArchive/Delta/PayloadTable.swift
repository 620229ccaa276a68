public import Platform

/// Where an open package has which payload: 32 bytes of memory for each of its entries.
///
/// Several threads may use one table at once.
public struct PayloadTable: Sendable {
  private struct Row: Sendable {
    let crc32: UInt32
    let isEncrypted: Bool
    let compressedSize: Int64
    let size: Int64
    let offset: Int64
  }

  /// By checksum, then sizes, then offset.
  private let rows: [Row]
  private let file: File

  /// Reads the directory and every local header. Throws for what is no package, and the system's failures.
  public init(_ file: File, limits: IndexLimits) throws(IndexError) {
    self.file = file
    let layout = try ArchiveLayout(try reading({ () throws(ZipError) in try ZipBytes(file) }), limits: limits)
    var rows: [Row] = []
    rows.reserveCapacity(layout.places.count)
    for place in layout.places where place.compressedSize > 0 {
      rows.append(
        Row(
          crc32: place.crc32, isEncrypted: place.isEncrypted, compressedSize: place.compressedSize,
          size: place.size, offset: place.dataOffset))
    }
    rows.sort { Self.key($0) < Self.key($1) }
    self.rows = rows
  }

  private static func key(_ row: Row) -> (UInt32, Int64, Int64, Int64) {
    (row.crc32, row.compressedSize, row.size, row.offset)
  }

  /// Where this package has the bytes of `payload`; nil when it has not. Goes by checksum and sizes; an encrypted one is read,
  /// for its content may be the same and its bytes not. What is copied from there has to be proven by the digest of the whole
  /// package. Throws the system's failures.
  public func offset(of payload: PackagePayload) throws(IndexError) -> Int64? {
    var place = position(of: payload)
    while place < rows.count, describes(rows[place], payload) {
      let row = rows[place]
      if row.isEncrypted == (payload.encryptedCRC32 != nil), try holds(row, payload) { return row.offset }
      place += 1
    }
    return nil
  }

  /// Of the first row that is not before what describes `payload`.
  private func position(of payload: PackagePayload) -> Int {
    let wanted = (payload.crc32, payload.compressedSize, payload.size)
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      let row = rows[middle]
      if (row.crc32, row.compressedSize, row.size) < wanted { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func describes(_ row: Row, _ payload: PackagePayload) -> Bool {
    (row.crc32, row.compressedSize, row.size) == (payload.crc32, payload.compressedSize, payload.size)
  }

  /// Where the large payloads lie that a package does not have as they are: in them stands what it may have of changed ones.
  /// In the order of the file.
  public func stretches(missingFrom index: PackageIndex) -> [Range<Int64>] {
    var kept: Set<Int> = []
    for payload in index.payloads where payload.compressedSize >= BlockSums.smallestPayload {
      let first = position(of: payload)
      if first < rows.count, describes(rows[first], payload) { kept.insert(first) }
    }
    var stretches: [Range<Int64>] = []
    for (position, row) in rows.enumerated() where row.compressedSize >= BlockSums.smallestPayload {
      if !kept.contains(position) { stretches.append(row.offset..<row.offset + row.compressedSize) }
    }
    return stretches.sorted { $0.lowerBound < $1.lowerBound }
  }

  private func holds(_ row: Row, _ payload: PackagePayload) throws(IndexError) -> Bool {
    guard let wanted = payload.encryptedCRC32 else { return true }
    return try PayloadCheck.crc32(of: file, at: row.offset, count: row.compressedSize) == wanted
  }
}
