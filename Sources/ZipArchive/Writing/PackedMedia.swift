/// Files that are compressed already: deflating them again costs time, saves next to nothing, and hides from an update
/// what stayed the same in them.
enum PackedMedia {
  /// Lower-case extensions.
  private static let extensions: Set<Substring> = [
    "png", "apng", "jpg", "jpeg", "jxl", "webp", "avif", "heic", "gif",
    "mp3", "m4a", "aac", "ogg", "oga", "opus", "flac", "mp4", "m4v", "mov", "webm", "ogv", "mkv",
    "woff", "woff2", "ktx2", "basis",
    "zip", "gz", "tgz", "br", "zst", "xz", "bz2", "7z", "rar", "jar", "apk",
  ]

  /// What such files begin with. Nil matches any byte.
  private static let beginnings: [[UInt8?]] = [
    text("\u{89}PNG\r\n\u{1A}\n"),
    [0xFF, 0xD8, 0xFF],
    text("GIF87a"), text("GIF89a"),
    text("RIFF") + unknown(4) + text("WEBP"),
    // ISO media: MP4, M4A, AVIF, HEIC.
    unknown(4) + text("ftyp"),
    [0x1A, 0x45, 0xDF, 0xA3],
    text("OggS"), text("fLaC"), text("ID3"),
    text("wOFF"), text("wOF2"),
    text("\u{AB}KTX 20\u{BB}"),
    text("PK\u{3}\u{4}"),
    [0x1F, 0x8B, 0x08],
    [0x28, 0xB5, 0x2F, 0xFD],
    [0xFD] + text("7zXZ") + [0],
    text("BZh"),
    text("7z\u{BC}\u{AF}\u{27}\u{1C}"),
  ]

  /// Whether the extension of `path` says so.
  static func isNamed(_ path: String) -> Bool {
    guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
    let text = path[path.utf8.index(after: dot)...]
    return text.utf8.count <= 5 && extensions.contains(text.lowercased()[...])
  }

  /// Whether `head`, the first bytes of a file, says so.
  static func begins(_ head: some Collection<UInt8>) -> Bool {
    beginnings.contains { beginning in
      head.count >= beginning.count && zip(head, beginning).allSatisfy { $1 == nil || $0 == $1 }
    }
  }

  /// Each character below U+0100 is a byte.
  private static func text(_ characters: String) -> [UInt8?] {
    characters.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }

  private static func unknown(_ count: Int) -> [UInt8?] { [UInt8?](repeating: nil, count: count) }
}
