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

  /// The cheaper way for what comes behind `position`. Nothing here throws: what goes wrong makes it the whole. With
  /// `sums`, what is new is also looked for block by block in what changed here: that costs reading it, and is left out
  /// where only the price is asked, which is the highest then.
  func way(
    of source: PackageSource, aid: PackageAid, from position: Int64, sums: SumsFetch? = nil
  ) async -> Way {
    let rest = source.size - position
    guard let offer = aid.index, !aid.standing.isEmpty, rest > 0 else { return .whole }
    let isHere = await shelf.holds(offer, of: source.sha256)
    let indexCost = isHere ? 0 : offer.size + RebuildPlan.requestCost
    guard Self.isWorthwhile(indexCost, instead: rest) else { return .whole }
    let index: PackageIndex
    do throws(IndexShelf.Unusable) { index = try await shelf.index(offer, of: source) } catch {
      return .wholeAfterAll("the index cannot be used: \(error.reason)")
    }
    let here = await disk.run { Here(aid.standing) }
    guard !here.files.isEmpty else { return .wholeAfterAll("no package that stands here can be read") }
    var plan = await disk.run { RebuildPlan(index, standing: here.tables) }
    let missing = plan.missing.filter { $0.offset + $0.compressedSize > position }
    if let sums, let offer = aid.sums, here.hasStretches(missingFrom: index),
      let search = await sums.search(for: missing, of: index, from: offer)
    {
      plan = await disk.run {
        RebuildPlan(index, standing: here.tables, finds: here.finds(search, missingFrom: index))
      }
    }
    // What the index cost is spent: it counts for the choice, not against it.
    let cost = plan.cost(from: position)
    guard Self.isWorthwhile(indexCost + cost, instead: rest) else { return .whole }
    return .rebuild(Rebuild(plan: plan, standing: here.files), cost: indexCost + cost)
  }

  /// The packages that stand here, open.
  private struct Here: Sendable {
    var files: [File] = []
    var tables: [PayloadTable] = []

    init(_ standing: [StandingPackage]) {
      for package in standing {
        // One that cannot be read has nothing to give.
        guard let file = try? package.open(), let table = try? PayloadTable(file, limits: .standard) else {
          continue
        }
        files.append(file)
        tables.append(table)
      }
    }

    func hasStretches(missingFrom index: PackageIndex) -> Bool {
      tables.contains { !$0.stretches(missingFrom: index).isEmpty }
    }

    /// In the order of the new package; of two that overlap, that of the likelier package.
    func finds(_ search: BlockSearch, missingFrom index: PackageIndex) -> [RebuildPlan.Find] {
      var finds: [RebuildPlan.Find] = []
      for (package, file) in files.enumerated() {
        let stretches = tables[package].stretches(missingFrom: index)
        guard let matches = try? search.matches(in: stretches, of: file) else { continue }
        var known = finds[...]
        for match in matches {
          while let first = known.first, first.match.offset + first.match.length <= match.offset {
            known.removeFirst()
          }
          if let first = known.first, first.match.offset < match.offset + match.length { continue }
          finds.append(RebuildPlan.Find(package: package, match: match))
        }
        finds.sort { $0.match.offset < $1.match.offset }
      }
      return finds
    }
  }

  private static func isWorthwhile(_ cost: Int64, instead rest: Int64) -> Bool {
    // In tenths of either: a size of 2^63 is no reason to trap.
    Double(cost) * 10 < Double(rest) * Double(worthwhileTenths)
  }
}
