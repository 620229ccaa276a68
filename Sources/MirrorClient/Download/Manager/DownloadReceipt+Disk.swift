internal import Platform

extension DownloadReceipt {
  /// What of this receipt is still true, with the partial in `folder`:
  ///
  /// - a file that is gone or has another size is no completed download;
  /// - what was under way when the program ended waits, with the bytes that are proven or can be;
  /// - of a file at a URL, those are the bytes that were synchronized, or none when fewer are there; of a package all that
  ///   are there, since its digest decides in the end, or none when there are too many.
  func heldAgainst(_ folder: Directory) throws(DownloadError) -> DownloadReceipt {
    var receipt = self
    receipt.speed = 0
    if let file, try !file.stands { receipt.file = nil }
    guard state != .completed else {
      if receipt.file == nil { receipt.reset(to: .none) }
      return receipt
    }
    if state == .downloading { receipt.state = .willResume }
    let here = try partialSize(in: folder)
    switch id {
    case .package: receipt.durable = download.size.map { here <= $0 } == true ? here : 0
    case .url: receipt.durable = here < durable ? 0 : durable
    }
    receipt.written = receipt.durable
    return receipt
  }

  private mutating func reset(to state: State) {
    self.state = state
    written = 0
    durable = 0
    expected = download.size
    validators = .none
  }

  private func partialSize(in folder: Directory) throws(DownloadError) -> Int64 {
    do throws(SystemError) {
      guard let status = try folder.status(of: download.partialName), status.kind == .regular else {
        return 0
      }
      return status.size
    } catch {
      throw .disk(error)
    }
  }
}

extension StandingFile {
  /// Whether a regular file of the right size is there; what is in it, only its digest tells.
  var stands: Bool {
    get throws(DownloadError) {
      guard let status = try FilePlace(path)?.status() else { return false }
      return status.kind == .regular && status.size == size
    }
  }
}
