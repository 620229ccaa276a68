internal import HTTPClient
internal import ZipArchive

/// Asks for checksums of blocks of large payloads that stand nowhere here as a whole.
struct SumsFetch: Sendable {
  let engine: TransferEngine
  let token: BearerToken?
  let retries: RetryPolicy
  let timer: any RetryTimer
  /// Told of bytes that came.
  let onBytes: @Sendable (Int) -> Void

  /// The search for those of `payloads` that have sums; nil when they cannot be had, or cost more than a tenth of what
  /// they may spare.
  func search(
    for payloads: [PackagePayload], of index: PackageIndex, from offer: DeltaOffer.Sums
  ) async -> BlockSearch? {
    let all = BlockSums(of: index)
    guard all.size == offer.size else { return nil }
    let wanted = Set(payloads.map(\.offset))
    var parts: [(payload: PackagePayload, range: Range<Int64>)] = []
    for (payload, start) in zip(all.payloads, all.offsets) where wanted.contains(payload.offset) {
      parts.append((payload, start..<start + BlockSums.length(of: payload)))
    }
    let requests = Self.joined(parts.map(\.range))
    let cost = requests.reduce(0) { $0 + Int64($1.count) + RebuildPlan.requestCost }
    let worth = parts.reduce(0) { $0 + $1.payload.compressedSize }
    guard cost < worth / 10 else { return nil }
    var search = BlockSearch()
    var rest = parts[...]
    for range in requests {
      guard let answer = await bytes(range, from: offer) else { return nil }
      while let part = rest.first, part.range.upperBound <= answer.start + Int64(answer.bytes.count) {
        let start = Int(part.range.lowerBound - answer.start)
        search.add(part.payload, sums: answer.bytes[start..<start + part.range.count])
        rest.removeFirst()
      }
    }
    return search
  }

  /// Ranges with little between them in one.
  private static func joined(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
    var joined: [Range<Int64>] = []
    for range in ranges {
      if let last = joined.last, range.lowerBound - last.upperBound < RebuildPlan.requestCost {
        joined[joined.count - 1] = last.lowerBound..<range.upperBound
      } else {
        joined.append(range)
      }
    }
    return joined
  }

  /// From `start` on at least what was asked for. Nothing proves these bytes: what they lead to is proven with the package.
  private func bytes(
    _ range: Range<Int64>, from offer: DeltaOffer.Sums
  ) async -> (start: Int64, bytes: [UInt8])? {
    guard let field = RequestField("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)") else {
      return nil
    }
    let request = FetchRequest(.get, offer.url, fields: [field], authorization: token)
    // Without sums the payloads come whole: no failure.
    guard
      let response = try? await engine.fetch(
        request, limit: Int(offer.size), retries: retries, timer: timer)
    else { return nil }
    onBytes(response.body.count)
    switch response.status {
    case 200 where Int64(response.body.count) == offer.size: return (0, response.body)
    case 206:
      guard response.head.contentRange?.range == range.lowerBound...(range.upperBound - 1),
        response.body.count == range.count
      else { return nil }
      return (range.lowerBound, response.body)
    default: return nil
    }
  }
}
