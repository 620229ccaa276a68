/// The observers of one manager.
struct EventHub: Sendable {
  private struct Observer: Sendable {
    let channel: EventChannel
    /// Nil: all of them.
    let id: DownloadID?
  }

  private var observers: [UInt64: Observer] = [:]
  private var lastNumber: UInt64 = 0

  /// `receipts`: how things stand that the observer asks for.
  mutating func add(_ channel: EventChannel, of id: DownloadID?, receipts: [DownloadReceipt]) -> UInt64 {
    lastNumber += 1
    observers[lastNumber] = Observer(channel: channel, id: id)
    for receipt in receipts {
      channel.send(DownloadEvent(change: .state, receipt: receipt))
      if id != nil { endIfOver(lastNumber, receipt) }
    }
    return lastNumber
  }

  mutating func remove(_ number: UInt64) { observers[number] = nil }

  mutating func tell(_ change: DownloadEvent.Change, _ receipt: DownloadReceipt) {
    if observers.isEmpty { return }
    let event = DownloadEvent(change: change, receipt: receipt)
    for (number, observer) in observers where observer.id == nil || observer.id == receipt.id {
      observer.channel.send(event)
      if observer.id != nil { endIfOver(number, receipt) }
    }
  }

  mutating func finish() {
    for observer in observers.values { observer.channel.finish() }
    observers = [:]
  }

  private mutating func endIfOver(_ number: UInt64, _ receipt: DownloadReceipt) {
    switch receipt.state {
    case .completed, .failed, .none:
      observers[number]?.channel.finish()
      observers[number] = nil
    case .willResume, .downloading, .suspended: break
    }
  }
}
