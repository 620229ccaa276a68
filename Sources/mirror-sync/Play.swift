import CommandOptions
import HTTPServer
import Platform
import PlayService

/// `serve`: a mirror's games for a browser, until a signal ends it.
enum Play {
  static func run(
    _ settings: Settings, environment: [String: String], _ interruption: Interruption
  ) async throws -> Int32 {
    let asked = try settings.readAll("listen", expected: ListenAddress.syntax, ListenAddress.init)
    let listen: [ListenAddress]
    do throws(SystemError) {
      listen = try ListenAddress.inherited(and: asked, isDefault: !settings.isGiven("listen"))
    } catch {
      throw Failure(Failure.unavailable, "cannot listen: \(error)")
    }
    ResourceLimits.raiseDescriptors()
    let logger = Logger(format: .text, minimum: .notice)
    let play = try PlayOptions.read(settings)
    let workers = try WorkerPool(count: ResourceLimits.processors)
    let destination = try Destination.folder(settings)
    // A player who presses Ctrl-C waits for nothing; files that are being sent are sent again by a reload.
    var limits = HTTPServerLimits.standard
    limits.drainTimeout = .zero
    let handler: PlayHandler
    do throws(SystemError) {
      handler = try PlayHandler(
        mirrorAt: destination, record: PlayRecord(destination: destination, logger: logger),
        catalogue: PlayCatalogue(destination: destination), settings: play, logger: logger)
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
    let urls = PlayAddresses.urls(of: server.addresses)
    for url in urls { Terminal.write("\(url)\n", to: .output) }
    if let url = urls.first, Terminal.isTerminal(.output), Terminal.isTerminal(.error) {
      workers.run { PlayAddresses.show(url, path: environment["PATH"]) }
    }
    let manager = ServiceManager(environment: environment)
    manager?.ready()
    let (signals, arrival) = AsyncStream.makeStream(of: Void.self)
    interruption.onSignal { arrival.finish() }
    for await _ in signals {}
    manager?.stopping()
    handler.endWaits()
    await server.stop()
    // What the workers still do, nobody waits for any more.
    return 0
  }
}
