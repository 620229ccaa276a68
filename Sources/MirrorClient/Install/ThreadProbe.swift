internal import Platform

/// Finds out whether a game needs threads, and so to be isolated (COOP, COEP), by looking for what those who build games
/// for the web write into their pages and scripts.
///
/// What counts: `crossOriginIsolated`; `SharedArrayBuffer`, unless only its type is asked for (`typeof`, `instanceof`, its
/// name in quotes), as libraries do that run without; Emscripten's threads by the name of its workers, `em-pthread`, or
/// `ENVIRONMENT_IS_PTHREAD`. Godot's pages since 4.3 say it outright, `GODOT_THREADS_ENABLED = true` or `false`, and are
/// believed: the same engine script serves both.
struct ThreadProbe: Sendable {
  /// Bytes looked at in one version; what follows is not.
  static let limit = 96 << 20
  static let pieceSize = 1 << 20
  /// Bytes before a mark and from its beginning that are needed to judge it.
  private static let (before, behind) = (24, 64)

  private var left = ThreadProbe.limit
  private var hasMark = false
  private var godot: Bool?

  private init() {}

  /// Looks at the files of a version at `paths` below `folder`. What cannot be read does not count.
  static func needsThreads(_ paths: [String], in folder: Directory) -> Bool {
    var probe = ThreadProbe()
    // All pages first: what one of them says outright decides.
    for path in paths where hasEnding(path, ["html", "htm", "xhtml"]) { probe.look(at: path, in: folder) }
    for path in paths where hasEnding(path, ["js", "mjs", "cjs"]) { probe.look(at: path, in: folder) }
    return probe.godot ?? probe.hasMark
  }

  private static func hasEnding(_ path: String, _ endings: [String]) -> Bool {
    guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
    return endings.contains(path[path.utf8.index(after: dot)...].lowercased())
  }

  private mutating func look(at path: String, in folder: Directory) {
    guard left > 0, godot == nil, let file = try? folder.file(path, mode: .read) else { return }
    var (offset, judged): (Int64, Int) = (0, 0)
    var window: [UInt8] = []
    var isLast = false
    while !isLast {
      let piece = (try? file.bytes(at: offset, count: min(Self.pieceSize, left))) ?? []
      offset += Int64(piece.count)
      left -= piece.count
      isLast = piece.isEmpty || left == 0
      window += piece
      // A mark whose end is not there yet is judged with the next piece.
      let end = isLast ? window.count : max(judged, window.count - Self.behind)
      judge(window, judged..<end)
      let dropped = max(0, end - Self.before)
      window.removeFirst(dropped)
      judged = end - dropped
    }
  }

  private mutating func judge(_ bytes: [UInt8], _ range: Range<Int>) {
    let text = bytes.span
    for index in range {
      switch text[index] {
      case UInt8(ascii: "S") where text.has(Mark.memory, at: index):
        if !Self.isAskedForItsType(text, at: index) { hasMark = true }
      case UInt8(ascii: "c") where text.has(Mark.isolated, at: index): hasMark = true
      case UInt8(ascii: "E") where text.has(Mark.environment, at: index): hasMark = true
      case UInt8(ascii: "e") where text.has(Mark.worker, at: index): hasMark = true
      case UInt8(ascii: "G") where text.has(Mark.godot, at: index):
        godot = godot ?? Self.assigned(text, after: index + Mark.godot.count)
      default: break
      }
    }
  }

  private enum Mark {
    static let memory = Array("SharedArrayBuffer".utf8)
    static let isolated = Array("crossOriginIsolated".utf8)
    static let environment = Array("ENVIRONMENT_IS_PTHREAD".utf8)
    static let worker = Array("em-pthread".utf8)
    static let godot = Array("GODOT_THREADS_ENABLED".utf8)
    static let questions = ["typeof ", "instanceof ", "typeof self.", "typeof window.", "typeof globalThis."]
      .map { Array($0.utf8) }
    static let object = Array("[object ".utf8)
    static let (yes, no) = (Array("true".utf8), Array("false".utf8))
  }

  private static func isAskedForItsType(_ text: Span<UInt8>, at index: Int) -> Bool {
    if Mark.questions.contains(where: { text.has($0, at: index - $0.count) }) { return true }
    let end = index + Mark.memory.count
    guard index > 0, end < text.count else { return false }
    let isQuoted = text[end] == text[index - 1] && [0x22, 0x27, 0x60].contains(text[end])
    return isQuoted || text[end] == UInt8(ascii: "]") && text.has(Mark.object, at: index - Mark.object.count)
  }

  /// `= true` or `= false` with any white space; nil for anything else, such as a use of the name.
  private static func assigned(_ text: Span<UInt8>, after start: Int) -> Bool? {
    let equals = text.firstInk(from: start)
    guard equals < text.count, text[equals] == UInt8(ascii: "=") else { return nil }
    let value = text.firstInk(from: equals + 1)
    if text.has(Mark.yes, at: value) { return true }
    return text.has(Mark.no, at: value) ? false : nil
  }
}

extension Span<UInt8> {
  fileprivate func has(_ word: [UInt8], at start: Int) -> Bool {
    guard start >= 0, start + word.count <= count else { return false }
    for offset in 0..<word.count where word[offset] != self[start + offset] { return false }
    return true
  }

  /// The first byte that is no white space, at most some dozen further on.
  fileprivate func firstInk(from start: Int) -> Int {
    var index = start
    while index < count, index < start + 12, [0x20, 0x09, 0x0A, 0x0D].contains(self[index]) { index += 1 }
    return index
  }
}
