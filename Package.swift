// swift-tools-version: 6.2
import PackageDescription

/// `make` and CI set GAME_DEPOT_STRICT, so that a newer compiler's new warnings never break someone else's build.
let isStrict = Context.environment["GAME_DEPOT_STRICT"] == "1"

let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (isStrict ? [.treatAllWarnings(as: .error)] : [])

/// What a game travels through, in the order it travels: catalogue, service, wire; then the mirror.
let modules: [(name: String, dependencies: [Target.Dependency])] = [
  ("Platform", ["CLinux", "COpenSSL"]),
  ("DepotModel", []),
  ("HTTPWire", []),
  ("ZipArchive", ["CZlib", "CDeflate", "Platform"]),
  ("SQLite", ["CSQLite"]),
  ("HTTPServer", ["HTTPWire", "Platform"]),
  ("ReadAPI", ["ZipArchive", "HTTPWire", "DepotModel", "Platform"]),
  ("DepotService", ["ReadAPI", "Catalogue", "ZipArchive", "HTTPWire", "DepotModel", "Platform"]),
  ("HTTPClient", ["CCurl", "Platform"]),
  ("MirrorClient", ["ZipArchive", "DepotModel", "Platform", "HTTPClient", "SQLite"]),
  ("PlayService", ["ReadAPI", "HTTPWire", "DepotModel", "ZipArchive", "Platform"]),
  ("CommandOptions", ["ZipArchive", "Platform"]),
]

let package = Package(
  name: "GameDepot",
  products: [
    .executable(name: "game-depot", targets: ["game-depot"]),
    .executable(name: "mirror-sync", targets: ["mirror-sync"]),
    .library(name: "MirrorClient", targets: ["MirrorClient", "HTTPClient", "DepotModel", "Platform"]),
    .library(name: "ZipArchive", targets: ["ZipArchive", "Platform"]),
  ],
  targets: [
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(
      name: "Catalogue",
      dependencies: ["SQLite", "DepotModel"],
      resources: [.embedInCode("Migrations")],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "game-depot",
      dependencies: [
        "DepotService", "ReadAPI", "Catalogue", "SQLite", "HTTPServer", "HTTPClient", "HTTPWire",
        "ZipArchive",
        "DepotModel", "Platform", "CommandOptions",
      ],
      resources: [.embedInCode("openapi.yaml")],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "mirror-sync",
      dependencies: [
        "MirrorClient", "HTTPClient", "HTTPServer", "HTTPWire", "PlayService", "ReadAPI", "DepotModel",
        "Platform", "CommandOptions",
      ],
      swiftSettings: settings
    ),
    .target(
      name: "TestSupport",
      dependencies: ["HTTPWire", "Platform", "DepotModel", "ZipArchive", "COpenSSL"],
      path: "Tests/TestSupport",
      swiftSettings: settings
    ),
  ]
    + modules.map { .target(name: $0.name, dependencies: $0.dependencies, swiftSettings: settings) }
    + [
      ("PlatformTests", ["Platform"]),
      ("DepotModelTests", ["DepotModel"]),
      ("HTTPWireTests", ["HTTPWire"]),
      ("ZipArchiveTests", ["ZipArchive", "Platform"]),
      ("SQLiteTests", ["SQLite"]),
      ("CatalogueTests", ["Catalogue", "SQLite", "DepotModel"]),
      ("HTTPServerTests", ["HTTPServer", "HTTPWire", "Platform"]),
      (
        "DepotServiceTests",
        [
          "DepotService", "ReadAPI", "Catalogue", "SQLite", "ZipArchive", "HTTPWire", "DepotModel",
          "Platform",
        ]
      ),
      ("HTTPClientTests", ["HTTPClient", "HTTPServer", "HTTPWire", "Platform"]),
      (
        "MirrorClientTests", ["MirrorClient", "HTTPClient", "ZipArchive", "DepotModel", "Platform", "SQLite"]
      ),
      (
        "PlayServiceTests",
        ["PlayService", "ReadAPI", "HTTPServer", "HTTPWire", "DepotModel", "ZipArchive", "Platform"]
      ),
      ("CommandOptionsTests", ["CommandOptions", "ZipArchive"]),
      (
        "ContractTests",
        [
          "DepotService", "ReadAPI", "Catalogue", "HTTPServer", "HTTPWire", "ZipArchive", "DepotModel",
          "Platform",
        ]
      ),
      ("EndToEndTests", ["Platform", "DepotModel", "SQLite", "HTTPServer", "HTTPWire", "HTTPClient"]),
    ].map { name, dependencies in
      .testTarget(
        name: name,
        dependencies: (dependencies + ["TestSupport"]).map { .init(stringLiteral: $0) },
        swiftSettings: settings
      )
    }
)
