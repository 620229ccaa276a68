/// How the bytes of one receipt get here. What it throws is what the receipt will tell; `cancelled` leaves it suspended.
typealias DownloadWork =
  @Sendable (DownloadReceipt, DownloadReporter) async throws(DownloadError) -> DownloadArrival

/// The end of a download that went well.
struct DownloadArrival: Sendable {
  var file: StandingFile
  var suggestedName: String?
}

/// What a transfer tells the manager while it runs, from any thread, one call at a time.
struct DownloadReporter: Sendable {
  /// The partial begins anew, with bytes of this state of the file. When this returns, no later start will take what the
  /// partial held before for a part of it. Blocks on the receipts' file.
  let begins: @Sendable (FileSink.Facts) throws(DownloadError) -> Void
  /// Bytes that are here, bytes of the whole if known by now, and how many would survive a power cut.
  let moved: @Sendable (_ written: Int64, _ expected: Int64?, _ durable: Int64) -> Void
}
