/// What the name of a file that was compressed when the game was built tells: Unity's `x.js.gz`, `x.wasm.br`,
/// `x.data.unityweb`, the `x.jsgz` of its older releases, and whatever else ends so.
struct CodedName: Hashable, Sendable {
  /// What the name promises about the bytes.
  enum Promise: Hashable, Sendable {
    /// RFC 1952, which can be told by its first bytes.
    case gzip
    /// Brotli, which cannot: any beginning may be one.
    case brotli
    /// Either, marked by Unity, or nothing at all.
    case unity
  }

  let promise: Promise
  /// Of what comes out of it.
  let type: String

  /// Nil for a name that promises nothing.
  init?(path: String) {
    guard let parts = ContentType.parts(of: path) else { return nil }
    let inner = String(parts.stem)
    switch parts.ending {
    case "gz":
      promise = .gzip
      type = ContentType.of(path: inner)
    case "br":
      promise = .brotli
      type = ContentType.of(path: inner)
    case "unityweb":
      promise = .unity
      type = Self.type(ofUnity: inner)
    case "jsgz":
      promise = .gzip
      type = ContentType.of(path: ".js")
    case "datagz", "memgz":
      promise = .gzip
      type = ContentType.unknown
    case "svgz":
      promise = .gzip
      type = ContentType.of(path: ".svg")
    default: return nil
    }
  }

  /// Unity 2018 and 2019 name the parts of a build `x.wasm.code`, `x.wasm.framework`, `x.asm.memory`.
  private static func type(ofUnity inner: String) -> String {
    let name = inner.lowercased()
    if name.hasSuffix(".wasm.code") { return ContentType.of(path: ".wasm") }
    if name.hasSuffix(".framework") || name.hasSuffix(".asm.code") { return ContentType.of(path: ".js") }
    return ContentType.of(path: inner)
  }
}
