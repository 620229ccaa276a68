import CommandOptions
import HTTPServer
import Platform
import PlayService

/// `serve`: a mirror's games for a browser, until a signal ends it.
enum Play {
  static func run(_ settings: Settings, _ interruption: Interruption) async throws -> Int32 {
    let asked = try settings.readAll("listen", expected: ListenAddress.syntax, ListenAddress.init)
    let listen: [ListenAddress]
    do throws(SystemError) {
      listen = try ListenAddress.inherited(and: asked, isDefault: !settings.isGiven("listen"))
    } catch {
      throw Failure(Failure.unavailable, "cannot listen: \(error)")
    }
    ResourceLimits.raiseDescriptors()
    let logger = Logger(format: .text, minimum: .notice)
    let workers = try WorkerPool(count: 1)
    let destination = try Destination.folder(settings)
    // A player who presses Ctrl-C waits for nothing; files that are being sent are sent again by a reload.
    var limits = HTTPServerLimits.standard
    limits.drainTimeout = .seconds(1)
    let handler: PlayHandler
    do throws(SystemError) {
      handler = try PlayHandler(mirrorAt: destination, settings: PlaySettings(), logger: logger)
    } catch {
      throw Failure(Failure.noInput, "no mirror to serve: \(error)")
    }
    let server: HTTPServer
    do throws(SystemError) {
      server = try HTTPServer(
        handler: handler, listen: listen, loops: ResourceLimits.processors, workers: workers, limits: limits,
        accessLog: nil, logger: logger)
      try server.start()
    } catch {
      throw Failure(Failure.unavailable, "cannot listen: \(error)")
    }
    for address in server.addresses { Terminal.write("listening on \(address)\n", to: .output) }
    let (signals, arrival) = AsyncStream.makeStream(of: Void.self)
    interruption.onSignal { arrival.finish() }
    for await _ in signals {}
    await server.stop()
    workers.shutdown()
    return 0
  }
}
