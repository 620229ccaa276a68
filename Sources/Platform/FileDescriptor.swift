internal import Glibc

/// A descriptor this value owns: closed when the value goes.
public struct FileDescriptor: ~Copyable, Sendable {
  /// The number, for calls that only borrow it.
  public let number: Int32

  /// Takes over `number`; nobody else may close it.
  public init(owning number: Int32) { self.number = number }

  /// Gives the number away: the caller closes it from now on.
  public consuming func release() -> Int32 {
    let number = self.number
    discard self
    return number
  }

  deinit { _ = Glibc.close(number) }
}
