// swift-tools-version: 5.4
// A newer tools version renames `main` of each program, and libFuzzer, which brings its own, does not link any more.
import PackageDescription

/// What the package itself asks for by names that this tools version does not have yet.
let language = [
  "-swift-version", "6", "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature",
  "MemberImportVisibility", "-enable-upcoming-feature", "InternalImportsByDefault",
  "-enable-upcoming-feature",
  "NonisolatedNonsendingByDefault", "-warnings-as-errors",
]
let instrumented: [SwiftSetting] = [
  .unsafeFlags(language + ["-sanitize=fuzzer", "-parse-as-library"])
]
let linked: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer"])]

/// What the sources of `ZipArchive` need beside what those of `HTTPWire` do.
let packaged = ["-package-name", "game_depot"]
let memorySafe = ["-strict-memory-safety"] + packaged

/// `HTTPWire` and the like are links to the sources that the server is built from, so that they are instrumented, too.
let package = Package(
  name: "Fuzz",
  targets: [
    .target(name: "HTTPWire", path: "HTTPWire", swiftSettings: instrumented),
    .target(name: "FuzzInput", swiftSettings: instrumented),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),
    .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
    .target(
      name: "Platform", dependencies: ["CLinux", "COpenSSL"], path: "Platform",
      swiftSettings: [.unsafeFlags(language + memorySafe)]),
    .target(
      name: "ZipArchive", dependencies: ["CZlib", "CDeflate", "Platform"], path: "ZipArchive",
      swiftSettings: instrumented + [.unsafeFlags(memorySafe)]),
    .executableTarget(
      name: "Zip", dependencies: ["ZipArchive", "Platform", "CZlib", "FuzzInput"],
      swiftSettings: instrumented + [.unsafeFlags(packaged)], linkerSettings: linked),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
    .target(name: "DepotModel", path: "DepotModel", swiftSettings: instrumented + [.unsafeFlags(memorySafe)]),
    .target(
      name: "HTTPClient", dependencies: ["CCurl", "Platform"], path: "HTTPClient",
      swiftSettings: instrumented + [.unsafeFlags(memorySafe)]),
    .target(
      name: "SQLite", dependencies: ["CSQLite"], path: "SQLite",
      swiftSettings: [.unsafeFlags(language + memorySafe)]),
    .target(
      name: "MirrorClient", dependencies: ["ZipArchive", "DepotModel", "Platform", "HTTPClient", "SQLite"],
      path: "MirrorClient", swiftSettings: instrumented + [.unsafeFlags(memorySafe + ["-enable-testing"])]),
    .executableTarget(
      name: "Answers", dependencies: ["MirrorClient", "DepotModel", "HTTPClient", "FuzzInput"],
      swiftSettings: instrumented + [.unsafeFlags(packaged)], linkerSettings: linked),
    .executableTarget(
      name: "Index", dependencies: ["ZipArchive", "FuzzInput"], swiftSettings: instrumented,
      linkerSettings: linked),
  ]
    + ["RequestHead", "Chunked", "Ranges", "Multipart"].map { name in
      .executableTarget(
        name: name, dependencies: ["HTTPWire", "FuzzInput"], swiftSettings: instrumented,
        linkerSettings: linked)
    }
)
