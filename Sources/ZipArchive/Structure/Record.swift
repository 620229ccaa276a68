/// One entry of the central directory, kept for as long as the reader lives.
struct Record: Sendable {
  /// What the entry claims to be.
  enum Kind: Sendable, Hashable { case file, folder, symlink, special }

  /// Decoded and cleaned (see `EntryName`): `/` separated, no slash at the end.
  var path: String
  var kind: Kind
  /// Dropped: checked, but not unpacked.
  var isJunk = false
  var method: UInt16
  var flags: UInt16
  /// Of the last change, as DOS has it (APPNOTE 4.4.6).
  var time: UInt16
  /// Seconds since 1970.
  var modifiedAt: Int64
  var crc32: UInt32
  var size: Int64
  var compressedSize: Int64
  var headerOffset: Int64
  /// Of the first byte after the local header; nil when there is no local header that could be read.
  var dataOffset: Int64?
  /// Of the first byte after data and descriptor.
  var endOffset: Int64
  var encryption: Encryption?

  var isFolder: Bool { kind == .folder }
  /// Bit 0 (APPNOTE 4.4.4), whether or not we know the cipher.
  var isEncrypted: Bool { flags & 1 != 0 }

  /// Its bytes can be looked at, without a password or, when it is `open`, with its keys.
  func isReadable(open: Bool) -> Bool {
    dataOffset != nil && (!isEncrypted || open)
      && (contentMethod == Method.stored || contentMethod == Method.deflate)
  }
}
