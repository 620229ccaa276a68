internal import Platform

extension PackageFetch {
  /// Puts the package together in the order of the file, so that what is there at any moment is a beginning of it: what
  /// can be had here is copied, the rest comes range by range.
  func assemble(
    _ partial: Partial, by rebuild: Rebuild, _ lessons: inout Lessons
  ) async throws(DownloadError) -> Attempt {
    lessons.isStitched = true
    while true {
      let end: Int64?
      do throws(Rebuild.Failure) {
        end = try await cancellable { (isCancelled) throws(Rebuild.Failure) in
          try rebuild.copy(into: partial, isCancelled: isCancelled) { report(.fetching, $0) }
        }
      } catch {
        switch error {
        case .disk(let error): throw .disk(error)
        case .unreadable(let reason): return .uncopyable(reason)
        case .cancelled: throw .cancelled
        }
      }
      guard let end else { break }
      if let failure = try await ask(partial, until: end, &lessons) { return failure }
      // The whole came instead.
      if lessons.rebuild == nil { break }
    }
    return await verify(partial)
  }
}
