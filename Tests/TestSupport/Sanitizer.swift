internal import Platform

/// Whether these tests run under AddressSanitizer or ThreadSanitizer: what a sanitizer adds to memory and time is not
/// the code's.
public enum Sanitizer {
  /// As `scripts/sanitizers/run.sh` says by its variables.
  public static let isActive = ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains {
    ThisProcess.environment[$0] != nil
  }
}
