internal import HTTPClient
internal import Platform
internal import ZipArchive

/// Decides by bytes whether a package is put together from what stands here or fetched as it is.
struct Rebuilder: Sendable {
  let shelf: IndexShelf
  let disk: WorkerThreads

  /// Which way a package takes.
  enum Way: Sendable {
    /// What is missing of it comes in one piece.
    case whole
    /// The same, because something that might have spared bytes is of no use: why, in a few words.
    case wholeAfterAll(String)
    /// By parts, for so many bytes, an index that is not here yet included.
    case rebuild(Rebuild, cost: Int64)
  }

  /// Of the bytes that the rest of a package has, tenths that putting it together may cost at most.
  private static let worthwhileTenths: Int64 = 9

  /// The cheaper way for what comes behind `position`. Nothing here throws: what goes wrong makes it the whole.
  func way(of source: PackageSource, aid: PackageAid, from position: Int64) async -> Way {
    let rest = source.size - position
    guard let offer = aid.index, !aid.standing.isEmpty, rest > 0 else { return .whole }
    let isHere = await shelf.holds(offer, of: source.sha256)
    let indexCost = isHere ? 0 : offer.size + RebuildPlan.requestCost
    guard Self.isWorthwhile(indexCost, instead: rest) else { return .whole }
    let index: PackageIndex
    do throws(IndexShelf.Unusable) { index = try await shelf.index(offer, of: source) } catch {
      return .wholeAfterAll("the index cannot be used: \(error.reason)")
    }
    return await disk.run {
      var files: [File] = []
      var tables: [PayloadTable] = []
      for package in aid.standing {
        // One that cannot be read has nothing to give.
        guard let file = try? package.open(), let table = try? PayloadTable(file, limits: .standard) else {
          continue
        }
        files.append(file)
        tables.append(table)
      }
      guard !files.isEmpty else { return .wholeAfterAll("no package that stands here can be read") }
      let plan = RebuildPlan(index, standing: tables)
      // What the index cost is spent: it counts for the choice, not against it.
      let cost = plan.cost(from: position)
      guard Self.isWorthwhile(indexCost + cost, instead: rest) else { return .whole }
      return .rebuild(Rebuild(plan: plan, standing: files), cost: indexCost + cost)
    }
  }

  private static func isWorthwhile(_ cost: Int64, instead rest: Int64) -> Bool {
    // In tenths of either: a size of 2^63 is no reason to trap.
    Double(cost) * 10 < Double(rest) * Double(worthwhileTenths)
  }
}
