/// How a `ZipWriter` writes what it is given.
public struct ZipWriterOptions: Sendable, Hashable {
  /// What becomes of a file's time of last change.
  public enum Dates: Sendable, Hashable {
    /// 1980-01-01 00:00 for all: the same files make the same bytes whenever they were written.
    case fixed
    /// In UTC, to two seconds, and to the second in an extended timestamp field (0x5455), which tools prefer.
    case kept
  }

  /// What becomes of symlinks in folders.
  public enum Symlinks: Sendable, Hashable {
    /// They are refused with the rule `symlink`, as a package with one is.
    case refused
    /// They are written as symlinks, for archives that are no packages.
    case kept
  }

  /// How files are encrypted. Names, sizes and folders never are.
  public enum Cipher: Sendable, Hashable {
    /// WinZip's AES (AE-2: without a CRC, with a code that tells every change). 7-Zip, WinZip and bsdtar read it.
    case aes128, aes192, aes256
    /// PKWARE's old cipher, which keeps nobody out for long; every tool reads it.
    case zipCrypto
  }

  /// 0 stores everything, 1 is fast, 9 is small.
  public var level: Int
  /// Stores media that is compressed already (see `PackedMedia`) without trying.
  public var storesMedia: Bool
  /// Times of last change.
  public var dates: Dates
  /// Symlinks in folders.
  public var symlinks: Symlinks

  /// Encrypts files of which there is a byte; nil leaves them readable. Each gets random bytes of its own: the same
  /// files never make the same archive twice.
  public var password: Password?
  /// With which cipher.
  public var cipher: Cipher

  /// Deflated at level 6, media stored, dates fixed, symlinks refused, nothing encrypted, unless told otherwise.
  public init(
    level: Int = 6, storesMedia: Bool = true, dates: Dates = .fixed, symlinks: Symlinks = .refused,
    password: Password? = nil, cipher: Cipher = .aes256
  ) {
    self.level = level
    self.storesMedia = storesMedia
    self.dates = dates
    self.symlinks = symlinks
    self.password = password
    self.cipher = cipher
  }

  /// What `game-depot pack` writes: the same tree makes the same bytes, as small as zlib makes it.
  public static let reproducible = ZipWriterOptions(level: 9)
}
