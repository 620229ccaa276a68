/// Bytes as people read them.
public enum ByteText {
  /// `0 B`, `1.5 KiB`, `340.0 MiB`; at most nine columns.
  public static func short(_ bytes: Int64) -> String {
    guard bytes >= 1024 else { return "\(max(0, bytes)) B" }
    var value = Double(bytes) / 1024
    for unit in ["KiB", "MiB", "GiB"] {
      if value < 1023.95 { return "\(oneDecimal(value)) \(unit)" }
      value /= 1024
    }
    return "\(oneDecimal(value)) TiB"
  }

  private static func oneDecimal(_ value: Double) -> String {
    let tenths = Int64((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
