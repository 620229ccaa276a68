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

  /// The same for all names that one folder of a file system without case could hold only once: Unicode's full case folding
  /// (as APFS folds: `ß` is `ss`), in NFC. Taken from the case mappings: lower, upper and lower again come to the same.
  var caseFolded: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
    var text = ""
    for scalar in unicodeScalars {
      // Dotless i is a letter of its own, though its capital is I (Unicode's CaseFolding.txt leaves it alone).
      guard scalar != "\u{131}" else {
        text.unicodeScalars.append(scalar)
        continue
      }
      for lower in scalar.properties.lowercaseMapping.unicodeScalars {
        for upper in lower.properties.uppercaseMapping.unicodeScalars {
          text += upper.properties.lowercaseMapping
        }
      }
    }
    return text.composed
  }
}
