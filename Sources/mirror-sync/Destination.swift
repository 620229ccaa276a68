import CommandOptions

/// The mirror's folder, as the options name it.
enum Destination {
  /// Throws for an empty name, which a script's unset variable leaves: that is no wish for the working directory.
  static func folder(_ settings: Settings) throws -> String {
    let folder = try settings.required("dest")
    guard !folder.isEmpty else { throw UsageError.missingOption("dest") }
    return folder
  }
}
