import Catalogue
import CommandOptions
import DepotModel
import DepotService
import Platform

/// `channel set`, `channel yank`, `channel remove`.
enum ChannelCommands {
  static func set(_ settings: Settings) throws -> Int32 {
    let id = try gameID(settings.arguments[0])
    guard let name = ChannelName(settings.arguments[1]) else {
      throw UsageError.badValue(
        source: "NAME", value: settings.arguments[1],
        expected: "1 to 32 of A-Z a-z 0-9 . _ -, first a letter or digit")
    }
    _ = try settings.required("h5-version")
    guard let version = try settings.read("h5-version", expected: versionRule, H5Version.init) else {
      throw UsageError.missingOption("h5-version")
    }
    let host = try settings.read("min-host-version", expected: versionRule, H5Version.init)
    let isMandatory = try settings.flag("mandatory")
    let release = try changing(settings) { catalogue throws(CatalogueError) in
      try catalogue.setChannel(
        id, name, to: version, mandatory: isMandatory, minHostVersion: host?.text, actor: "cli")
    }
    Terminal.write("\(name) of \(id) points at \(release.version)\n", to: .output)
    return 0
  }

  static func yank(_ settings: Settings) throws -> Int32 {
    let id = try gameID(settings.arguments[0])
    guard let version = H5Version(settings.arguments[1]) else {
      throw UsageError.badValue(source: "V", value: settings.arguments[1], expected: versionRule)
    }
    _ = try changing(settings) { catalogue throws(CatalogueError) in
      try catalogue.yank(id, version, actor: "cli")
    }
    Terminal.write("\(id) \(version) is yanked\n", to: .output)
    return 0
  }

  static func remove(_ settings: Settings) throws -> Int32 {
    let id = try gameID(settings.arguments[0])
    _ = try changing(settings) { catalogue throws(CatalogueError) in
      try catalogue.removeGame(id, actor: "cli")
    }
    Terminal.write("\(id) is removed\n", to: .output)
    return 0
  }

  private static let versionRule = "1 to 64 of A-Z a-z 0-9 . _ + -, first a letter or digit"

  private static func gameID(_ text: String) throws -> GameID {
    guard let id = GameID(text) else {
      throw UsageError.badValue(
        source: "ID", value: text, expected: "1 to 128 of A-Z a-z 0-9 . _ -, first a letter or digit")
    }
    return id
  }

  private static func changing<Value>(
    _ settings: Settings, _ change: (Catalogue) throws(CatalogueError) -> Value
  ) throws -> Value {
    let catalogue = try Opening.depot(settings, creating: false).catalogue
    do throws(CatalogueError) { return try change(catalogue) } catch {
      throw Failure(Failure.data, "\(error)")
    }
  }
}
