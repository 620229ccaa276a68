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

/// `HTTPWire` is a link to the sources that the server is built from, so that they are instrumented, too.
let package = Package(
  name: "Fuzz",
  targets: [
    .target(name: "HTTPWire", path: "HTTPWire", swiftSettings: instrumented),
    .target(name: "FuzzInput", swiftSettings: instrumented),
  ]
    + ["RequestHead", "Chunked", "Ranges", "Multipart"].map { name in
      .executableTarget(
        name: name, dependencies: ["HTTPWire", "FuzzInput"], swiftSettings: instrumented,
        linkerSettings: linked)
    }
)
