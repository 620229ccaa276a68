internal import Synchronization

/// Something that happened to a download.
public struct DownloadEvent: Sendable, Hashable {
  /// What is new in the receipt.
  public enum Change: Sendable, Hashable {
    /// Its state; also the first event of a sequence, which tells how things stand.
    case state
    /// How far it is.
    case progress
  }

  /// What is new.
  public let change: Change
  /// The whole receipt as it was then.
  public let receipt: DownloadReceipt
}

/// What happens to one download, or to all, as it happens.
///
///     for await event in manager.events(of: receipt.id) {
///       print(event.receipt.state, event.receipt.progress ?? 0, event.receipt.speed)
///     }
///
/// The first event tells how the download stands. A sequence of one download ends when it is completed, failed or
/// removed; one of all when the manager is closed; either when the task that waits is cancelled. Each sequence is one
/// observer, for one task, and any number of them may be had. A slow one loses progress, and states in between when very
/// many wait, but never the last state of a download.
public struct DownloadEvents: AsyncSequence, Sendable {
  /// What it yields.
  public typealias Element = DownloadEvent
  /// It only ends.
  public typealias Failure = Never

  let subscription: Subscription

  /// Ends the subscription when nobody can listen any more.
  final class Subscription: Sendable {
    let channel = EventChannel()
    private let onEnd = Mutex<(@Sendable () -> Void)?>(nil)

    func onEnd(_ body: @escaping @Sendable () -> Void) { onEnd.withLock { $0 = body } }

    deinit { onEnd.withLock { $0 }?() }
  }

  /// Waits for one event after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: Subscription

    /// The next event; nil when there will be none any more, or the task is cancelled.
    public mutating func next() async -> DownloadEvent? { await subscription.channel.next() }

    /// As `next()`, wherever it is called from.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> DownloadEvent? {
      await subscription.channel.next()
    }
  }

  /// Begins to listen.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }
}
