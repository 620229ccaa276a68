// Asks an address for each case, as the mirror asks for lists and for packages, for http_responses.py, which links it to the
// objects of the release build.
import HTTPClient
import Synchronization

@main
struct ResponseProbe {
  /// Counts what comes of a package.
  private final class Counter: TransferSink {
    private let count = Mutex(0)
    var bytes: Int { count.withLock { $0 } }
    func accept(_ head: ResponseHead) -> Bool { true }
    func receive(_ chunk: [UInt8]) -> Bool {
      count.withLock { $0 += chunk.count }
      return true
    }
  }

  /// Arguments: an address, and how many cases there are below it. A line for each: number, then what a fetch came to, and a
  /// download: status and bytes, or why not.
  static func main() async throws {
    var settings = HTTPClientSettings.standard
    settings.stallTimeout = .seconds(2)
    let engine = try TransferEngine(settings)
    for number in 0..<(Int(CommandLine.arguments[2]) ?? 0) {
      let base = "\(CommandLine.arguments[1])/\(number)"
      guard let fetched = WebURL(base), let downloaded = WebURL(base) else { continue }
      let fetch: String
      do throws(TransferError) {
        let answer = try await engine.fetch(FetchRequest(.get, fetched), limit: 1 << 20)
        fetch = "\(answer.status) \(answer.body.count)"
      } catch {
        fetch = word(error)
      }
      let counter = Counter()
      let download: String
      do throws(TransferError) {
        let outcome = try await engine.download(DownloadRequest(downloaded), sink: counter)
        download = "\(outcome.head.status) \(counter.bytes)"
      } catch {
        download = word(error)
      }
      print("\(number)\t\(fetch)\t\(download)")
    }
    engine.shutdown()
  }

  private static func word(_ error: TransferError) -> String {
    switch error {
    case .network(let code, _): "network \(code)"
    case .certificate: "certificate"
    case .headIncomplete: "head incomplete"
    case .headTooLarge: "head too large"
    case .headMalformed: "head malformed"
    case .bodyIncomplete: "body incomplete"
    case .stalled: "stalled"
    case .deadlineExceeded: "deadline"
    case .status(let failure): "status \(failure.status)"
    case .tooLarge: "too large"
    case .unexpectedEncoding: "encoding"
    case .badURL: "bad url"
    case .redirectRefused: "redirect refused"
    case .tooManyRedirects: "too many redirects"
    case .stoppedByReceiver: "stopped"
    case .unreadable: "unreadable"
    case .cancelled: "cancelled"
    }
  }
}
