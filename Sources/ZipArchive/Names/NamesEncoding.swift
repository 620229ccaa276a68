/// How a zip's names are encoded where the zip itself does not say. The raw value is the name that manifests, findings and
/// options carry.
public enum NamesEncoding: String, Sendable, Hashable, CaseIterable {
  case utf8 = "utf-8"
  /// Chinese in the form of the mainland; GBK and code page 936 are parts of it.
  case gb18030
  /// Chinese in the form of Taiwan and Hong Kong, with Hong Kong's supplement.
  case big5
  /// Japanese as Windows writes it: code page 932.
  case shiftJIS = "shift_jis"
  /// Korean as Windows writes it: code page 949.
  case eucKR = "euc-kr"
  /// What DOS wrote and APPNOTE appendix D names: German, French and other western names.
  case cp437

  /// The encoding of that name, or of another that it goes by, whatever the case; nil for any other.
  public init?(_ name: String) {
    switch name.lowercased() {
    case "utf-8", "utf8": self = .utf8
    case "gb18030", "gbk", "gb2312", "cp936", "ms936", "windows-936": self = .gb18030
    case "big5", "big-5", "big5-hkscs", "cp950", "ms950", "windows-950": self = .big5
    case "shift_jis", "shift-jis", "sjis", "cp932", "ms932", "windows-31j": self = .shiftJIS
    case "euc-kr", "euckr", "cp949", "ms949", "uhc", "windows-949": self = .eucKR
    case "cp437", "ibm437", "437": self = .cp437
    default: return nil
    }
  }

  /// The names of all, for messages.
  public static let list = allCases.map(\.rawValue).joined(separator: ", ")

  /// What iconv(3) calls it, in the order to try; none where nothing has to be converted. The wider relatives are what is
  /// meant: who says Shift_JIS on Windows writes code page 932. Code page 950 comes before Hong Kong's supplement, which
  /// lacks some of its signs.
  var converterNames: [String] {
    switch self {
    case .utf8: []
    case .gb18030: ["GB18030"]
    case .big5: ["CP950", "BIG5-HKSCS"]
    case .shiftJIS: ["CP932"]
    case .eucKR: ["UHC"]
    case .cp437: ["IBM437"]
    }
  }
}
