import CommandOptions

/// What `mirror-sync` can be asked to do, and the words its help says.
enum Commands {
  static let destination = Option("dest", .value("DIR"), "the mirror's folder")

  private static let lockWait = Option(
    "lock-wait", .value("DURATION"), default: "0s", "how long to wait for another run to end")

  static let sync = Command(
    "sync",
    options: [
      Option(
        "server", .list("URL"),
        "the depot to mirror, or file:///a/mirror; others of the same packages are asked when it does not answer"
      ),
      destination,
      Option("game", .list("ID"), "this game; without --game and --include all are mirrored"),
      Option("include", .list("GLOB"), "games whose ids match, such as 'puzzle-*'; also ? and [a-z]"),
      Option("exclude", .list("GLOB"), "never games whose ids match; beats --game and --include"),
      Option("channel", .value("NAME"), default: "stable", "the channel whose versions are mirrored"),
      Option("concurrency", .value("N"), default: "4", "packages fetched at the same time"),
      Option(
        "limit-rate", .value("RATE"),
        "bytes a second of all downloads together, such as 2M; by the time of day: 08:00-22:00=1M,4M"),
      Option(
        "order", .value("fifo|lifo"), default: "fifo", "which game comes next: the first by name, or the last"
      ),
      Option("keep", .value("N"), default: "2", "versions of each game that stay, the current one included"),
      Option("delete", .flag, "remove games that the server no longer has"),
      Option(
        "max-delete", .value("N|P%"), default: "10%",
        "delete nothing when more games would go; 100% believes the server whatever it says"),
      Option("max-time", .value("DURATION"), "begin no more games after this; the next run goes on"),
      Option("dry-run", .flag, "tell what would be done, and whether there is room for it; change nothing"),
      Option("json", .flag, "with --dry-run: one JSON object"),
      Option("no-unpack", .flag, "only keep the packages"),
      Option("no-delta", .flag, "fetch packages whole, whatever of them stands here"),
      Option("no-keep-zip", .flag, "delete a package once it is unpacked"),
      Option("no-share", .flag, "write every file, also those an older version has, too"),
      Option("retries", .value("N"), default: "5", "further tries of a request that failed"),
      Option(
        "stall-timeout", .value("DURATION"), default: "30s", "give a transfer up that stands still so long"),
      Option("token-file", .value("FILE"), "file that holds the token; or MIRROR_SYNC_TOKEN"),
      Option(
        "password-file", .value("FILE"),
        "passwords of encrypted packages: one alone, or lines `ID password`"),
      Option("cacert", .value("FILE"), "PEM file of the authorities to trust"),
      Option("proxy", .value("URL"), "proxy for everything; else http_proxy, HTTPS_PROXY, NO_PROXY"),
      lockWait,
      Option("watch", .flag, "stay, and sync again whenever something changed or the time is over"),
      Option(
        "watch-interval", .value("DURATION"), default: "60s", "with --watch: look at least so often"),
      Option(
        "on-change", .value("CMD"),
        "program to run for each game that changed; words are separated by blanks, no shell"),
      Option("metrics-file", .value("FILE"), "write metrics here, for node_exporter's textfile collector"),
      Option(
        "progress", .value("auto|bar|json|none"), default: "auto",
        "bars on a terminal, lines elsewhere, or JSON lines on stdout; auto: only on a terminal"),
      Option(
        "verbose", letter: "v", .flag, "a line for each step, on stderr, also where no progress is shown"),
      Option("quiet", .flag, "no progress and no summary; errors are still told"),
    ] + Option.zipLimits,
    summary: "bring a mirror in step with a depot",
    discussion: """
      The password file holds one line, the password of every encrypted package; or several lines, each an id (or * for
      every game), a space and a password. Blank lines and lines that begin with # do not count. Nobody but its owner and
      group may be allowed to read it.

      --on-change CMD is told by variables: H5_CHANGE (installed, updated, removed), H5_GAME_ID, H5_VERSION (not when
      removed), H5_PREVIOUS_VERSION (not when installed) and H5_DEST; it sees none of MIRROR_SYNC_…. One runs at a time,
      ten minutes at most; one that fails is told and changes nothing else.

      Before anything is fetched the whole run is planned: when not all of it fits, old versions beyond --keep and partial
      downloads that nothing wants are removed if that is enough; else nothing is done, exit 73.

      --delete takes installed games that the server does not have any more, never those that are merely not selected.
      More than --max-delete (of 100 installed games, but at least one), an empty catalogue, an older or another one than
      before: all of them stay, exit 25.

      Silent when all went well and nobody looks. Exit: 0 in step; 1 a game failed or there was no time for it, the others
      are done; 25 nothing was deleted because too much would have been; 64 usage; 69 server unreachable or unusable; 73 cannot write or no room; 75 another run holds the lock; 77 token refused;
      130, 143 stopped by SIGINT, SIGTERM with every partial download kept.
      """
  )

  /// Of `sync`, those that have nothing to do with a network.
  private static func options(of names: Set<String>) -> [Option] {
    sync.options.filter { names.contains($0.name) }
  }

  private static let selecting: Set<String> = ["dest", "game", "include", "exclude", "lock-wait"]

