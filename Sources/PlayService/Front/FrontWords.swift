/// What the front page says, in one language.
struct FrontWords: Sendable {
  let heading: String
  let play: String
  /// A link to the game at `<gameId>.localhost`.
  let ownAddress: String
  let ownAddressHint: String
  let search: String
  let nothingInstalled: String
  let nothingFound: String
  let previous: String
  let next: String
  let version: String
  let installed: String

  static let english = FrontWords(
    heading: "Games",
    play: "Play",
    ownAddress: "At an address of its own",
    ownAddressHint: "Saves are kept apart from those of other games",
    search: "Search",
    nothingInstalled: "No game is installed yet.",
    nothingFound: "No game has this in its name.",
    previous: "Previous",
    next: "Next",
    version: "Version",
    installed: "Installed"
  )

  static let chinese = FrontWords(
    heading: "游戏",
    play: "开始",
    ownAddress: "用独立网址打开",
    ownAddressHint: "存档与其他游戏分开保存",
    search: "搜索",
    nothingInstalled: "还没有安装游戏。",
    nothingFound: "没有名称相符的游戏。",
    previous: "上一页",
    next: "下一页",
    version: "版本",
    installed: "安装于"
  )
}
