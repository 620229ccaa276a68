internal import HTTPWire

/// The console's files, ready to send. They are the same for everybody: whatever is told of games comes through the API.
enum ConsoleFiles {
  /// Nothing but this origin's own files: no inline script or style, no frame around it, no form that leaves the page,
  /// and no text that becomes markup (CSP Level 3, Trusted Types).
  static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; "
    + "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

  static let page = file(html, "text/html; charset=utf-8")
  static let script = file(ConsoleScript.text, "text/javascript; charset=utf-8")
  static let style = file(ConsoleStyle.css, "text/css; charset=utf-8")
  static let icon = file(svg, "image/svg+xml")

  private static func file(_ text: String, _ type: String) -> HTTPResponse {
    HTTPResponse(
      .ok,
      [
        "Content-Type": type, "Cache-Control": "no-store", "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
        "X-Frame-Options": "DENY",
      ], .bytes(Array(text.utf8)))
  }

  /// Addresses are relative, so that a depot below a path of another site works as well.
  private static let html = """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>GameDepot</title>
    <link rel="icon" href="console/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="console/console.css">
    <script src="console/console.js" defer></script>
    <body><noscript><p>The console needs JavaScript. <span lang="zh">控制台需要启用 JavaScript。</span></p></noscript></body>
    </html>

    """

  private static let svg = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b5cad"/>\
    <path d="M3.5 6.2 8 4l4.500 2.200v4.600L8 13l-4.500-2.200zM8 8.200V13M3.500 6.200 8 8.200l4.500-2" fill="none" \
    stroke="white" stroke-linejoin="round"/></svg>
    """
}
