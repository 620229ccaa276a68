extension ZipLimits {
  /// One limit as an operator sets it.
  public struct Setting: Sendable {
    /// How its value is written.
    public enum Unit: Sendable { case count, bytes, ratio }

    /// Of the option, without the dashes.
    public let name: String
    /// How its value is written.
    public let unit: Unit
    /// One line for the help.
    public let summary: String
    /// The standard, as it would be typed.
    public let standard: String
    /// Its value in some limits.
    public let value: @Sendable (ZipLimits) -> Int64
    /// Gives it a value, at least 0.
    public let set: @Sendable (inout ZipLimits, Int64) -> Void
  }

  /// Every limit there is.
  public static let settings: [Setting] = [
    Setting(
      name: "max-entries", unit: .count, summary: "entries of a package, folders included",
      standard: "100000",
      value: { Int64($0.entries) }, set: { $0.entries = Int(clamping: $1) }),
    Setting(
      name: "max-directory", unit: .bytes, summary: "a package's list of entries", standard: "20M",
      value: \.directorySize, set: { $0.directorySize = $1 }),
    Setting(
      name: "max-unpacked", unit: .bytes, summary: "all files of a package, unpacked", standard: "8G",
      value: \.unpackedSize, set: { $0.unpackedSize = $1 }),
    Setting(
      name: "max-entry-size", unit: .bytes, summary: "one file of a package, unpacked", standard: "4G",
      value: \.entrySize, set: { $0.entrySize = $1 }),
    Setting(
      name: "max-entry-ratio", unit: .ratio, summary: "unpacked bytes for each packed one, in a file",
      standard: "1000", value: \.entryRatio, set: { $0.entryRatio = $1 }),
    Setting(
      name: "max-package-ratio", unit: .ratio, summary: "unpacked bytes for each packed one, in all",
      standard: "200", value: \.packageRatio, set: { $0.packageRatio = $1 }),
    Setting(
      name: "ratio-floor", unit: .bytes, summary: "unpacked size up to which no ratio counts", standard: "1M",
      value: \.ratioFloor, set: { $0.ratioFloor = $1 }),
  ]
}
