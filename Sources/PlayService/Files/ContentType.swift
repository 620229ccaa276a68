/// What a file of a game is, told by the end of its name.
enum ContentType {
  /// The Content-Type to send; text is UTF-8, the unknown is bytes.
  static func of(path: String) -> String {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return fallback }
    return types[path[path.index(after: dot)...].lowercased()] ?? fallback
  }

  private static let fallback = "application/octet-stream"

  private static let types: [String: String] = [
    "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "txt": "text/plain; charset=utf-8",
    "atlas": "text/plain; charset=utf-8",
    "fnt": "text/plain; charset=utf-8", "plist": "text/xml; charset=utf-8", "tmx": "text/xml; charset=utf-8",
    "xml": "text/xml; charset=utf-8", "json": "application/json", "map": "application/json",
    "webmanifest": "application/manifest+json", "wasm": "application/wasm", "svg": "image/svg+xml",
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp", "avif": "image/avif",
    "gif": "image/gif", "ico": "image/x-icon", "bmp": "image/bmp", "ktx": "image/ktx", "ktx2": "image/ktx2",
    "dds": "image/vnd-ms.dds", "mp3": "audio/mpeg", "ogg": "audio/ogg", "oga": "audio/ogg",
    "opus": "audio/ogg",
    "m4a": "audio/mp4", "aac": "audio/aac", "wav": "audio/wav", "flac": "audio/flac", "weba": "audio/webm",
    "mp4": "video/mp4", "webm": "video/webm", "woff2": "font/woff2", "woff": "font/woff", "ttf": "font/ttf",
    "otf": "font/otf", "glb": "model/gltf-binary", "gltf": "model/gltf+json",
  ]
}
