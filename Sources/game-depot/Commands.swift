import CommandOptions
import ZipArchive

/// What `game-depot` can be asked to do, and the words its help says.
enum Commands {
  static let data = Option("data", .value("DIR"), default: "./depot-data", "the depot's folder")
  static let diskFloor = Option(
    "disk-floor", .value("SIZE"), default: "512M", "refuse uploads below this much free disk")
  static let maxUpload = Option("max-upload", .value("SIZE"), default: "2G", "largest package accepted")
  static let logFormat = Option("log-format", .value("text|json"), default: "text", "form of both logs")
  static let server = Option("server", .value("URL"), "publish to this server instead of a folder")
  static let tokenFile = Option(
    "token-file", .value("FILE"), "file that holds the token; or GAME_DEPOT_TOKEN")
  static let cacert = Option("cacert", .value("FILE"), "PEM file of the authorities to trust")

  /// How a package is to be judged.
  static let judging = [
    Option("keep-wrapper", .flag, "keep a folder that holds everything"),
    Option("require-index", .flag, "refuse a package without index.html at its root"),
    Option(
      "names-encoding", .value("E"),
      "how names are encoded that do not say it; found out unless given: \(NamesEncoding.list)"),
  ]

  /// What an upload may say beside the package (interface: upload fields).
  static let uploadFields =
    [
      Option("title", .value("TEXT"), "the game's title"),
      Option("channel", .value("NAME"), default: "stable", "the channel that moves to this version"),
      Option("mandatory", .flag, "clients must update before they play"),
      Option("min-host-version", .value("V"), "oldest app this version runs in"),
      Option("notes", .value("TEXT"), "what is new"),
    ] + judging

  static let serve = Command(
    "serve",
    options: [
      data,
      Option(
        "listen", .list("ADDRESS"), default: "127.0.0.1:8080",
        "host:port or [v6]:port, perhaps after http:// or https://, or unix:/path; port 0 chooses one"),
      Option("tls-cert", .list("FILE"), "PEM certificate chain; speaks TLS on every address without http://"),
      Option("tls-key", .list("FILE"), "its PEM private key, one for each --tls-cert, in the same order"),
      Option("public-url", .value("URL"), "what h5Down begins with; else each request's Host"),
      Option("threads", .value("N"), "event loops; one a core unless given"),
      Option(
        "cache", .value("SIZE"), "memory for answers kept ready; an eighth of all, up to 512M, unless given"),
      maxUpload, diskFloor, logFormat,
      Option("log-level", .value("LEVEL"), default: "info", "debug, info, notice, warning or error"),
      Option("access-log", .value("FILE|-|off"), default: "-", "one line a request; SIGUSR1 reopens a file"),
      Option(
        "max-connections", .value("N"), "further ones are answered 503; descriptors less 256 unless given"),
      Option("head-timeout", .value("DURATION"), default: "15s", "for a request head to come whole"),
      Option(
        "idle-timeout", .value("DURATION"), default: "75s", "how long a connection may wait between requests"),
      Option(
        "body-window", .value("DURATION"), default: "20s", "in which an upload must bring 8 KiB, or be over"),
      Option(
        "send-window", .value("DURATION"), default: "30s", "in which a reader must take 12 KiB, or be done"),
      Option(
        "max-connections-per-ip", .value("N"),
        "further ones of an address (IPv6: a /64) are answered 503; no limit unless given"),
      Option("require-read-token", .flag, "reading needs a token as well, of any scope"),
      Option(
        "upload-expiry", .value("DURATION"), default: "24h",
        "how long a resumable upload is kept after its last bytes"),
      Option(
        "max-wrong-tokens", .value("N"), default: "20",
        "a minute from one address (IPv6: a /64); further ones are answered 429"),
      Option(
        "console", .value("on|off"), default: "on", "the web console at /console, for whoever has a token"),
      Option(
        "trusted-proxy", .list("CIDR"),
        "whose Forwarded or X-Forwarded-* is believed: an address, a network, or unix"),
      Option(
        "drain-timeout", .value("DURATION"), default: "30s", "how long SIGTERM lets running requests finish"),
    ] + Option.zipLimits,
    summary: "serve a depot over HTTP",
    discussion: """
      Creates and migrates the folder when it is missing. Prints `listening on http://…` for each address.
      With several certificates a client gets the one for the name it asks for, else the first.
      SIGTERM and SIGINT finish what runs and exit 0. SIGHUP reads the certificates again. A second server on one folder exits 75.
      [::]:8080 is IPv6 alone; give 0.0.0.0:8080 as well for both. The file of unix:/path has mode 0660. Sockets that
      systemd passes (LISTEN_FDS) replace the default address, and are used beside those given.
      """
  )

