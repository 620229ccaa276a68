internal import HTTPWire

/// Carries a loop from the thread that makes it to the one that runs it and alone touches it from there on.
///
/// The loop itself is a struct: of an object's properties each use is watched for others at the same time, which was a
/// fifth of what a request took outside the kernel. Here one use lasts as long as the loop runs.
final class LoopThread<Handler: HTTPHandler>: @unchecked Sendable {
  let mailbox: Mailbox
  private var loop: EventLoop<Handler>

  init(_ loop: consuming EventLoop<Handler>) {
    mailbox = loop.mailbox
    self.loop = loop
  }

  /// Serves until a stop is asked for and what runs is done, or its time is over. Once.
  func run() { loop.run() }
}
