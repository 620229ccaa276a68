internal import HTTPWire
internal import ZipArchive

/// The gzip coding (RFC 1952) of a body that is there as a whole.
enum Gzip {
  /// Nil when zlib has no memory.
  static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    guard let deflated = Deflater.deflate(bytes) else { return nil }
    // RFC 1952 §2.3: magic, deflate, no flags, no time, no extra flags, made on Unix.
    var output: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
    output.reserveCapacity(deflated.count + 18)
    output += deflated
    append(CRC32.value(of: bytes), to: &output)
    append(UInt32(truncatingIfNeeded: bytes.count), to: &output)
    return output
  }

  private static func append(_ value: UInt32, to output: inout [UInt8]) {
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      output.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}

/// What codings a client takes (RFC 9110 §12.5.3).
enum AcceptEncoding {
  /// Whether gzip may be sent: named, or meant by `*`, and not with a weight of 0.
  static func allowsGzip(_ request: HTTPRequest) -> Bool {
    guard request.has(.acceptEncoding) else { return false }
    var any: Bool?
    for list in request.values(of: "accept-encoding") {
      for item in list.split(separator: ",") {
        let parts = item.split(separator: ";").map { $0.trimmed.lowercased() }
        let isWanted = !parts.dropFirst().contains { isZero($0) }
        switch parts.first {
        case "gzip", "x-gzip": return isWanted
        case "*": any = isWanted
        default: continue
        }
      }
    }
    return any ?? false
  }

  /// `q=0`, `q=0.000`.
  private static func isZero(_ weight: String) -> Bool {
    let parts = weight.split(separator: "=", maxSplits: 1).map(\.trimmed)
    guard parts.count == 2, parts[0] == "q", parts[1].first == "0" else { return false }
    return parts[1].allSatisfy { $0 == "0" || $0 == "." }
  }
}

extension Substring {
  /// Without white space (RFC 9110 §5.6.3) at its ends.
  fileprivate var trimmed: String {
    var text = self.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }
}
