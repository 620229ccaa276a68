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
      entries: source.count, size: Int(source.skeletonSize), source: source)
    guard try PackageIndex(decoding: bytes, limits: limits).isIndex(of: file) else {
      throw .irregular("it has what an index cannot tell")
    }
    return bytes
  }

  /// Whether all that is no payload stands in `file` as this says, and the file is as long. Reads no payload.
  public func isIndex(of file: File) throws(IndexError) -> Bool {
    let zip = try reading({ () throws(ZipError) in try ZipBytes(file) })
    guard zip.size == packageSize else { return false }
    var offset: Int64 = 0
    for piece in pieces {
      switch piece {
      case .bytes(let bytes):
        let found = try reading({ () throws(ZipError) in try zip.bytes(at: offset, count: bytes.count) })
        guard found[...] == bytes else { return false }
        offset += Int64(bytes.count)
      case .payload(let payload): offset += payload.compressedSize
      }
    }
    return true
  }
}
