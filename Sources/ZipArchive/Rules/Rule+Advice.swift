extension Rule {
  /// What its owner does about a package that breaks it: one line, the same in reports and in README.
  public var advice: String {
    switch self {
    case .notAZip: "Send a zip; 7z, rar and tar archives have to be packed again"
    case .truncated: "The file was cut short: export or upload it again"
    case .multiDisk: "Pack it as one file, not as a split archive"
    case .prefixData:
      "Send the plain zip, not a self-extractor; `zip -A` or packing again drops what stands in front"
    case .trailingData: "Pack it again: bytes were appended behind the zip's end"
    case .severalEnds: "Pack it again: tools disagree on where this zip ends"
    case .countMismatch: "Pack it again: its directory holds another number of entries than it says"
    case .directoryOffset: "Pack it again: its directory points to where no entries are"
    case .zip64Conflict: "Pack it again with a current tool: its zip64 fields contradict each other"
    case .overlap: "Pack it again: entries share bytes, which only bombs do"
    case .hiddenEntry: "Pack it again: it holds data that its directory does not list"
    case .gap: "Nothing needs doing; packing again removes the unused bytes"
    case .localCentralMismatch: "Pack it again: an entry is described in two ways"
    case .descriptorMismatch: "Pack it again: the sizes behind an entry's data are not those of the directory"
    case .unsupportedMethod: "Pack it again with Deflate, or stored; in 7-Zip choose the method Deflate"
    case .crcMismatch: "An entry is damaged: pack it again from the original files"
    case .sizeMismatch: "An entry is damaged: pack it again from the original files"
    case .directoryData: "Pack it again: a folder must not have content"
    case .inflateError: "An entry is damaged: pack it again from the original files"
    case .nameEncoding: "Pack it again with UTF-8 names, or say with `--names-encoding` what they are"
    case .namesEncoding:
      "Look at the names; say `--names-encoding` if they are wrong, or pack with UTF-8 names"
    case .backslash: "Nothing needs doing; tools that write `/` avoid it"
    case .dotPrefix: "Nothing needs doing; `zip -r` inside the folder avoids it"
    case .absolutePath: "Pack the folder with relative paths"
    case .drivePath: "Pack the folder with relative paths, without `C:`"
    case .parentPath: "Pack from inside the game's folder: no path may contain `..`"
    case .emptyComponent: "Pack it again: a path has two slashes in a row, or a `.` in it"
    case .controlCharacter: "Rename the file: its name holds a character that cannot be seen"
    case .nameTooLong: "Shorten it: 255 bytes of UTF-8 a name, 1,024 a path"
    case .duplicate: "Pack it again: one path is there more than once"
    case .caseCollision: "Rename one: Windows and macOS do not tell upper from lower case"
    case .fileDirectoryConflict: "Rename one: a file and a folder have the same path"
    case .reservedName:
      "Rename it: Windows forbids device names, the characters `< > : \" | ? *`, and a dot or space at the end"
    case .symlink: "Put the file itself in the link's place (`zip` without `-y`)"
    case .specialFile: "Leave it out: only ordinary files and folders can be published"
    case .encrypted:
      "Mirrors need the password (`mirror-sync --password-file`); pack without one if nobody should"
    case .tooManyEntries:
      "Leave out what the game does not load, or raise `--max-entries` and `--max-directory`"
    case .unpackedTooLarge: "Leave out what the game does not load, or raise `--max-unpacked`"
    case .entryTooLarge: "Split the file, or raise `--max-entry-size`"
    case .ratio:
      "Real files do not shrink so much; if this one does, raise `--max-entry-ratio` or `--max-package-ratio`"
    case .junk: "Nothing needs doing: file managers put it there, and it is left out"
    case .wrapperFolder: "Nothing needs doing: paths are read without the folder; `--keep-wrapper` keeps it"
    case .noIndex: "Put `index.html` at the top of the zip, or no browser can start the game"
    case .missingAsset: "Add the file, or correct the reference in `index.html`"
    case .emptyFile: "Export it again: `index.html` is empty"
    case .noFiles: "Put the game in: there is no file that could be published"
    }
  }
}
