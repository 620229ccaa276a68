import Glibc
public import HTTPWire
import Platform

extension ResponseBody {
  /// All bytes that would go over the wire, files read.
  public func content() throws -> [UInt8] {
    switch self {
    case .bytes(let bytes): return bytes
    case .file(let file, let offset, let count):
      let copy = File(owning: FileDescriptor(owning: dup(file.number)), path: "response body")
      return try copy.bytes(at: offset, count: Int(count))
    case .segments(let segments): return try segments.flatMap { try $0.content() }
    }
  }
}
