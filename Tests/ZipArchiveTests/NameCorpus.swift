import Platform
import TestSupport

/// Archives as games come in them, their names in one encoding and unflagged: the same ones in every run.
struct NameCorpus {
  /// Who made an archive, and with what.
  struct Style: Sendable {
    let what: String
    let words: [String]
    /// iconv(3)'s name for what the writer's system encoded names in.
    let written: String
    /// The verdict that is right.
    let verdict: String
    /// Words stand together, without an underscore.
    let isDense: Bool
  }

  struct Archive {
    let names: [String]
    let entries: [ZipEntry]
  }

  static let styles = [
    Style(
      what: "simplified Chinese, GBK", words: GameWords.simplifiedChinese, written: "GBK", verdict: "gb18030",
      isDense: true),
    Style(
      what: "simplified Chinese, GB 18030", words: GameWords.simplifiedChinese, written: "GB18030",
      verdict: "gb18030", isDense: true),
    Style(
      what: "traditional Chinese, GBK", words: GameWords.traditionalChinese, written: "GBK",
      verdict: "gb18030", isDense: true),
    Style(
      what: "traditional Chinese, Big5", words: GameWords.traditionalChinese, written: "CP950",
      verdict: "big5", isDense: true),
    Style(
      what: "Japanese, Shift_JIS", words: GameWords.japanese, written: "CP932", verdict: "shift_jis",
      isDense: true),
    Style(what: "Korean, EUC-KR", words: GameWords.korean, written: "UHC", verdict: "euc-kr", isDense: true),
    Style(
      what: "German, CP437", words: GameWords.german, written: "IBM437", verdict: "cp437", isDense: false),
    Style(
      what: "French, CP437", words: GameWords.french, written: "IBM437", verdict: "cp437", isDense: false),
    Style(
      what: "German, CP850", words: GameWords.german, written: "IBM850", verdict: "cp437", isDense: false),
    Style(
      what: "French, CP850", words: GameWords.french, written: "IBM850", verdict: "cp437", isDense: false),
  ]

  private static let ends = [
    ".png", ".jpg", ".mp3", ".ogg", ".json", ".js", ".webp", ".txt", ".wav", ".plist",
  ]
  private static let fronts = ["bg_", "ui_", "btn_", "UI", "BGM", "icon-"]
  private static let backs = ["(1)", " - Copy", "@2x", "_hd", "-min", ".bak"]
  private static let plain = [
    "index.html", "js/main.js", "css/style.css", "assets/a01.png", "lib/phaser.min.js", "res/ui/btn_ok.png",
    "readme.txt", "img/logo.png",
  ]

  private let style: Style
  private let encoder: TextConverter
  private let words: [String]
  private var random: SplitMix

  init(_ style: Style, seed: UInt64) throws {
    self.style = style
    let encoder = try TextConverter(from: "UTF-8", to: style.written)
    self.encoder = encoder
    words = style.words.filter { encoder.convert(Array($0.utf8)) != nil }
    random = SplitMix(state: seed)
  }

  /// The next archive: 1 to 200 names beyond ASCII, short lists as often as long ones, and up to eight in ASCII.
  mutating func next() -> Archive {
    var count = 1
    // Each doubling is as likely as the next.
    while count < 200, below(8) > 0 { count += 1 + count / 5 }
    let folder = below(10) < 3 ? word() + "/" : ""
    var names: [String] = []
    var seen: Set<String> = []
    // Few words make few names: a list may end up shorter.
    for _ in 0..<min(200, count) * 2 where names.count < count {
      let name = folder + name()
      guard seen.insert(name.lowercased()).inserted else { continue }
      names.append(name)
    }
    let entries = names.compactMap { name in
      encoder.convert(Array(name.utf8)).map { bytes in ZipEntry(bytes, "x").with { $0.flags = 0 } }
    }
    let plain = Self.plain.prefix(below(9)).map { ZipEntry($0, "x") }
    return Archive(names: names, entries: plain + entries)
  }

  private mutating func name() -> String {
    let word = word()
    let name: String
    switch below(100) {
    case ..<35: name = word
    case ..<50: name = "\(word)\(1 + below(19))"
    case ..<60: name = "\(word)_\(10 + below(80))"
    case ..<70: name = word + (style.isDense ? "" : "_") + self.word()
    case ..<78: name = pick(Self.fronts) + word
    case ..<85: name = word + pick(Self.backs)
    case ..<92: name = "\(word)_\(self.word())"
    default: name = "\(word)/\(self.word())"
    }
    return name + pick(Self.ends)
  }

  private mutating func word() -> String {
    while true {
      let word = pick(words)
      // Some of the words are ASCII; names are to be decided by those that are not.
      if !word.utf8.allSatisfy({ $0 < 0x80 }) { return word }
    }
  }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private mutating func pick(_ list: [String]) -> String { list[below(list.count)] }
}
