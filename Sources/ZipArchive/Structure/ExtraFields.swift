/// The extra fields of a header (APPNOTE 4.5) that change what an entry is.
struct ExtraFields {
  /// APPNOTE 4.5.3: the bytes of the zip64 field.
  private(set) var zip64: [UInt8]?
  /// APPNOTE 4.6.9: the bytes of the Unicode Path field.
  private(set) var unicodePath: [UInt8]?
  /// WinZip's AES field (AE-1, AE-2), 0x9901.
  private(set) var aes: [UInt8]?
  /// Info-ZIP's extended timestamp, 0x5455: seconds since 1970.
  private(set) var modifiedAt: Int64?
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
      case 0x5455 where content.count >= 5 && content[0] & 1 != 0:
        modifiedAt = Int64(Int32(bitPattern: content.uint32(at: 1)))
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

  /// APPNOTE 4.5.3: the field holds, in this order, those that are all ones in the header. Nil when it lacks one, or when
  /// readers that take its numbers by their place would come to others.
  func resolved(by zip64: [UInt8]?) -> HeaderSizes? {
    let all: UInt64 = 0xFFFF_FFFF
    guard let zip64 else {
      // An entry of exactly 4 GiB - 1 needs zip64 as well.
      return size == all || compressedSize == all || offset == all ? nil : self
    }
    let values = (0..<min(3, zip64.count / 8)).map { zip64.uint64(at: $0 * 8) }
    var rest = values[...]
    var result = self
    if size == all {
      guard let value = rest.popFirst() else { return nil }
      result.size = value
    }
    if compressedSize == all {
      guard let value = rest.popFirst() else { return nil }
      result.compressedSize = value
    }
    if offset == all {
      guard let value = rest.popFirst() else { return nil }
      result.offset = value
    }
    // Some writers give all numbers where one would do, or none.
    if !rest.isEmpty {
      let places = [result.size, result.compressedSize] + (result.offset.map { [$0] } ?? [])
      guard zip(values, places).allSatisfy({ $0 == $1 }) else { return nil }
    }
    return result
  }

  /// The disk that a zip64 field names behind its numbers, counted from 0; nil when it names none.
  static func disk(in zip64: [UInt8]?) -> UInt32? {
    guard let zip64, zip64.count % 8 == 4 else { return nil }
    return zip64.uint32(at: zip64.count - 4)
  }
}
