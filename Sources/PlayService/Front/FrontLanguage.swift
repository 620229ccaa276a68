internal import HTTPWire

/// The languages the front page speaks.
enum FrontLanguage: String, CaseIterable, Sendable {
  case english = "en"
  case chinese = "zh"

  /// The language asked for by `?lang=`, else the one of `Accept-Language` with the highest weight (RFC 9110 §12.5.4),
  /// of equal ones the first; English when neither is among them.
  static func preferred(by request: HTTPRequest, asked: FrontLanguage?) -> FrontLanguage {
    if let asked { return asked }
    var best: (language: FrontLanguage, weight: Double)?
    for member in request.values(of: "accept-language").joined(separator: ",").split(separator: ",").prefix(
      64)
    {
      let parts = member.split(separator: ";", maxSplits: 1)
      guard let range = parts.first?.drop(while: { $0 == " " }).prefix(while: { $0.isLetter }),
        let language = FrontLanguage(rawValue: range.lowercased())
      else { continue }
      var weight = 1.0
      if parts.count > 1 {
        let parameter = parts[1].filter { $0 != " " }.lowercased()
        guard parameter.hasPrefix("q="), let read = Double(parameter.dropFirst(2)) else { continue }
        weight = read
      }
      // Written so that a weight that is no number never wins.
      if weight > (best?.weight ?? 0) { best = (language, weight) }
    }
    return best?.language ?? .english
  }

  /// What a link to the page in this language says.
  var name: String {
    switch self {
    case .english: "English"
    case .chinese: "中文"
    }
  }

  var words: FrontWords {
    switch self {
    case .english: .english
    case .chinese: .chinese
    }
  }
}
