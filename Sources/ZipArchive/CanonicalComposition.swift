// The standard library keeps NFC behind SPI, FoundationEssentials has none, and Foundation is not allowed here. This SPI is what
// swift-foundation itself builds on; the alternative is a table of 2,000 decompositions of our own. This is its only use.
@_spi(_Unicode) import Swift

extension String {
  /// The same text in Unicode normalisation form C.
  var composed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    var text = ""
    for scalar in _nfc { text.unicodeScalars.append(scalar) }
    return text
  }

  /// The same for all names that one folder of a file system without case could hold only once: NFC, each scalar in upper
  /// and then lower case where that is one scalar again.
  var caseFolded: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
    var text = ""
    for scalar in unicodeScalars {
      // Dotless i is a letter of its own, though its capital is I (Unicode's CaseFolding.txt leaves it alone).
      guard scalar != "\u{131}" else {
        text.unicodeScalars.append(scalar)
        continue
      }
      let upper = Self.single(scalar.properties.uppercaseMapping) ?? scalar
      text.unicodeScalars.append(Self.single(upper.properties.lowercaseMapping) ?? upper)
    }
    return text.composed
  }

  private static func single(_ mapping: String) -> Unicode.Scalar? {
    mapping.unicodeScalars.count == 1 ? mapping.unicodeScalars.first : nil
  }
}
