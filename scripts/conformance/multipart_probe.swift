// Reads a multipart/form-data body from the standard input with the server's own parser, at once and in pieces of the
// sizes given, and prints what it holds for multipart.py, which compiles this together with Sources/HTTPWire.
import Foundation

@main
struct MultipartProbe {
  /// Arguments: the boundary, then sizes of pieces.
  static func main() throws {
    let body = [UInt8](try FileHandle.standardInput.readToEnd() ?? Data())
    let boundary = CommandLine.arguments[1]
    let sizes = [max(body.count, 1)] + CommandLine.arguments.dropFirst(2).compactMap { Int($0) }
    let outcomes = sizes.map { read(body, boundary, $0) }
    print(outcomes.allSatisfy { $0 == outcomes[0] } ? outcomes[0] : "differs by cut\n\(outcomes)")
  }

  /// A line `part`, name, file name, type, content in hexadecimal for each; the last line is the verdict.
  private static func read(_ body: [UInt8], _ boundary: String, _ size: Int) -> String {
    var lines: [String] = []
    var content: [UInt8] = []
    do throws(MultipartError) {
      var parser = try MultipartParser(boundary: boundary, limits: .standard)
      for start in stride(from: 0, to: body.count, by: size) {
        for event in try parser.parse(Array(body[start..<min(start + size, body.count)])) {
          switch event {
          case .part(let name, let filename, let type):
            lines.append("part\t\(name)\t\(filename ?? "-")\t\(type ?? "-")\t")
            content = []
          case .data(let bytes): content += bytes
          case .endOfPart: lines[lines.count - 1] += content.map { String(format: "%02x", $0) }.joined()
          case .end: break
          }
        }
      }
      try parser.finish()
      return (lines + ["accepted"]).joined(separator: "\n")
    } catch {
      // Parts before the fault depend on the cut.
      return "refused: \(error)"
    }
  }
}
