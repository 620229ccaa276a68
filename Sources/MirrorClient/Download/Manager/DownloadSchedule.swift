/// Which of those that wait comes next.
public enum DownloadOrder: String, Sendable, Hashable, CaseIterable {
  /// The one that was asked for first.
  case fifo
  /// The one that was asked for last.
  case lifo
}

/// The downloads that wait for a place.
struct DownloadSchedule: Sendable {
  private struct Place: Sendable {
    let id: DownloadID
    let priority: Int
    let position: Int64
  }

  private let order: DownloadOrder
  /// The next one stands last.
  private var places: [Place] = []

  init(_ order: DownloadOrder) { self.order = order }

  /// `position` grows with each request, and tells requests apart.
  mutating func add(_ id: DownloadID, priority: Int, position: Int64) {
    let place = Place(id: id, priority: priority, position: position)
    places.insert(place, at: index(of: place))
  }

  /// With the priority and position it was added with; nothing happens when it does not wait.
  mutating func remove(_ id: DownloadID, priority: Int, position: Int64) {
    let index = index(of: Place(id: id, priority: priority, position: position))
    if index < places.count, places[index].id == id { places.remove(at: index) }
  }

  mutating func next() -> DownloadID? { places.popLast()?.id }

  private func index(of place: Place) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if isLater(places[middle], than: place) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func isLater(_ left: Place, than right: Place) -> Bool {
    guard left.priority == right.priority else { return left.priority < right.priority }
    return switch order {
    case .fifo: left.position > right.position
    case .lifo: left.position < right.position
    }
  }
}
