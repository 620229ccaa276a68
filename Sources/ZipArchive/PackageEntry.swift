/// A file of a package, and where its bytes lie in the zip.
public struct PackageEntry: Sendable, Hashable {
  /// The path to create on disk: UTF-8 NFC, `/` separated, relative, without the wrapper folder.
  public let path: String
  /// Bytes, unpacked, as declared.
  public let size: Int64
  /// Bytes from `dataOffset` on that belong to this entry.
  public let compressedSize: Int64
  /// Of the unpacked bytes, as declared.
  public let crc32: UInt32
  /// 0 stored, 8 deflate, 99 WinZip AES (APPNOTE 4.4.5).
  public let method: Int
  /// Of the local header, from the start of the file.
  public let headerOffset: Int64
  /// Of the first byte after the local header, from the start of the file.
  public let dataOffset: Int64
  /// Needs a password.
  public let isEncrypted: Bool
}
