internal import HTTPWire
internal import Platform
internal import Synchronization

/// Answers kept ready under the request target they answer, bounded in number and bytes, all forgotten when the
/// catalogue changes. Any thread; a look-up costs about a hundred nanoseconds and makes no `String`.
final class AnswerCache<Value: Sendable>: Sendable {
  private let state: Mutex<State>
  private let clearings = Atomic<Int>(0)
  /// Answers name the host they were asked under.
  private let dependsOnHost: Bool

  /// `entries` is rounded up to a power of two, at least 8.
  init(entries: Int, bytes: Int, dependsOnHost: Bool) {
    var sets = 1
    while sets * Self.ways < entries, sets < 1 << 20 { sets *= 2 }
    state = Mutex(State(sets: sets, bytes: bytes))
    self.dependsOnHost = dependsOnHost
  }

  /// The answer to a request for the same target, host and scheme, in the object that holds it: large values are not
  /// copied.
  func entry(for request: HTTPRequest) -> Entry? {
    let hash = hash(of: request)
    let found = state.withLock { state -> Entry? in
      for slot in state.slots(of: hash) where state.hashes[slot] == hash {
        guard let entry = state.entries[slot] else { continue }
        if !state.isRecent[slot] { state.isRecent[slot] = true }
        return entry
      }
      return nil
    }
    guard let found, found.answers(request, dependsOnHost) else { return nil }
    return found
  }

  /// The state of the catalogue that answers are now kept of; take it before reading what an answer is made of.
  var token: Int64? { state.withLock { $0.token } }

  /// Keeps an answer in place of any before it, and tells whether it did: not when the catalogue changed since `token`
  /// was taken, and not when it alone would take more than an eighth of the room.
  @discardableResult
  func insert(_ value: Value, weight: Int, for request: HTTPRequest, token: Int64?) -> Bool {
    let hash = hash(of: request)
    let entry = Entry(request, value, weight: weight)
    return state.withLock { $0.insert(entry, hash: hash, token: token) }
  }

  /// Forgets everything unless the catalogue is still in the state `token`; nil keeps nothing until one is known.
  func refresh(token: Int64?) {
    state.withLock { state in
      // Under the lock: whoever finds the state new, and tells a publisher so, finds the edition new as well.
      if state.refresh(token: token) { clearings.add(1, ordering: .releasing) }
    }
  }

  /// Another number whenever everything may have been forgotten, and not before.
  var edition: Int { clearings.load(ordering: .acquiring) }

  /// How many answers are kept.
  var count: Int { state.withLock { $0.entries.reduce(0) { $0 + ($1 == nil ? 0 : 1) } } }

  /// From a random beginning. Colliding targets share one small set of slots and displace each other, so that nobody can
  /// make a look-up slow.
  private func hash(of request: HTTPRequest) -> UInt64 {
    let bytes = request.bytes.span
    let hash = bytes.quickHash(in: request.targetSlice.range, seed: request.isSecure ? seed ^ 1 : seed)
    return dependsOnHost ? bytes.quickHash(in: request.hostSlice.range, seed: hash) : hash
  }

  private let seed = UInt64.random(in: 0...UInt64.max)
  static var ways: Int { 8 }

  /// What the cache keeps under one target.
  final class Entry: Sendable {
    private let target: [UInt8]
    private let host: [UInt8]
    private let isSecure: Bool
    /// The answer.
    let value: Value
    fileprivate let weight: Int

    fileprivate init(_ request: HTTPRequest, _ value: Value, weight: Int) {
      target = Array(request.bytes[request.targetSlice.range])
      host = Array(request.bytes[request.hostSlice.range])
      isSecure = request.isSecure
      self.value = value
      self.weight = weight + target.count + host.count + 128
    }

    fileprivate func answers(_ request: HTTPRequest, _ dependsOnHost: Bool) -> Bool {
      request.equals(request.targetSlice, target)
        && (!dependsOnHost || isSecure == request.isSecure && request.equals(request.hostSlice, host))
    }
  }

  private struct State {
    var hashes: [UInt64]
    var entries: [Entry?]
    /// Used since the hand last went by.
    var isRecent: [Bool]
    var token: Int64?
    private let setMask: Int
    private let byteLimit: Int
    private var bytes = 0
    private var hand = 0
    private var isEmpty = true

    init(sets: Int, bytes: Int) {
      setMask = sets - 1
      byteLimit = bytes
      hashes = Array(repeating: 0, count: sets * AnswerCache.ways)
      entries = Array(repeating: nil, count: sets * AnswerCache.ways)
      isRecent = Array(repeating: false, count: sets * AnswerCache.ways)
    }

    func slots(of hash: UInt64) -> Range<Int> {
      let first = (Int(truncatingIfNeeded: hash) & setMask) * AnswerCache.ways
      return first..<first + AnswerCache.ways
    }

    mutating func insert(_ entry: Entry, hash: UInt64, token: Int64?) -> Bool {
      guard let token, token == self.token, entry.weight <= byteLimit / 8 else { return false }
      let slots = slots(of: hash)
      let slot =
        // One with this hash is of the same target, or one that a look-up would find in its place.
        slots.first { hashes[$0] == hash && entries[$0] != nil }
        ?? slots.first { entries[$0] == nil } ?? slots.first { !isRecent[$0] } ?? slots.lowerBound
      for other in slots { isRecent[other] = false }
      remove(slot)
      hashes[slot] = hash
      entries[slot] = entry
      isRecent[slot] = true
      bytes += entry.weight
      isEmpty = false
      while bytes > byteLimit { advance(sparing: slot) }
      return true
    }

    /// Whether it is another.
    mutating func refresh(token: Int64?) -> Bool {
      guard token == nil || token != self.token else { return false }
      clear()
      self.token = token
      return true
    }

    private mutating func clear() {
      guard !isEmpty else { return }
      for slot in entries.indices {
        entries[slot] = nil
        isRecent[slot] = false
      }
      bytes = 0
      isEmpty = true
    }

    private mutating func advance(sparing kept: Int) {
      hand = hand + 1 < entries.count ? hand + 1 : 0
      guard hand != kept else { return }
      if isRecent[hand] { isRecent[hand] = false } else { remove(hand) }
    }

    private mutating func remove(_ slot: Int) {
      guard let entry = entries[slot] else { return }
      bytes -= entry.weight
      entries[slot] = nil
    }
  }
}

extension HTTPRequest {
  /// Whether the bytes at a place are these.
  func equals(_ slice: Slice, _ expected: [UInt8]) -> Bool {
    Int(slice.count) == expected.count && bytes.span.holds(expected.span, at: Int(slice.start))
  }
}
