import FuzzInput
import ZipArchive

/// Input: the index of a package.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzIndex(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = FuzzInput(start, count)
  do throws(IndexError) {
    check(try PackageIndex(decoding: input.bytes, limits: limits))
  } catch {
    switch error {
    case .notAnIndex, .unknownVersion, .overLimit, .truncated, .damaged: break
    case .irregular, .system: hold(false, "reading an index looks at nothing else: \(error)")
    }
  }
  return 0
}

/// Small enough for an input to go over each of them.
private let limits = IndexLimits(entries: 200, skeletonSize: 16 << 10)

/// The pieces are a package of the size that is told, and no more than was allowed.
private func check(_ index: PackageIndex) {
  hold(index.skeletonSize <= limits.skeletonSize, "no more bytes than may be")
  var offset: Int64 = 0
  var skeleton: Int64 = 0
  for piece in index.pieces {
    switch piece {
    case .bytes(let bytes):
      offset += Int64(bytes.count)
      skeleton += Int64(bytes.count)
    case .payload(let payload):
      hold(payload.offset == offset, "each payload is told where it goes")
      hold(payload.compressedSize > 0 && payload.size >= 0, "each payload has bytes")
      offset += payload.compressedSize
    }
  }
  hold(offset == index.packageSize, "the pieces are the package")
  hold(skeleton == index.skeletonSize, "the bytes are as many as told")
  hold(index.fileCount <= limits.entries && index.unpackedSize >= 0, "no more entries than may be")
  let sums = BlockSums(of: index)
  hold(sums.size >= 0 && sums.offsets.count == sums.payloads.count, "each large payload has its sums")
}
