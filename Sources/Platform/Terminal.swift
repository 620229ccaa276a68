internal import Glibc

/// What stands at the other end of standard output or standard error.
public enum Terminal {
  /// A stream of this process.
  public enum Stream: Sendable {
    case output, error

    var number: Int32 { self == .output ? STDOUT_FILENO : STDERR_FILENO }
  }

  /// Whether a person may be looking.
  public static func isTerminal(_ stream: Stream) -> Bool { isatty(stream.number) == 1 }

  /// Columns of the terminal now; nil when there is none or it does not say.
  public static func width(of stream: Stream) -> Int? {
    var size = winsize()
    guard unsafe ioctl(stream.number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Writes all of `text`, unbuffered. A reader that went away is nothing to report: there is nobody to tell.
  public static func write(_ text: String, to stream: Stream) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let put = unsafe bytes.withUnsafeBytes { buffer in
        retryingOnInterrupt { unsafe Glibc.write(stream.number, buffer.baseAddress, buffer.count) }
      }
      guard put > 0 else { return }
      bytes = bytes.dropFirst(put)
    }
  }
}
