import ZipArchive

/// Builds zips byte by byte, right or wrong in any field. Honest unless told otherwise.
public struct ZipBuilder: Sendable {
  /// In the order of the file and of the directory.
  public var entries: [ZipEntry] = []
  /// Bytes before the first local header.
  public var prefix: [UInt8] = []
  /// Whether recorded offsets count the prefix.
  public var offsetsCountPrefix = true
  /// Bytes between the last entry and the central directory.
  public var beforeDirectory: [UInt8] = []
  /// Bytes between the central directory and the end record, not counted in the directory's size.
  public var afterDirectory: [UInt8] = []
  /// The archive's comment.
  public var comment: [UInt8] = []
  /// The comment's length as recorded.
  public var commentLength: Int?
  /// Bytes after the comment.
  public var suffix: [UInt8] = []
  /// Writes a zip64 end record and locator.
  public var zip64End = false
  /// Puts the values into the end record although there is a zip64 one.
  public var zip64EndKeepsValues = false
  /// Numbers of the end record, when they are to be wrong.
  public var count, countOnThisDisk, directorySize, directoryOffset: Int?
  /// Of the end record and the zip64 one.
  public var diskNumber = 0
  /// Numbers of the zip64 end record and its locator, when they are to be wrong.
  public var zip64Count, zip64DirectoryOffset, zip64EndOffset: Int?

  /// An archive of `entries`.
  public init(_ entries: [ZipEntry] = []) { self.entries = entries }

  /// A deflated zip of these files, in this order; a name that ends with `/` is a folder.
  public static func zip(_ files: KeyValuePairs<String, FileContent>) -> [UInt8] {
    ZipBuilder(files.map { ZipEntry($0.key, $0.value) }).build()
  }

  /// The bytes of the zip.
  public func build() -> [UInt8] {
    var output = prefix
    let base = offsetsCountPrefix ? 0 : prefix.count
    var directory: [UInt8] = []
    for entry in entries {
      output += entry.bytesBefore
      let offset = entry.headerOffset ?? (output.count - base)
      if entry.hasLocalRecord { output += entry.localRecord() }
      if entry.hasCentralRecord { directory += entry.centralRecord(offset: offset) }
    }
    output += beforeDirectory
    let start = directoryOffset ?? (output.count - base)
    output += directory + afterDirectory
    output += end(
      directoryOffset: start, directorySize: directorySize ?? directory.count, at: output.count - base)
    return output + suffix
  }

  private func end(directoryOffset start: Int, directorySize size: Int, at position: Int) -> [UInt8] {
    let central = count ?? entries.count { $0.hasCentralRecord }
    let here = countOnThisDisk ?? central
    var output: [UInt8] = []
    if zip64End {
      // APPNOTE 4.3.14, 4.3.15.
      output += LittleEndian.bytes(0x0606_4B50, 4) + LittleEndian.bytes(44, 8) + LittleEndian.bytes(45, 2)
      output +=
        LittleEndian.bytes(45, 2) + LittleEndian.bytes(diskNumber, 4) + LittleEndian.bytes(diskNumber, 4)
      output += LittleEndian.bytes(zip64Count ?? here, 8) + LittleEndian.bytes(zip64Count ?? central, 8)
      output += LittleEndian.bytes(size, 8) + LittleEndian.bytes(zip64DirectoryOffset ?? start, 8)
      output += LittleEndian.bytes(0x0706_4B50, 4) + LittleEndian.bytes(0, 4)
      output += LittleEndian.bytes(zip64EndOffset ?? position, 8) + LittleEndian.bytes(1, 4)
    }
    let saturate = zip64End && !zip64EndKeepsValues
    // APPNOTE 4.3.16.
    output += LittleEndian.bytes(0x0605_4B50, 4) + LittleEndian.bytes(diskNumber, 2)
    output += LittleEndian.bytes(diskNumber, 2)
    output +=
      LittleEndian.bytes(saturate ? 0xFFFF : here, 2) + LittleEndian.bytes(saturate ? 0xFFFF : central, 2)
    output += LittleEndian.bytes(saturate ? 0xFFFF_FFFF : size, 4)
    output += LittleEndian.bytes(saturate ? 0xFFFF_FFFF : start, 4)
    return output + LittleEndian.bytes(commentLength ?? comment.count, 2) + comment
  }
}

/// What a file of a test zip holds: a string literal, an array of bytes, or `.repeating`.
public struct FileContent: Sendable, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral {
  /// All of it.
  public let bytes: [UInt8]

  /// These bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The text as UTF-8.
  public init(stringLiteral text: String) { bytes = Array(text.utf8) }

  /// These bytes.
  public init(arrayLiteral bytes: UInt8...) { self.bytes = bytes }

  /// `count` times the same byte.
  public static func repeating(_ byte: UInt8, count: Int) -> FileContent {
    FileContent([UInt8](repeating: byte, count: count))
  }
}

/// Numbers as zip writes them.
public enum LittleEndian {
  /// The low `width` bytes of `value`, least significant first.
  public static func bytes(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