  static let export = Command(
    "export", arguments: [.init("FILE")], options: options(of: selecting),
    summary: "write the packages in use into one file",
    discussion: """
      For places without a network: carry FILE there and run `mirror-sync import FILE --dest DIR`. Every package is proven on its
      way into it; FILE appears when it is whole. Exit: 1 a package is missing or damaged; 64 no mirror; 73 cannot write; 75 a sync
      holds the lock.
      """)

  static let importFile = Command(
    "import", arguments: [.init("FILE")],
    options: options(
      of: selecting.union([
        "concurrency", "order", "keep", "no-unpack", "password-file", "on-change", "metrics-file", "progress",
        "verbose",
        "quiet",
      ])) + Option.zipLimits,
    summary: "bring a mirror in step with an exported file",
    discussion: """
      As `sync --server file:///path/of/FILE`. The folder of a mirror, on a disk that was carried here, does as well. Everything is
      proven as if it had been downloaded. Games that are not in it stay as they are.
      """)

  static let status = Command(
    "status", options: [destination, Option("json", .flag, "one JSON object instead of a table")],
    summary: "tell what stands in a mirror")

  static let verify = Command(
    "verify",
    options: [
      destination,
      Option("game", .list("ID"), "only this game; all unless given"),
      Option("full", .flag, "compare every file and package by SHA-256"),
      Option("repair", .flag, "mend what is damaged"),
      Option("server", .list("URL"), "where --repair fetches packages from, as for sync"),
      Option("json", .flag, "one JSON object on stdout"),
      lockWait,
      Option("token-file", .value("FILE"), "file that holds the token; or MIRROR_SYNC_TOKEN"),
      Option("password-file", .value("FILE"), "passwords of encrypted packages, as for sync"),
      Option("cacert", .value("FILE"), "PEM file of the authorities to trust"),
      Option("proxy", .value("URL"), "proxy for everything; else http_proxy, HTTPS_PROXY, NO_PROXY"),
      Option("retries", .value("N"), default: "5", "further tries of a request that failed"),
      Option(
        "stall-timeout", .value("DURATION"), default: "30s", "give a transfer up that stands still so long"),
    ] + Option.zipLimits,
    summary: "compare what stands in a mirror with what was installed",
    discussion: """
      Looks at every kept version: each file by kind, size and time, nothing missing and nothing more, and the package's
      size. A file whose time alone is another is read. With --full everything is read. One line on stderr for each thing
      that is damaged: path, expected, found.

      --repair unpacks damaged and missing files again from the kept package, removes what the package does not have, and
      fetches a package that is damaged or needed, from what is still good of it. Without it nothing is changed but the line
      in `status`.

      Exit: 0 sound, or mended; 65 damaged; 75 another run holds the lock.
      """)

  static let rollback = Command(
    "rollback", arguments: [.init("GAME")],
    options: [
      destination,
      Option("to", .value("VERSION"), "a kept version; the one in use before unless given"),
      Option("release", .flag, "end a rollback: let syncs bring the game forward again"),
      lockWait,
    ],
    summary: "let an older version of a game be the one in use",
    discussion: """
      Needs no network. Syncs leave the game alone from then on, until the server publishes something newer than what it
      offered at that time, or --release. --release also lets a sync try a version again that did not stand when it was tried.
      Exit: 1 no such game or version; 65 the version is damaged, and nothing has changed.
      """)

  static let remove = Command(
    "remove", arguments: [.init("GAME")], options: [destination, lockWait],
    summary: "remove a game with all its versions, packages and unfinished downloads",
    discussion: "A later sync fetches it again unless it is given --exclude GAME.")

  static let serve = Command(
    "serve",
    options: [
      destination,
      Option(
        "listen", .list("ADDRESS"), default: "127.0.0.1:8081",
        "host:port, [v6]:port or unix:/path; port 0 chooses one"),
    ] + PlayOptions.all,
    summary: "play a mirror's games in a browser, and hand them on to other mirrors",
    discussion: """
      Prints `listening on http://…`; / lists the games, /play/ID/ plays one, and so does http://ID.localhost:PORT/, where its
      saves and service workers are its own. With --listen 0.0.0.0:PORT also the addresses that phones in the network open,
      and the first of them as a QR code when this is a terminal and qrencode is installed.

      Only requests for this machine are answered, by its names and addresses, localhost and what ends in .localhost; others
      get 421: that keeps pages elsewhere from reading games by a name of theirs that leads here. --allow-host adds names, for
      a proxy in front, say.

      It is a depot to read from as well: `mirror-sync --server http://HOST:PORT` mirrors this mirror, with deltas, as long as its
      packages are kept (sync without --no-keep-zip).

      A page keeps getting the files of the version it began with, by a cookie, until it is loaded again or that version is
      removed. SIGINT and SIGTERM end it at once. Exit: 0; 64 usage; 66 no mirror there; 69 cannot listen.
      """)

  static let program = Program(
    name: "mirror-sync", version: Build.version, variablePrefix: "MIRROR_SYNC_",
    summary: "keeps a folder of games in step with a depot",
    commands: [sync, status, verify, rollback, remove, export, importFile, serve],
    defaultCommand: "sync")
}

/// What this program calls itself.
enum Build {
  static let version = "0.1.0"
}
