internal import DepotModel

/// The names of a version's files and folders, found exactly, in another Unicode form, or in letters of another case: what
/// a disk of Windows or macOS would have found where the game was made.
struct FileIndex: Sendable {
  /// A file, as far as somebody wrote down what it is.
  struct Entry: Sendable {
    /// Below the version's folder, `/` separated.
    let path: String
    /// Bytes; 0 of a folder.
    let size: Int64
    /// Of its bytes, when it was installed.
    let sha256: SHA256Digest?
    /// When it was written, in nanoseconds since 1970; nil where nobody wrote it down.
    let modifiedAtNanoseconds: Int64?
  }

  /// How a name was found that is not there exactly so.
  enum Match: Hashable, Sendable {
    /// The same characters in another form: NFC for NFD.
    case sameText(path: String)
    /// Another case, and nothing else that could be meant.
    case otherCase(path: String)
  }

  /// Names beyond which no index is made: some 150 bytes of memory each.
  static let limit = 200_000

  private var entries: [Entry] = []
  private var folderPaths: [String] = []
  /// Hashes that canonically equal texts share, each with the place of its name.
  private var byText: [Place] = []
  private var byFold: [Place] = []

  private struct Place: Sendable {
    let hash: Int
    let number: Int32
  }

  /// Nil for more than `limit` names. The folders that hold the files are added.
  init?(_ files: some Collection<Entry>) {
    guard files.count <= Self.limit else { return nil }
    entries = Array(files)
    var folders: Set<Substring> = []
    for entry in entries {
      for parent in entry.path.parentFolders where folders.insert(parent).inserted {
        folderPaths.append(String(parent))
        guard entries.count + folderPaths.count <= Self.limit else { return nil }
      }
    }
    byText.reserveCapacity(count)
    byFold.reserveCapacity(count)
    for number in 0..<count {
      byText.append(Place(hash: path(number).hashValue, number: Int32(number)))
      byFold.append(Place(hash: path(number).caseFolded.hashValue, number: Int32(number)))
    }
    byText.sort { $0.hash < $1.hash }
    byFold.sort { $0.hash < $1.hash }
  }

  /// Files and folders.
  var count: Int { entries.count + folderPaths.count }

  private func path(_ number: Int) -> String {
    number < entries.count ? entries[number].path : folderPaths[number - entries.count]
  }

  /// The file of exactly these bytes.
  func file(at path: String) -> Entry? {
    for number in Self.numbers(in: byText, path.hashValue) where number < entries.count {
      if entries[number].path.utf8.elementsEqual(path.utf8) { return entries[number] }
    }
    return nil
  }

  /// What a name stands for that is not there exactly so; nil when nothing, or several could be meant.
  func match(_ path: String) -> Match? {
    let same = Self.numbers(in: byText, path.hashValue).filter { self.path($0) == path }
    if let number = same.first { return same.count == 1 ? .sameText(path: self.path(number)) : nil }
    let fold = path.caseFolded
    let alike = Self.numbers(in: byFold, fold.hashValue).filter { self.path($0).caseFolded == fold }
    return alike.count == 1 ? .otherCase(path: self.path(alike[0])) : nil
  }

  private static func numbers(in places: [Place], _ hash: Int) -> [Int] {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].hash < hash { low = middle + 1 } else { high = middle }
    }
    var numbers: [Int] = []
    while low < places.count, places[low].hash == hash {
      numbers.append(Int(places[low].number))
      low += 1
    }
    return numbers
  }
}

extension String {
  /// `a/b/c` → `a`, `a/b`.
  fileprivate var parentFolders: [Substring] {
    utf8.indices.filter { utf8[$0] == UInt8(ascii: "/") }.map { self[..<$0] }
  }

  /// What all spellings in letters of either case have in common. Upper case first, which brings forms together that have
  /// several lower ones: `ς` and `σ`.
  var caseFolded: String { uppercased().lowercased() }
}
