/// All that stands about one entry in its zip beside the payload: both headers, the descriptor, and the bytes before the local
/// header that belong to nobody. Taken apart so far as one part foretells another.
struct EntryHeaders {
  var form = HeaderForm()
  var name: [UInt8] = []
  /// Date in the upper half, time in the lower (APPNOTE 4.4.6).
  var dosTime: UInt32 = 0
  var crc32: UInt32 = 0
  var size: UInt64 = 0
  var compressedSize: UInt64 = 0
  /// Of the local header, from the start of the file. A decoder comes to know it last.
  var offset: UInt64 = 0
  /// Where, from the start of the directory's header on, its zip64 field has the offset.
  var offsetPlaces: [Int] = []
  /// The contents of each extra field, then what stands behind the last.
  var centralExtra: [[UInt8]] = []
  var localExtra: [[UInt8]] = []
  var comment: [UInt8] = []
  /// Bytes between the entry before it in the file and the local header.
  var gap: [UInt8] = []
  /// Of the local header, where the form says that nothing else tells them.
  var localName: [UInt8] = []
  var localTime: UInt32 = 0
  var localCRC: UInt32 = 0
  var localCompressedSize: UInt32 = 0
  var localSize: UInt32 = 0
  /// CRC-32 of the payload as it lies in the zip, of an encrypted entry: the same content is another payload each time.
  var payloadCRC: UInt32 = 0

  private static let ones: UInt32 = 0xFFFF_FFFF

  /// Appends the header of the directory as it stands there; where the form says that the zip64 field has the offset, the
  /// field has to be right already.
  func appendCentral(to output: inout [UInt8]) {
    let wide = form[.wide]
    output.put(Signature.centralHeader)
    for field in [HeaderForm.Field.versionMadeBy, .versionNeeded, .flags, .method] {
      output.put(half(form[field]))
    }
    output.put(dosTime)
    output.put(crc32)
    output.put(wide & 2 != 0 ? Self.ones : UInt32(truncatingIfNeeded: compressedSize))
    output.put(wide & 1 != 0 ? Self.ones : UInt32(truncatingIfNeeded: size))
    output.put(UInt16(truncatingIfNeeded: name.count))
    output.put(UInt16(truncatingIfNeeded: form.centralExtraLength))
    output.put(UInt16(truncatingIfNeeded: comment.count))
    output.put(half(form[.diskStart]))
    output.put(half(form[.internalAttributes]))
    output.put(form[.externalAttributes])
    output.put(wide & 4 != 0 ? Self.ones : UInt32(truncatingIfNeeded: offset))
    output += name
    Self.append(form.centralExtra, centralExtra, to: &output)
    output += comment
  }

  /// Appends the gap and the local header as they stand there.
  func appendLocal(to output: inout [UInt8]) {
    let wide = form[.wide]
    output += gap
    output.put(Signature.localHeader)
    output.put(half(form[.versionNeeded] ^ form[.localVersion]))
    output.put(half(form.localFlags))
    output.put(half(form[.method] ^ form[.localMethod]))
    output.put(form[.localTime] == HeaderForm.LocalRule.same ? dosTime : localTime)
    output.put(ruled(.localCRC, crc32, localCRC))
    output.put(
      ruled(
        .localCompressedSize, wide & 2 != 0 ? Self.ones : UInt32(truncatingIfNeeded: compressedSize),
        localCompressedSize))
    output.put(ruled(.localSize, wide & 1 != 0 ? Self.ones : UInt32(truncatingIfNeeded: size), localSize))
    let name = form[.localName] == HeaderForm.LocalRule.same ? name : localName
    output.put(UInt16(truncatingIfNeeded: name.count))
    output.put(UInt16(truncatingIfNeeded: form.localExtraLength))
    output += name
    Self.append(form.localExtra, localExtra, to: &output)
  }

  /// Appends the descriptor, if there is one.
  func appendDescriptor(to output: inout [UInt8]) {
    let forms = DataDescriptor.forms(crc32: crc32, compressedSize: compressedSize, size: size)
    let chosen = Int(form[.descriptor])
    if chosen >= 1, chosen <= forms.count { output += forms[chosen - 1] }
  }

  private func ruled(_ field: HeaderForm.Field, _ same: UInt32, _ other: UInt32) -> UInt32 {
    switch form[field] {
    case HeaderForm.LocalRule.same: same
    case HeaderForm.LocalRule.zero: 0
    case HeaderForm.LocalRule.ones: Self.ones
    default: other
    }
  }

  private func half(_ value: UInt32) -> UInt16 { UInt16(truncatingIfNeeded: value) }

  private static func append(_ shape: [UInt32], _ contents: [[UInt8]], to output: inout [UInt8]) {
    for (field, content) in zip(shape, contents) {
      output.put(UInt16(truncatingIfNeeded: field >> 16))
      output.put(UInt16(truncatingIfNeeded: field))
      output += content
    }
    if contents.count > shape.count, let tail = contents.last { output += tail }
  }
}
