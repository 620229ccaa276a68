public import Platform

/// Looks in older packages for blocks of payloads that are not there as a whole, wherever they stand by now. Takes 12 bytes of
/// memory for each block it looks for, and 2 MiB.
///
/// What is found goes by CRC-32 of at least two blocks in a row: it has to be proven by the digest of the whole package.
public struct BlockSearch: Sendable {
  /// Bytes of a package that stand in an older one.
  public struct Match: Sendable, Hashable {
    /// Of the first of them, from the start of the package.
    public let offset: Int64
    /// How many.
    public let length: Int64
    /// Where they stand in the older package.
    public let place: Int64
  }

  private struct Wanted: Sendable {
    /// Of the register (`RollingCRC32`).
    let register: UInt32
    let number: UInt32
  }

  /// By block, in the order they were added.
  private var sums: [UInt32] = []
  /// Behind the last block of each payload, where no run goes on.
  private var ends: Set<Int> = []
  private var starts: [(first: Int, offset: Int64)] = []

  /// How many blocks in a row have to agree.
  private static let shortestRun = 2
  private static let piece = 1 << 20

  /// For nothing yet.
  public init() {}

  /// Whether there is nothing to look for.
  public var isEmpty: Bool { sums.isEmpty }

  /// Looks for the blocks of `payload` as well, of which these are the sums, as many as `BlockSums.length(of:)` says; of
  /// others nothing is looked for.
  public mutating func add(_ payload: PackagePayload, sums bytes: ArraySlice<UInt8>) {
    guard !bytes.isEmpty, Int64(bytes.count) == BlockSums.length(of: payload) else { return }
    starts.append((sums.count, payload.offset))
    let bytes = Array(bytes)
    for index in stride(from: 0, to: bytes.count, by: BlockSums.width) {
      sums.append(bytes.uint32(at: index))
    }
    ends.insert(sums.count)
  }

  /// What stretches of an older package have of it, in the order of the new package; none overlaps another. Reads all of the
  /// stretches, some 400 MB a second. Throws the system's failures.
  public func matches(in stretches: [Range<Int64>], of file: File) throws(SystemError) -> [Match] {
    guard !isEmpty else { return [] }
    var search = Run(self)
    for stretch in stretches { try search.look(in: stretch, of: file) }
    return search.matches()
  }

  /// Where block `number` begins in the package.
  fileprivate func offset(of number: Int) -> Int64 {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle].first <= number { low = middle } else { high = middle }
    }
    return starts[low].offset + Int64((number - starts[low].first) * BlockSums.blockSize)
  }

  /// One search.
  private struct Run {
    private let search: BlockSearch
    private var rolling = RollingCRC32(window: BlockSums.blockSize)
    private var wanted: [Wanted]
    /// A bit for each value of the register's upper bits that a block has.
    private var filter = [UInt64](repeating: 0, count: 1 << (Run.filterBits - 6))
    /// Where each block was found, or -1.
    private var found: [Int64]

    private static let filterBits = 20

    init(_ search: BlockSearch) {
      self.search = search
      let difference = rolling.difference
      wanted = search.sums.enumerated().map { Wanted(register: $1 ^ difference, number: UInt32($0)) }
      wanted.sort { ($0.register, $0.number) < ($1.register, $1.number) }
      found = [Int64](repeating: -1, count: search.sums.count)
      for block in wanted {
        let bit = block.register >> UInt32(32 - Self.filterBits)
        filter[Int(bit >> 6)] |= 1 << UInt64(bit & 63)
      }
    }

    /// Goes over a stretch in pieces that overlap by as much as a run needs to begin.
    mutating func look(in stretch: Range<Int64>, of file: File) throws(SystemError) {
      let least = BlockSearch.shortestRun * BlockSums.blockSize
      var start = stretch.lowerBound
      while stretch.upperBound - start >= Int64(least) {
        let count = Int(min(Int64(BlockSearch.piece), stretch.upperBound - start))
        let bytes = try file.bytes(at: start, count: count)
        guard bytes.count == count else { return }
        start += Int64(look(in: bytes, at: start))
      }
    }

    /// How far it came: always some way.
    private mutating func look(in bytes: [UInt8], at base: Int64) -> Int {
      let size = BlockSums.blockSize
      var place = 0
      var isBegun = false
      while place + BlockSearch.shortestRun * size <= bytes.count {
        if !isBegun {
          rolling.begin(crc32: Self.crc32(bytes, place))
          isBegun = true
        }
        let bit = rolling.register >> UInt32(32 - Self.filterBits)
        if filter[Int(bit >> 6)] >> UInt64(bit & 63) & 1 == 1,
          let blocks = run(in: bytes, from: place, at: base)
        {
          place += blocks * size
          isBegun = false
          continue
        }
        // The last place of a piece has no byte behind its window.
        guard place + size < bytes.count else { break }
        rolling.move(out: bytes[place], in: bytes[place + size])
        place += 1
      }
      return place
    }

    /// The longest run of blocks that begins here; nil when none is long enough.
    private mutating func run(in bytes: [UInt8], from place: Int, at base: Int64) -> Int? {
      var (low, high) = (0, wanted.count)
      while low < high {
        let middle = (low + high) / 2
        if wanted[middle].register < rolling.register { low = middle + 1 } else { high = middle }
      }
      var best = (first: 0, count: 0)
      var tried = 0
      // Equal blocks, of zeros perhaps, are many: a few of them have to do.
      while low < wanted.count, wanted[low].register == rolling.register, tried < 8 {
        let count = length(ofRunAt: Int(wanted[low].number), in: bytes, from: place)
        if count > best.count { best = (Int(wanted[low].number), count) }
        low += 1
        tried += 1
      }
      guard best.count >= BlockSearch.shortestRun else { return nil }
      for index in 0..<best.count where found[best.first + index] < 0 {
        found[best.first + index] = base + Int64(place + index * BlockSums.blockSize)
      }
      return best.count
    }

    private func length(ofRunAt first: Int, in bytes: [UInt8], from place: Int) -> Int {
      var count = 1
      while !search.ends.contains(first + count), place + (count + 1) * BlockSums.blockSize <= bytes.count,
        Self.crc32(bytes, place + count * BlockSums.blockSize) == search.sums[first + count]
      { count += 1 }
      return count
    }

    private static func crc32(_ bytes: [UInt8], _ place: Int) -> UInt32 {
      var checksum = CRC32()
      checksum.update(bytes.span.extracting(place..<place + BlockSums.blockSize))
      return checksum.value
    }

    /// Blocks that follow each other in both packages are one match.
    func matches() -> [Match] {
      var matches: [Match] = []
      let size = Int64(BlockSums.blockSize)
      for (number, place) in found.enumerated() where place >= 0 {
        let offset = search.offset(of: number)
        if let last = matches.last, last.offset + last.length == offset, last.place + last.length == place {
          matches[matches.count - 1] = Match(
            offset: last.offset, length: last.length + size, place: last.place)
        } else {
          matches.append(Match(offset: offset, length: size, place: place))
        }
      }
      return matches.sorted { $0.offset < $1.offset }
    }
  }
}
