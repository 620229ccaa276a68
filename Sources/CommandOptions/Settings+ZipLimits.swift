public import ZipArchive

extension Option {
  /// What a package may ask for: an option a limit.
  public static let zipLimits = ZipLimits.settings.map { setting in
    Option(
      setting.name, .value(setting.unit == .bytes ? "SIZE" : "N"), default: setting.standard, setting.summary)
  }
}

extension Settings {
  /// The limits of packages, of a command with `Option.zipLimits`.
  public func zipLimits() throws(UsageError) -> ZipLimits {
    var limits = ZipLimits.standard
    for setting in ZipLimits.settings {
      let value =
        setting.unit == .bytes
        ? try size(setting.name) : try integer(setting.name, in: 1...1_000_000_000).map { Int64($0) }
      if let value { setting.set(&limits, value) }
    }
    return limits
  }
}
