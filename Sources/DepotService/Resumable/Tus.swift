internal import DepotModel
internal import HTTPWire
internal import ReadAPI

/// The words of tus 1.0.0 (tus.io/protocols/resumable-upload).
enum Tus {
  static let version = "1.0.0"
  static let bodyType = "application/offset+octet-stream"
  private static let extensions = "creation,creation-with-upload,termination,checksum,expiration"

  /// What OPTIONS tells of this server.
  static func append(to fields: inout HTTPFields, maxSize: Int64) {
    fields.append("Tus-Version", version)
    fields.append("Tus-Extension", extensions)
    fields.append("Tus-Max-Size", "\(maxSize)")
    fields.append("Tus-Checksum-Algorithm", ChunkChecksum.algorithms)
  }

  /// The method that is meant, where a client cannot send PATCH or DELETE.
  static func method(of request: HTTPRequest) -> HTTPMethod {
    guard request.method == .post, let text = request.field(named: "X-HTTP-Method-Override") else {
      return request.method
    }
    return HTTPMethod(text)
  }

  /// Refuses a client of another version.
  static func checkVersion(_ request: HTTPRequest) throws(Problem) {
    guard request.field(named: "Tus-Resumable") != version else { return }
    throw Problem(
      .preconditionFailed, "Tus-Resumable must be \(version).", fields: ["Tus-Version": version]
    ).closingConnection()
  }

  /// Refuses a body of another type.
  static func checkType(_ request: HTTPRequest) throws(Problem) {
    guard request[.contentType]?.lowercased() != bodyType else { return }
    throw Problem(.unsupportedMediaType, "The body must be \(bodyType).").closingConnection()
  }

  /// A field that is one number of bytes; nil when it did not come.
  static func number(_ name: String, _ request: HTTPRequest) throws(Problem) -> Int64? {
    let values = request.values(of: name)
    guard let text = values.first else { return nil }
    guard values.count == 1, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text)
    else { throw .badField(name, "\(name) must be one number of bytes.").closingConnection() }
    return number
  }
}

extension HTTPResponse {
  /// The same for a client of tus: every answer names the version it is of.
  var forUploader: HTTPResponse { with(head: head + Array("Tus-Resumable: \(Tus.version)\r\n".utf8)) }
}
