// The standard library keeps NFC behind SPI, FoundationEssentials has none, and Foundation is not allowed here. This SPI is what
// swift-foundation itself builds on; the alternative is a table of 2,000 decompositions of our own. This is its only use.
@_spi(_Unicode) import Swift

extension String {
  /// The same text in Unicode normalisation form C.
  var composed: String {
    if unicodeScalars.allSatisfy(\.isComposed) { return self }
    var text = ""
    text.reserveCapacity(utf8.count)
    for scalar in _nfc { text.unicodeScalars.append(scalar) }
    return text
  }

  /// See `CaseFolding`; for a name or two.
  var caseFolded: String {
    var folding = CaseFolding()
    return folding.fold(self)
  }
}

extension Unicode.Scalar {
  /// In form C wherever it stands: nothing of these ranges decomposes, or composes with what is before it. Most names that
  /// are not ASCII have nothing else: Latin, kana and ideographs, Hangul syllables.
  fileprivate var isComposed: Bool {
    switch value {
    case 0..<0x300, 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
    default: false
    }
  }
}

/// Makes the same text of all names that one folder of a file system without case could hold only once: by Unicode's full
/// case folding (as APFS folds: `ß` is `ss`), in NFC. Taken from the case mappings: lower, upper and lower again come to the
/// same. Remembers what it has looked up.
struct CaseFolding {
  private var known: [Unicode.Scalar: String] = [:]

  mutating func fold(_ name: String) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
    var text = ""
    text.reserveCapacity(name.utf8.count)
    for scalar in name.unicodeScalars {
      if scalar.properties.changesWhenCaseMapped {
        text += fold(scalar)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text.composed
  }

  private mutating func fold(_ scalar: Unicode.Scalar) -> String {
    if let text = known[scalar] { return text }
    var text = ""
    if scalar == "\u{131}" {
      // Dotless i is a letter of its own, though its capital is I (Unicode's CaseFolding.txt leaves it alone).
      text.unicodeScalars.append(scalar)
    } else {
      for lower in scalar.properties.lowercaseMapping.unicodeScalars {
        for upper in lower.properties.uppercaseMapping.unicodeScalars {
          text += upper.properties.lowercaseMapping
        }
      }
    }
    known[scalar] = text
    return text
  }
}
