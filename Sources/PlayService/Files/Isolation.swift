internal import HTTPWire

/// What a browser wants before it gives a page SharedArrayBuffer and exact clocks.
enum Isolation {
  /// HTML §7.1.3, §7.1.4: the page asks for both, every worker and frame in it for the embedder policy too; so all files of
  /// the game do. The resource policy keeps other origins from loading what a page with threads might time.
  static func append(to fields: inout HTTPFields) {
    fields.append("Cross-Origin-Opener-Policy", "same-origin")
    fields.append("Cross-Origin-Embedder-Policy", "require-corp")
    fields.append("Cross-Origin-Resource-Policy", "same-origin")
  }
}
