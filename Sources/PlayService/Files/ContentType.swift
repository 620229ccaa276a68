/// What a file of a game is, told by the end of its name: games are made with dozens of tools, and none of them says more.
enum ContentType {
  /// The Content-Type to send; text is UTF-8, the unknown is bytes.
  static func of(path: String) -> String { parts(of: path).flatMap { types[$0.ending] } ?? unknown }

  /// What is unknown, and what only the game itself can read.
  static let unknown = "application/octet-stream"

  /// Whether compressing it is worth the while: text, whatever its type calls itself.
  static func isText(_ type: String) -> Bool {
    type.hasPrefix("text/") || type.hasSuffix("json") || type.hasSuffix("+xml")
  }

  /// What follows the last dot of the last name, in lower case, and what stands before it; nil without one.
  static func parts(of path: String) -> (stem: Substring, ending: String)? {
    let bytes = path.utf8
    guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")),
      !bytes[dot...].contains(UInt8(ascii: "/"))
    else { return nil }
    return (path[..<dot], path[bytes.index(after: dot)...].lowercased())
  }

  private static let types: [String: String] = {
    var types: [String: String] = [:]
    for (type, endings) in endings {
      // RFC 6657 §3: without it text may be taken for anything.
      let told = type.hasPrefix("text/") ? "\(type); charset=utf-8" : type
      for ending in endings.split(separator: " ") { types[String(ending)] = told }
    }
    return types
  }()

  /// Of the formats of one engine (`pck`, `data`, `bundle`, `bin`, `mem`, `unityweb`, `basis`) only that engine knows
  /// anything: they are unknown on purpose.
  private static let endings: KeyValuePairs<String, String> = [
    "text/html": "html htm", "text/javascript": "js mjs cjs", "text/css": "css",
    "text/plain": "txt atlas fnt md ini cfg lua glsl vert frag vs fs vsh fsh obj mtl srt lrc",
    "text/xml": "xml plist tmx tsx", "text/csv": "csv", "text/vtt": "vtt",
    "application/json": "json map tmj", "application/manifest+json": "webmanifest",
    "application/xhtml+xml": "xhtml", "application/wasm": "wasm", "application/pdf": "pdf",
    "application/zip": "zip", "image/svg+xml": "svg", "image/png": "png", "image/apng": "apng",
    "image/jpeg": "jpg jpeg jfif", "image/webp": "webp", "image/avif": "avif", "image/gif": "gif",
    "image/x-icon": "ico cur", "image/bmp": "bmp", "image/ktx": "ktx", "image/ktx2": "ktx2",
    "image/vnd-ms.dds": "dds", "image/astc": "astc", "audio/mpeg": "mp3", "audio/ogg": "ogg oga opus",
    "audio/mp4": "m4a", "audio/aac": "aac", "audio/wav": "wav", "audio/flac": "flac", "audio/webm": "weba",
    "audio/midi": "mid midi", "video/mp4": "mp4 m4v", "video/webm": "webm", "video/ogg": "ogv",
    "font/woff2": "woff2", "font/woff": "woff", "font/ttf": "ttf", "font/otf": "otf",
    "font/collection": "ttc", "model/gltf-binary": "glb", "model/gltf+json": "gltf",
  ]
}
