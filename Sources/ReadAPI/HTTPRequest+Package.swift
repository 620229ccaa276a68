package import HTTPWire

extension HTTPRequest {
  /// Whether the path ends in `.zip`, as those of packages do.
  package var namesPackage: Bool {
    let path = pathSlice.range
    guard path.count > 4 else { return false }
    let end = path.upperBound
    return bytes[end - 4] == UInt8(ascii: ".") && bytes[end - 3] == UInt8(ascii: "z")
      && bytes[end - 2] == UInt8(ascii: "i") && bytes[end - 1] == UInt8(ascii: "p")
  }
}
