public import Platform

extension PackageIndex {
  /// The bytes of the index of a package. Reads all of the zip that is no payload, and encrypted payloads; what it gives has
  /// been read back and compared with the file. The same package gives the same bytes.
  ///
  /// Throws `irregular` for a zip that the rules would not accept either, `overLimit` when there is more in it than
  /// `limits` say, and the system's failures.
  public static func make(of file: File, limits: IndexLimits) throws(IndexError) -> [UInt8] {
    let zip = try reading({ () throws(ZipError) in try ZipBytes(file) })
    let source = try IndexSource(zip, limits: limits)
    let bytes = try IndexFormat.write(
      entries: source.count, size: Int(source.skeletonSize), source: source
    ).bytes
    try PackageIndex(decoding: bytes, limits: limits).compare(with: zip)
    return bytes
  }

  /// Throws unless the pieces are those of the zip.
  private func compare(with zip: ZipBytes) throws(IndexError) {
    var offset: Int64 = 0
    for piece in pieces {
      switch piece {
      case .bytes(let bytes):
        let found = try reading({ () throws(ZipError) in try zip.bytes(at: offset, count: bytes.count) })
        guard found[...] == bytes else {
          throw .irregular("what stands at offset \(offset) cannot be told by an index")
        }
        offset += Int64(bytes.count)
      case .payload(let payload): offset += payload.compressedSize
      }
    }
    guard offset == zip.size else {
      throw .irregular("it is \(zip.size) bytes long, the index tells \(offset)")
    }
  }
}
