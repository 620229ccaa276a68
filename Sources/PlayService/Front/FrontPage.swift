/// The page at `/`: what is installed, each with a link to play it. Needs nothing from outside.
enum FrontPage {
  /// Ids and versions are of a harmless alphabet (`GameID`, `H5Version`), so they stand in the page as they are.
  static func html(_ games: [InstalledGames.Game]) -> String {
    let list = games.map {
      #"<li><a href="/play/\#($0.id)/">\#($0.id)</a> <small>\#($0.version)</small></li>"#
    }
    let body = list.isEmpty ? "<p>No game is installed yet.</p>" : "<ul>\(list.joined(separator: "\n"))</ul>"
    return """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Games</title>
      <style>
      :root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif }
      body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
      ul { list-style: none; padding: 0 }
      li { border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent) }
      a { display: inline-block; padding: .7rem 0; font-weight: 600 }
      small { opacity: .7 }
      </style>
      <h1>Games</h1>
      \(body)
      </html>

      """
  }
}
