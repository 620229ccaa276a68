internal import Platform

/// Memory and inflaters that serve one entry after the other. One thread at a time.
final class EntryBuffers {
  static let inputSize = 128 << 10
  static let outputSize = 256 << 10

  let inflater: Inflater
  let whole: WholeInflater
  let budget: MemoryBudget
  var input = [UInt8](repeating: 0, count: inputSize)
  var output = [UInt8](repeating: 0, count: outputSize)

  /// `budget` is what entries that are unpacked whole may take of memory, beside these buffers.
  init(_ budget: MemoryBudget) throws(ZipError) {
    guard let inflater = Inflater(), let whole = WholeInflater() else {
      // 12 is ENOMEM.
      throw .system(SystemError(errno: 12, operation: "inflateInit"))
    }
    self.inflater = inflater
    self.whole = whole
    self.budget = budget
  }

  /// The first `count` bytes of `output`: itself where it is full, which costs no copy.
  func piece(_ count: Int) -> [UInt8] { count == output.count ? output : Array(output[..<count]) }
}
