/// The rules a package is judged by. The raw value is the name that findings carry, the same in every answer and report.
public enum Rule: String, Sendable, Hashable, CaseIterable {
  // Structure
  case notAZip = "not-a-zip"
  case truncated
  case multiDisk = "multi-disk"
  case prefixData = "prefix-data"
  case trailingData = "trailing-data"
  case severalEnds = "several-ends"
  case countMismatch = "count-mismatch"
  case directoryOffset = "directory-offset"
  case zip64Conflict = "zip64-conflict"
  case overlap
  case hiddenEntry = "hidden-entry"
  case gap
  case localCentralMismatch = "local-central-mismatch"
  case descriptorMismatch = "descriptor-mismatch"
  case unsupportedMethod = "unsupported-method"
  case crcMismatch = "crc-mismatch"
  case sizeMismatch = "size-mismatch"
  case directoryData = "directory-data"
  case inflateError = "inflate-error"

  // Names
  case nameEncoding = "name-encoding"
  case namesEncoding = "names-encoding"
  case backslash
  case dotPrefix = "dot-prefix"
  case absolutePath = "absolute-path"
  case drivePath = "drive-path"
  case parentPath = "parent-path"
  case emptyComponent = "empty-component"
  case controlCharacter = "control-character"
  case nameTooLong = "name-too-long"
  case duplicate
  case caseCollision = "case-collision"
  case fileDirectoryConflict = "file-directory-conflict"
  case reservedName = "reserved-name"

  // Kinds
  case symlink
  case specialFile = "special-file"
  case encrypted

  // Sizes
  case tooManyEntries = "too-many-entries"
  case unpackedTooLarge = "unpacked-too-large"
  case entryTooLarge = "entry-too-large"
  case ratio

  // Content
  case junk
  case wrapperFolder = "wrapper-folder"
  case noIndex = "no-index"
  case missingAsset = "missing-asset"
  case emptyFile = "empty-file"
  case noFiles = "no-files"

  /// How a breach counts unless an option says otherwise.
  public var severity: Finding.Severity {
    switch self {
    case .gap, .backslash, .dotPrefix, .junk, .wrapperFolder, .noIndex, .missingAsset: .warning
    case .encrypted, .namesEncoding: .notice
    case .notAZip, .truncated, .multiDisk, .prefixData, .trailingData, .severalEnds, .countMismatch,
      .directoryOffset, .zip64Conflict, .overlap, .hiddenEntry, .localCentralMismatch, .descriptorMismatch,
      .unsupportedMethod, .crcMismatch, .sizeMismatch, .directoryData, .inflateError, .nameEncoding,
      .absolutePath,
      .drivePath, .parentPath, .emptyComponent, .controlCharacter, .nameTooLong, .duplicate, .caseCollision,
      .fileDirectoryConflict, .reservedName, .symlink, .specialFile, .tooManyEntries, .unpackedTooLarge,
      .entryTooLarge, .ratio, .emptyFile, .noFiles:
      .error
    }
  }

  /// After a breach of one of these, nothing in the archive may be inflated: where its bytes lie, or how many will
  /// come of them, is in doubt.
  var forbidsReading: Bool {
    switch self {
    case .notAZip, .truncated, .multiDisk, .prefixData, .trailingData, .severalEnds, .countMismatch,
      .directoryOffset,
      .zip64Conflict, .overlap, .tooManyEntries, .unpackedTooLarge, .entryTooLarge, .ratio:
      true
    case .hiddenEntry, .gap, .localCentralMismatch, .descriptorMismatch, .unsupportedMethod, .crcMismatch,
      .sizeMismatch, .directoryData, .inflateError, .nameEncoding, .namesEncoding, .backslash, .dotPrefix,
      .absolutePath,
      .drivePath,
      .parentPath, .emptyComponent, .controlCharacter, .nameTooLong, .duplicate, .caseCollision,
      .fileDirectoryConflict, .reservedName, .symlink, .specialFile, .encrypted, .junk, .wrapperFolder,
      .noIndex,
      .missingAsset, .emptyFile, .noFiles:
      false
    }
  }
}
