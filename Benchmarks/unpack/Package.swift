// swift-tools-version: 6.2
import PackageDescription

/// Unpacks a package as a library user would, for the clock.
let package = Package(
  name: "unpack",
  dependencies: [.package(name: "GameDepot", path: "../..")],
  targets: [
    .executableTarget(
      name: "unpack",
      dependencies: [.product(name: "ZipArchive", package: "GameDepot")],
      swiftSettings: [.swiftLanguageMode(.v6)]
    )
  ]
)
