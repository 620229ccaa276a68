/// The extra fields of a header (APPNOTE 4.5) that change what an entry is.
struct ExtraFields {
  /// APPNOTE 4.5.3: the bytes of the zip64 field.
  private(set) var zip64: [UInt8]?
  /// APPNOTE 4.6.9: the bytes of the Unicode Path field.
  private(set) var unicodePath: [UInt8]?
  /// WinZip's AES field (AE-1, AE-2), 0x9901.
  private(set) var aes: [UInt8]?
  /// A field that must be there once is there again.
  private(set) var repeated: UInt16?

  /// Fields after one that runs past the end are not there for any tool, nor for us; Android's tools pad with zeros.
  init(_ bytes: ArraySlice<UInt8>) {
    let bytes = Array(bytes)
    var index = 0
    while index + 4 <= bytes.count {
      let (kind, length) = (bytes.uint16(at: index), Int(bytes.uint16(at: index + 2)))
      guard index + 4 + length <= bytes.count else { return }
      let content = Array(bytes[index + 4..<index + 4 + length])
      switch kind {
      case 0x0001: take(content, as: \.zip64, kind)
      case 0x7075: take(content, as: \.unicodePath, kind)
      case 0x9901: take(content, as: \.aes, kind)
      default: break
      }
      index += 4 + length
    }
  }

  private mutating func take(_ content: [UInt8], as field: WritableKeyPath<Self, [UInt8]?>, _ kind: UInt16) {
    if self[keyPath: field] != nil { repeated = kind }
    self[keyPath: field] = content
  }
}

/// Sizes and an offset as a header has them, 32 bits wide, and as they are once its zip64 field is read.
struct HeaderSizes {
  var size: UInt64
  var compressedSize: UInt64
  /// Nil in a local header.
  var offset: UInt64?

  /// APPNOTE 4.5.3: the field holds, in this order, those that are all ones in the header. Nil when it lacks one, or when it
  /// contradicts a header that is not all ones.
  func resolved(by zip64: [UInt8]?) -> HeaderSizes? {
    let all: UInt64 = 0xFFFF_FFFF
    var result = self
    guard let zip64 else {
      // An entry of exactly 4 GiB - 1 needs zip64 as well.
      return size == all || compressedSize == all || offset == all ? nil : self
    }
    let values = (0..<min(3, zip64.count / 8)).map { zip64.uint64(at: $0 * 8) }
    let needed = [size == all, compressedSize == all, offset == all].count { $0 }
    if needed == 0 {
      // Not allowed, but written by some; a reader that believes the field must come to the same sizes.
      guard values.count >= 2 else { return self }
      return values[0] == size && values[1] == compressedSize ? self : nil
    }
    guard values.count >= needed else { return nil }
    var next = 0
    // Some writers give both sizes where one would do.
    let givesBoth = values.count > needed && offset != all && values.count == 2
    if size == all {
      result.size = values[next]
      next += 1
    } else if givesBoth {
      guard values[0] == size else { return nil }
      next = 1
    }
    if compressedSize == all {
      result.compressedSize = values[next]
      next += 1
    }
    if offset == all { result.offset = values[next] }
    return result
  }
}
