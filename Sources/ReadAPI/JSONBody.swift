internal import DepotModel
package import HTTPWire

/// A JSON request body: bounded, and told where it went wrong.
package enum JSONBody {
  /// Refuses, by the head alone, a body of a type that is none of `types`, or of a length over `limit`.
  package static func check(
    _ request: HTTPRequest, types: [String] = ["application/json"], limit: Int
  ) throws(Problem) {
    // RFC 9110 §8.3: without a type the recipient may assume one; here there is only one.
    if let type = request[.contentType], !types.contains(essence(of: type)) {
      throw Problem(.unsupportedMediaType, "The body must be \(types.joined(separator: " or ")).")
        .closingConnection()
    }
    if case .length(let length) = request.body, length > UInt64(limit) {
      throw Problem(.tooLarge(limit: limit))
    }
  }

  package static func read<Value: Decodable>(
    _ type: Value.Type, from body: any RequestBody, limit: Int, within budget: BodyBudget
  ) async throws(Problem) -> Value {
    var bytes: [UInt8] = []
    defer { budget.giveBack(bytes.count) }
    while let piece = try await next(of: body) {
      guard bytes.count + piece.count <= limit else { throw Problem(.tooLarge(limit: limit)) }
      guard budget.take(piece.count) else {
        throw Problem.tryAgain("Too many requests of this kind are under way; try again soon.")
          .closingConnection()
      }
      bytes += piece
    }
    if let fault = JSONGrammar.fault(in: bytes) {
      throw Problem(.badRequest, "The body is not JSON. \(fault)")
    }
    do {
      return try JSON.decode(type, from: bytes)
    } catch let error as DecodingError {
      throw problem(error)
    } catch {
      throw Problem(.badRequest, "The body is not JSON.")
    }
  }

  private static func next(of body: any RequestBody) async throws(Problem) -> [UInt8]? {
    do throws(RequestBodyError) { return try await body.next() } catch { throw Problem(error) }
  }

  /// The type without its parameters (RFC 9110 §8.3.1), in lower case.
  private static func essence(of type: String) -> String {
    let essence = type.prefix { $0 != ";" }.lowercased()
    return String(essence.drop { $0 == " " }.prefix { $0 != " " })
  }

  private static func problem(_ error: DecodingError) -> Problem {
    switch error {
    case .keyNotFound(let key, let context):
      let path = path(context.codingPath + [key])
      return .badField(path, "\(path) is missing.")
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      let path = path(context.codingPath)
      guard !path.isEmpty else { return Problem(.badRequest, "The body must be a JSON object.") }
      return .badField(path, "\(path) is of the wrong type. \(context.debugDescription)")
    case .dataCorrupted(let context):
      let path = path(context.codingPath)
      guard !path.isEmpty else {
        return Problem(.badRequest, "The body is not JSON. \(underlying(context))")
      }
      return .badField(path, "\(path): \(context.debugDescription)")
    @unknown default:
      return Problem(.badRequest, "The body is not the JSON asked for.")
    }
  }

  /// The parser's own words, which tell line and column.
  private static func underlying(_ context: DecodingError.Context) -> String {
    context.underlyingError.map { String(describing: $0) } ?? context.debugDescription
  }

  /// `installed[3].gameId`.
  private static func path(_ keys: [any CodingKey]) -> String {
    keys.reduce(into: "") { path, key in
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += (path.isEmpty ? "" : ".") + key.stringValue
      }
    }
  }
}

extension Problem {
  /// A body that ended before its end: the connection is of no further use.
  package init(_ error: RequestBodyError) {
    switch error {
    case .disconnected:
      self = Problem(.badRequest, "The connection ended before the body did.").closingConnection()
    case .timedOut:
      self = Problem(.requestTimeout, "The body came too slowly.").closingConnection()
    case .malformed:
      self = Problem(.badRequest, "The body's chunked coding is broken.").closingConnection()
    case .tooLarge(let limit):
      self = Problem(
        .bodyTooLarge, "The body may have at most \(limit) bytes.", ["limit": .number(Int64(limit))]
      )
      .closingConnection()
    }
  }
}
