internal import DepotModel
internal import Platform
internal import Synchronization

/// Who is logged in to the web console: a random id in the browser's cookie stands for a token, of which only the hash is
/// kept. In memory alone, so a restart ends every login. Any thread.
final class ConsoleSessions: Sendable {
  /// Seconds a login lasts, however much it is used.
  static let lifetime: Int64 = 8 * 3600
  private let capacity: Int
  private let sessions = Mutex<[[UInt8]: Session]>([:])

  private struct Session {
    let tokenHash: [UInt8]
    let expiresAt: Int64
  }

  /// Where there are `capacity` logins, the next one ends the one that would end first.
  init(capacity: Int = 1024) { self.capacity = capacity }

  /// Logs a token in from `now` on: the id for the cookie, 64 hexadecimal digits. Nil without random bytes.
  func open(tokenHash: [UInt8], now: Timestamp) -> String? {
    guard let secret = Secrets.randomBytes(32) else { return nil }
    let id = secret.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let session = Session(tokenHash: tokenHash, expiresAt: now.seconds + Self.lifetime)
    sessions.withLock { sessions in
      if sessions.count >= capacity { sessions = sessions.filter { $0.value.expiresAt > now.seconds } }
      if sessions.count >= capacity, let first = sessions.min(by: { $0.value.expiresAt < $1.value.expiresAt })
      {
        sessions[first.key] = nil
      }
      sessions[Self.key(id)] = session
    }
    return id
  }

  /// The hash of the token behind an id; nil when it is none, or its time is over.
  func tokenHash(of id: String, now: Timestamp) -> [UInt8]? {
    sessions.withLock { sessions in
      guard let found = sessions[Self.key(id)] else { return nil }
      guard found.expiresAt > now.seconds else {
        sessions[Self.key(id)] = nil
        return nil
      }
      return found.tokenHash
    }
  }

  /// Ends a login.
  func close(_ id: String) { sessions.withLock { $0[Self.key(id)] = nil } }

  /// Ends every login with a token.
  func closeAll(of tokenHash: [UInt8]) {
    sessions.withLock { sessions in sessions = sessions.filter { $0.value.tokenHash != tokenHash } }
  }

  /// How many there are, those whose time is over perhaps among them.
  var count: Int { sessions.withLock { $0.count } }

  /// A digest, so that the time a look-up takes tells nothing of ids that there are.
  private static func key(_ id: String) -> [UInt8] { Hash.digest(of: Array(id.utf8), .sha256) }
}
