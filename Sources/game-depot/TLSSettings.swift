import CommandOptions
import HTTPServer
import Platform

/// The certificates that `serve` was given.
enum TLSSettings {
  /// Days before a certificate's end from which on the start warns of it.
  private static let warningDays: Int64 = 14

  /// What to speak TLS with; nil when there is no certificate and no address asks for one.
  static func context(_ settings: Settings, for addresses: [ListenAddress], logger: Logger) throws
    -> TLSContext?
  {
    let files = try files(settings)
    guard !files.isEmpty else {
      guard let address = addresses.first(where: \.demandsTLS) else { return nil }
      throw Failure(Failure.usage, "--listen \(address) needs --tls-cert and --tls-key")
    }
    do throws(TLSError) {
      let context = try TLSContext(files)
      tell(context, logger)
      return context
    } catch {
      if case .unreadable = error { throw Failure(Failure.noInput, error.description) }
      throw Failure(Failure.data, error.description)
    }
  }

  /// Reads the certificates again; those that were read before stay when something is wrong with the new ones.
  static func reload(_ context: TLSContext, _ settings: Settings, logger: Logger) {
    do {
      try context.reload(try files(settings))
      tell(context, logger)
    } catch {
      logger.error("keeping the certificates there are", ["cause": "\(error)"])
    }
  }

  private static func files(_ settings: Settings) throws -> [TLSContext.CertificateFiles] {
    let certificates = settings.strings("tls-cert")
    let keys = settings.strings("tls-key")
    guard certificates.count == keys.count else {
      throw Failure(
        Failure.usage,
        "each --tls-cert needs its --tls-key: there are \(certificates.count) certificates and \(keys.count) keys"
      )
    }
    return zip(certificates, keys).map { TLSContext.CertificateFiles(certificate: $0, key: $1) }
  }

  private static func tell(_ context: TLSContext, _ logger: Logger) {
    for (path, expires) in context.expiries {
      let fields: Logger.Fields = [
        "certificate": path, "expires": CalendarTime(unixSeconds: expires).text + "Z",
      ]
      let left = expires - SystemClock.unixSeconds
      if left < 0 {
        logger.warning("a certificate is past its end: clients will refuse it", fields)
      } else if left < warningDays * 86_400 {
        logger.warning("a certificate ends soon", fields)
      } else {
        logger.info("read a certificate", fields)
      }
    }
  }
}