  static let tokenCreate = Command(
    "token create",
    options: [
      data,
      Option("name", .value("NAME"), "whose token it is; stands in the audit log"),
      Option("scope", .value("read|publish|admin"), "admin includes publish, publish includes read"),
      Option("game", .list("ID"), "only this game, of scope publish; all unless given"),
      Option("expires", .value("DURATION"), "when it stops working, such as 90d; never unless given"),
    ],
    summary: "make a token and print it, once",
    discussion:
      "The token stands alone on stdout. Only its SHA-256 is kept: a lost token is replaced, not recovered."
  )

  static let tokenList = Command(
    "token list", options: [data], summary: "list tokens, without the secrets",
    discussion: "A running server notes about once a minute when a token was last used.")

  static let tokenRevoke = Command(
    "token revoke", arguments: [.init("NAME")], options: [data], summary: "make a token useless at once")

  static let publish = Command(
    "publish", arguments: [.init("FILE.zip")],
    options: [
      Option("game", .value("ID"), "the game's id"),
      Option("h5-version", .value("V"), "the package's version"),
      Option("data", .value("DIR"), "publish into this folder, also beside a running server"),
      server, tokenFile, cacert,
      Option(
        "retries", .value("N"), default: "8", "tries in a row when the line breaks, before it is given up"),
      Option("quiet", .flag, "only warnings and errors"),
    ] + uploadFields + [maxUpload, diskFloor] + Option.zipLimits,
    summary: "publish a package, to a server or into a folder",
    discussion: """
      To a server it goes as a resumable upload where that has them (tus 1.0.0), else with POST /games. On a terminal stderr shows how
      far it is; NO_COLOR takes the colour away. Warnings go to stderr. The limits (--max-…, --disk-floor) are those of --data; a server has its own.
      """
  )

  static let inspect = Command(
    "inspect", arguments: [.init("FILE.zip")],
    options: [Option("json", .flag, "one JSON object instead of a report")] + judging + Option.zipLimits,
    summary: "tell what a publish would find in a package",
    discussion: """
      Reads the whole package, as a publish does, and tells every finding with what to do about it.
      Exit 0: it would be accepted; 65: refused; 66: the file cannot be read.
      """
  )

  static let pack = Command(
    "pack", arguments: [.init("DIR")],
    options: [
      Option(
        "output", letter: "o", .value("FILE.zip"), "the package; one that is there is replaced at the end"),
      Option("require-index", .flag, "refuse a folder without index.html at its root"),
    ] + Option.zipLimits,
    summary: "make a package of a folder, the same bytes from the same files",
    discussion: """
      Sorted paths, fixed dates and modes; media that is compressed already is stored, the rest deflated at level 9, so that
      the update to the next version is small. .DS_Store, Thumbs.db, .git and the like are left out, and told.
      Exit 65 when a rule for packages is broken: every breach is told, and nothing is written. Other zlib versions may
      make other bytes.
      """
  )

  static let importFolder = Command(
    "import", arguments: [.init("DIR")],
    options: [data, Option("dry-run", .flag, "only tell what would be published"), maxUpload, diskFloor]
      + Option.zipLimits,
    summary: "publish a folder of zips",
    discussion: """
      Takes <gameId>/<h5Version>.zip and <gameId>-<h5Version>.zip, versions of a game in their order, so that the
      highest ends as the current one. In the second form the version begins at the first dash before a dotted number.
      """
  )

