/// The order in which versions of one game are imported: numbers by value, the rest by letters; `1.0-beta` before `1.0`.
enum VersionOrder {
  static func precedes(_ left: String, _ right: String) -> Bool {
    let (first, second) = (parts(left), parts(right))
    for (one, other) in zip(first, second) where one != other {
      guard let one = Int(one), let other = Int(other) else {
        return one < other
      }
      if one != other { return one < other }
    }
    guard first.count != second.count else { return false }
    let longer = first.count > second.count ? first : second
    let isPrerelease = Int(longer[min(first.count, second.count)]) == nil
    return (first.count < second.count) != isPrerelease
  }

  private static func parts(_ text: String) -> [Substring] {
    text.split { $0 == "." || $0 == "-" || $0 == "_" || $0 == "+" }
  }
}
