/// The bytes of one entry of a package as they lie in the zip, between its header and what follows.
public struct PackagePayload: Sendable, Hashable {
  /// Of the unpacked bytes, as the directory declares it.
  public let crc32: UInt32
  /// Bytes in the zip.
  public let compressedSize: Int64
  /// Bytes, unpacked.
  public let size: Int64
  /// Of its first byte, from the start of the package.
  public let offset: Int64
  /// CRC-32 of the bytes in the zip, of an encrypted entry: encrypted again, the same content is another payload.
  public let encryptedCRC32: UInt32?

  /// A payload that is described so.
  public init(crc32: UInt32, compressedSize: Int64, size: Int64, offset: Int64, encryptedCRC32: UInt32? = nil)
  {
    self.crc32 = crc32
    self.compressedSize = compressedSize
    self.size = size
    self.offset = offset
    self.encryptedCRC32 = encryptedCRC32
  }
}