  static let channelSet = Command(
    "channel set", arguments: [.init("ID"), .init("NAME")],
    options: [
      data,
      Option("h5-version", .value("V"), "the version it is to point at"),
      Option("mandatory", .flag, "clients must update before they play"),
      Option("min-host-version", .value("V"), "oldest app this version runs in"),
    ],
    summary: "point a channel of a game at a version: promote it, or roll back to it",
    discussion: "A running server tells its clients within a second. A channel of a new name is made."
  )

  static let channelYank = Command(
    "channel yank", arguments: [.init("ID"), .init("V")], options: [data],
    summary: "take a version back for good",
    discussion: """
      It stays in the history, its package is given no more, and its number is never used again. Exit 65 while a channel
      points at it.
      """
  )

  static let channelRemove = Command(
    "channel remove", arguments: [.init("ID")], options: [data],
    summary: "remove a game with all its versions; mirrors are told",
    discussion: "Its id may be published again; the numbers it ever used stay those of the same bytes."
  )

  static let verify = Command(
    "verify",
    options: [data, Option("repair", .flag, "move damaged packages aside, so that they are not served")],
    summary: "hash every package and compare it with the catalogue",
    discussion: "Exit 0 when all are whole, 65 when one is missing or damaged."
  )

  static let audit = Command(
    "audit",
    options: [
      data,
      Option("game", .value("ID"), "only changes of this game"),
      Option("actor", .value("NAME"), "only changes by this token, or by cli"),
      Option("limit", .value("N"), default: "50", "how many, the newest of them"),
      Option("json", .flag, "one JSON object, as GET /audit answers"),
    ],
    summary: "tell who changed what, when, and from where; newest first",
    discussion: """
      FROM is the client's address as the server saw it, cli for a command on the folder, local for a Unix socket.
      """
  )

  static let gc = Command(
    "gc", options: [data, Option("dry-run", .flag, "only tell what would be removed")],
    summary: "remove packages that no release needs, and what unfinished uploads left",
    discussion: """
      Works beside a server, and on a full disk. Waits for publishes that run; those that come wait for it.
      """
  )

  static let backup = Command(
    "backup", arguments: [.init("OUT")], options: [data],
    summary: "copy the depot to a new folder, while it is served",
    discussion: """
      OUT comes into being complete or not at all. On the same file system packages are not copied but linked: take OUT
      to another disk. Exit 65 when a package is missing or damaged; it is told, and the rest is there.
      """
  )

  static let restore = Command(
    "restore", arguments: [.init("IN")], options: [data],
    summary: "make a depot of a backup, in a folder that holds none",
    discussion: """
      Every package is compared with its digest. Mirrors list the restored depot once, as if it were another one.
      Exit 65 when a package is missing or damaged in the backup (it is told, the rest is restored), or the catalogue is.
      """
  )

  static let migrate = Command(
    "migrate", options: [data, Option("status", .flag, "only tell what would be done")],
    summary: "bring the catalogue to this program's schema")

  static let healthcheck = Command(
    "healthcheck", arguments: [.init("URL", isOptional: true)], options: [cacert],
    summary: "ask a server whether it is alive: exit 0 or 1",
    discussion:
      "URL is http://127.0.0.1:8080 unless given, or unix:/path; without a path in it /healthz is asked."
  )

  static let program = Program(
    name: "game-depot", version: Build.version, variablePrefix: "GAME_DEPOT_",
    summary: "publishes HTML5 games and tells apps what is new",
    commands: [
      serve, tokenCreate, tokenList, tokenRevoke, publish, pack, inspect, importFolder, channelSet,
      channelYank, channelRemove, audit, verify, gc, backup, restore, migrate, healthcheck,
    ]
  )
}

/// What this program calls itself.
enum Build {
  static let version = "0.1.0"
}
