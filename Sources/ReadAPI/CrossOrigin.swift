package import HTTPWire

/// What browsers are told about pages of other origins (the Fetch standard's CORS protocol): reads and the batch check
/// are for everybody, writes for nobody.
package enum CrossOrigin {
  private static let exposed = "ETag, Content-Range, X-H5-Md5, X-H5-Version, Repr-Digest, Link"

  /// Lets a page of any origin read the answer.
  package static func append(to fields: inout HTTPFields) {
    fields.append("Access-Control-Allow-Origin", "*")
    fields.append("Access-Control-Expose-Headers", exposed)
  }

  /// Lets a page of any origin send `methods`, with the fields this service acts on.
  package static func appendPreflight(of methods: String, to fields: inout HTTPFields) {
    fields.append("Access-Control-Allow-Origin", "*")
    fields.append("Access-Control-Allow-Methods", methods)
    fields.append(
      "Access-Control-Allow-Headers",
      "Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range, "
        + "X-Request-Id")
    fields.append("Access-Control-Max-Age", "86400")
  }
}
