public import Platform

/// Checksums of the blocks of large payloads: what a mirror looks for in an older package when a payload as a whole is not
/// there. A large file that was changed in one place keeps long stretches of its deflate stream.
///
/// For each payload of at least `smallestPayload` bytes, in the order of the file, the CRC-32 of each whole block of
/// `blockSize` bytes from its first byte on, four bytes each, little-endian. So an index tells where the sums of a payload
/// lie, and a client asks for no more than it needs.
public struct BlockSums: Sendable {
  /// Bytes of a block.
  public static let blockSize = 4096
  /// Payloads of fewer bytes have no sums.
  public static let smallestPayload: Int64 = 16 << 10
  /// Bytes of one sum.
  static let width = 4

  /// Bytes that the sums of all payloads take.
  public let size: Int64
  /// The payloads that have sums, in the order of the file.
  public let payloads: [PackagePayload]

  /// Of the package that `index` tells.
  public init(of index: PackageIndex) {
    payloads = index.payloads.filter { $0.compressedSize >= Self.smallestPayload }
    size = payloads.reduce(0) { $0 + Self.length(of: $1) }
  }

  /// Bytes that the sums of a payload take.
  public static func length(of payload: PackagePayload) -> Int64 {
    payload.compressedSize < smallestPayload ? 0 : payload.compressedSize / Int64(blockSize) * Int64(width)
  }

  /// Where in the sums those of each of `payloads` begin, in bytes.
  public var offsets: [Int64] {
    var offset: Int64 = 0
    return payloads.map { payload in
      defer { offset += Self.length(of: payload) }
      return offset
    }
  }

  /// The sums of a package, from its file: reads all large payloads. Throws `irregular` when the file is shorter, and the
  /// system's failures.
  public func make(from file: File) throws(IndexError) -> [UInt8] {
    var sums: [UInt8] = []
    sums.reserveCapacity(Int(size))
    let blocks = 256
    var buffer = [UInt8](repeating: 0, count: blocks * Self.blockSize)
    for payload in payloads {
      var offset = payload.offset
      var left = payload.compressedSize / Int64(Self.blockSize)
      while left > 0 {
        let count = Int(min(left, Int64(blocks))) * Self.blockSize
        let got: Int
        do throws(SystemError) { got = try file.read(into: &buffer, count: count, at: offset) } catch {
          throw .system(error)
        }
        guard got == count else { throw .irregular("it ended while it was read, at offset \(offset)") }
        for start in stride(from: 0, to: count, by: Self.blockSize) {
          var checksum = CRC32()
          checksum.update(buffer.span.extracting(start..<start + Self.blockSize))
          sums.put(checksum.value)
        }
        offset += Int64(count)
        left -= Int64(count / Self.blockSize)
      }
    }
    return sums
  }
}
