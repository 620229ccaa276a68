/// All of a package but its payloads: every byte of the zip that is no entry's content, and where the contents go between
/// them. With the payloads of an older package, and the few that are new, it is the package again, byte for byte.
///
/// Made by `PackageIndex.make(of:limits:)`; the format stands in `IndexFormat`. Takes the memory of the bytes that are no
/// payload, and 64 bytes for each entry.
public struct PackageIndex: Sendable {
  /// Bytes of the whole package.
  public let packageSize: Int64
  /// Bytes of it that are no payload.
  public let skeletonSize: Int64
  /// Entries that are no folders.
  public let fileCount: Int
  /// Of all entries, as declared, in bytes.
  public let unpackedSize: Int64
  /// An entry at least needs a password.
  public let isEncrypted: Bool
  /// What the package consists of, in the order of the file.
  public let pieces: Pieces

  /// A part of a package.
  public enum Piece: Sendable, Hashable {
    /// These bytes.
    case bytes(ArraySlice<UInt8>)
    /// At least one byte that is not in the index.
    case payload(PackagePayload)
  }

  /// The payloads, in the order of the file.
  public var payloads: some Sequence<PackagePayload> {
    pieces.lazy.compactMap { piece in if case .payload(let payload) = piece { payload } else { nil } }
  }

  /// Reads the bytes of an index. Throws when they are none or damaged, and when they ask for more than `limits`; never
  /// takes more memory than they allow, whatever the bytes say.
  public init(decoding bytes: [UInt8], limits: IndexLimits) throws(IndexError) {
    let parts = try IndexFormat.read(bytes, limits: limits)
    var (size, files, unpacked, isEncrypted): (Int64, Int, Int64, Bool) = (0, 0, 0, false)
    for row in parts.rows {
      size = try Self.sum(size, row.compressedSize)
      unpacked = try Self.sum(unpacked, row.size)
      if !row.isFolder { files += 1 }
      if row.isEncrypted { isEncrypted = true }
    }
    skeletonSize = Int64(parts.headers.count + parts.directory.count)
    packageSize = try Self.sum(size, skeletonSize)
    (fileCount, unpackedSize, self.isEncrypted) = (files, unpacked, isEncrypted)
    pieces = Pieces(parts: parts)
  }

  private static func sum(_ first: Int64, _ second: Int64) throws(IndexError) -> Int64 {
    let (sum, overflows) = first.addingReportingOverflow(second)
    guard !overflows else { throw .damaged("a package of more than 8 EiB") }
    return sum
  }

  /// The pieces of a package; gone through as often as one likes.
  public struct Pieces: Sequence, Sendable {
    let parts: IndexParts

    /// From the start of the file.
    public func makeIterator() -> Iterator { Iterator(parts: parts) }

    /// Goes through the pieces.
    public struct Iterator: IteratorProtocol {
      private let parts: IndexParts
      private var rank = 0
      private var step = Step.before
      private var offset: Int64 = 0

      private enum Step { case before, payload, after }

      init(parts: IndexParts) { self.parts = parts }

      /// The next piece; nil at the end of the package.
      public mutating func next() -> Piece? {
        while rank < parts.order.count {
          let row = parts.rows[Int(parts.order[rank])]
          let start = Int(row.start)
          switch step {
          case .before:
            step = .payload
            offset += Int64(row.before)
            return .bytes(parts.headers[start..<start + Int(row.before)])
          case .payload:
            step = .after
            guard row.compressedSize > 0 else { continue }
            defer { offset += row.compressedSize }
            return .payload(row.payload(at: offset))
          case .after:
            step = .before
            rank += 1
            guard row.after > 0 else { continue }
            offset += Int64(row.after)
            let end = start + Int(row.before)
            return .bytes(parts.headers[end..<end + Int(row.after)])
          }
        }
        guard rank == parts.order.count else { return nil }
        rank += 1
        return .bytes(parts.directory[...])
      }
    }
  }
}
