internal import ZipArchive

/// Where each byte of a package comes from when it is put together again, in the order of the file.
struct RebuildPlan: Sendable {
  /// What one source gives.
  struct Step: Sendable, Hashable {
    /// Where in the package it goes.
    var offset: Int64
    var length: Int64
    var source: Source

    var end: Int64 { offset + length }

    var isFetched: Bool { if case .network = source { true } else { false } }
  }

  /// Who has the bytes.
  enum Source: Sendable, Hashable {
    /// The index: these bytes.
    case index(ArraySlice<UInt8>)
    /// One of the packages that stand here, from this offset.
    case standing(package: Int, at: Int64)
    /// The package itself, further to its front.
    case earlier(at: Int64)
    /// The server.
    case network
  }

  /// Bytes that a request and the head of its answer cost, as the choice between ways counts them.
  static let requestCost: Int64 = 250
  /// Fewer bytes than this between two missing parts are asked for with them: a few times what a request costs in bytes, for
  /// waiting for another answer costs time.
  static let maximumGap: Int64 = 1 << 10

  private(set) var steps: [Step] = []
  /// Payloads that are nowhere here as a whole.
  private(set) var missing: [PackagePayload] = []

  /// A stretch of a missing payload that one of the packages has.
  struct Find: Sendable {
    var package: Int
    var match: BlockSearch.Match
  }

  /// Plans a package of these pieces; what none of the `tables` and no earlier piece has comes over the network. Reads
  /// encrypted payloads of the packages that stand here, nothing else. `finds` in the order of the package, none overlaps
  /// another.
  init(_ index: PackageIndex, standing tables: [PayloadTable], finds: [Find] = []) {
    var builder = Builder(tables: tables, finds: finds)
    for piece in index.pieces { builder.add(piece) }
    steps = builder.steps
    missing = builder.missing
  }

  /// Bytes that come from the network, requests included, when everything before `position` is here.
  func cost(from position: Int64) -> Int64 {
    steps[step(at: position)...].reduce(0) { sum, step in
      step.isFetched ? sum + step.end - max(step.offset, position) + Self.requestCost : sum
    }
  }

  /// The step that the byte at `position` belongs to; past the last one at the end.
  func step(at position: Int64) -> Int {
    var (low, high) = (0, steps.count)
    while low < high {
      let middle = (low + high) / 2
      if steps[middle].end <= position { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds pieces one after the other.
  private struct Builder {
    let tables: [PayloadTable]
    var finds: ArraySlice<Find>
    var steps: [Step] = []
    var missing: [PackagePayload] = []
    private var position: Int64 = 0
    /// Where payloads of this package went that could not be copied.
    private var earlier: [PayloadKey: Int64] = [:]
    /// The last step that is the network's.
    private var lastFetch: Int?

    init(tables: [PayloadTable], finds: [Find]) {
      self.tables = tables
      self.finds = finds[...]
    }

    mutating func add(_ piece: PackageIndex.Piece) {
      switch piece {
      case .bytes(let bytes): add(Int64(bytes.count), from: .index(bytes))
      case .payload(let payload):
        if let source = source(of: payload) {
          add(payload.compressedSize, from: source)
        } else {
          fetch(payload)
        }
      }
    }

    private func source(of payload: PackagePayload) -> Source? {
      for (package, table) in tables.enumerated() {
        // A package that cannot be read has nothing to give.
        if let offset = try? table.offset(of: payload) { return .standing(package: package, at: offset) }
      }
      return earlier[PayloadKey(payload)].map { .earlier(at: $0) }
    }

    private mutating func add(_ length: Int64, from source: Source) {
      steps.append(Step(offset: position, length: length, source: source))
      position += length
    }

    private mutating func fetch(_ payload: PackagePayload) {
      earlier[PayloadKey(payload)] = position
      missing.append(payload)
      let end = position + payload.compressedSize
      while let find = finds.first, find.match.offset < end {
        finds.removeFirst()
        guard find.match.offset >= position, find.match.offset + find.match.length <= end else { continue }
        fetch(find.match.offset - position)
        add(find.match.length, from: .standing(package: find.package, at: find.match.place))
      }
      fetch(end - position)
    }

    private mutating func fetch(_ length: Int64) {
      guard length > 0 else { return }
      if let lastFetch, position - steps[lastFetch].end < RebuildPlan.maximumGap {
        steps.removeLast(steps.count - lastFetch - 1)
        position += length
        steps[lastFetch].length = position - steps[lastFetch].offset
      } else {
        lastFetch = steps.count
        add(length, from: .network)
      }
    }
  }

  /// What tells payloads apart, wherever they lie.
  private struct PayloadKey: Hashable {
    let crc32: UInt32
    let compressedSize: Int64
    let size: Int64
    let encryptedCRC32: UInt32?

    init(_ payload: PackagePayload) {
      crc32 = payload.crc32
      compressedSize = payload.compressedSize
      size = payload.size
      encryptedCRC32 = payload.encryptedCRC32
    }
  }
}
