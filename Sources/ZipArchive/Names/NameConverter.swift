internal import Platform

/// Reads names in one encoding. One thread at a time.
struct NameConverter {
  let encoding: NamesEncoding
  private let converters: [TextConverter]

  init(_ encoding: NamesEncoding) throws(ZipError) {
    self.encoding = encoding
    var converters: [TextConverter] = []
    do throws(SystemError) {
      for name in encoding.converterNames { converters.append(try TextConverter(from: name, to: "UTF-8")) }
    } catch {
      throw .system(error)
    }
    self.converters = converters
  }

  /// Nil when the bytes are no text in this encoding.
  func text(of name: [UInt8]) -> String? {
    if name.allSatisfy({ $0 < 0x80 }) || converters.isEmpty { return String(validating: name, as: UTF8.self) }
    var lastResort: String?
    for converter in converters {
      guard let text = converter.convert(name).flatMap({ String(validating: $0, as: UTF8.self) }) else {
        continue
      }
      // What one table leaves to private use may stand in the next one.
      if !text.unicodeScalars.contains(where: { (0xE000...0xF8FF).contains($0.value) }) { return text }
      lastResort = lastResort ?? text
    }
    return lastResort
  }
}
