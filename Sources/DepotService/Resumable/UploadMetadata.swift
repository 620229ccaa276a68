internal import DepotModel
internal import ReadAPI

/// `Upload-Metadata` of tus: `gameId Y291cmllcg==,title TmV3`.
enum UploadMetadata {
  /// What it says that an upload can say, by key; a key without a value is empty, and others are ignored. Throws
  /// `bad-field` for what cannot be read.
  static func fields(_ text: String) throws(Problem) -> [String: String] {
    var values: [String: String] = [:]
    guard !text.allSatisfy({ $0 == " " }) else { return values }
    for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = pair.split(separator: " ")
      guard let key = words.first.map({ String($0) }), words.count <= 2 else {
        throw .badField("Upload-Metadata", "Upload-Metadata must be keys, each with a value in base64.")
      }
      guard UploadFields.names.contains(key) else { continue }
      guard let bytes = words.count == 1 ? [] : Base64.decode(String(words[1])),
        let value = String(validating: bytes, as: UTF8.self)
      else { throw .badField(key, "\(key) must be the base64 of UTF-8.") }
      guard values.updateValue(value, forKey: key) == nil else {
        throw .badField(key, "\(key) came more than once: send it once.")
      }
    }
    return values
  }
}
