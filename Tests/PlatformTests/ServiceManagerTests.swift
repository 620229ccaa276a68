import Glibc
import Platform
import TestSupport
import Testing

/// systemd's protocol, byte for byte.
@Suite struct ServiceManagerTests {
  private func found(_ environment: [String: String]) -> ServiceManager? {
    ServiceManager(environment: environment)
  }

  @Test(arguments: [false, true]) func tellsWhatIsGoingOnInOneDatagramEach(isAbstract: Bool) throws {
    let folder = try TemporaryFolder()
    let socket = try NotifySocket(isAbstract ? "@game-depot-\(getpid())" : "\(folder.path)/notify")
    let manager = try #require(found(["NOTIFY_SOCKET": socket.address]))
    manager.ready()
    #expect(socket.next() == "READY=1")
    manager.reloading()
    let text = try #require(socket.next())
    #expect(text.hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    #expect(Int64(text.split(separator: "=").last ?? "") ?? 0 > 0)
    manager.alive()
    #expect(socket.next() == "WATCHDOG=1")
    manager.stopping()
    #expect(socket.next() == "STOPPING=1")
  }

  @Test func whoDoesNotListenIsNotWaitedFor() throws {
    let folder = try TemporaryFolder()
    let manager = try #require(found(["NOTIFY_SOCKET": "\(folder.path)/nobody"]))
    manager.ready()
  }

  @Test func isNobodyWithoutAUsableAddress() {
    #expect(found([:]) == nil)
    for address in ["", "/", "relative", "vsock:2:1234", String(repeating: "/a", count: 60)] {
      #expect(found(["NOTIFY_SOCKET": address]) == nil, "\(address)")
    }
  }

  @Test func theWatchdogMayBeMeantForAnother() {
    var environment = ["NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "2000000"]
    #expect(found(environment)?.watchdog == .seconds(2))
    environment["WATCHDOG_PID"] = "\(getpid())"
    #expect(found(environment)?.watchdog == .seconds(2))
    environment["WATCHDOG_PID"] = "1"
    #expect(found(environment)?.watchdog == nil)
    environment["WATCHDOG_PID"] = nil
    for period in ["", "0", "-5", "soon"] {
      environment["WATCHDOG_USEC"] = period
      #expect(found(environment) != nil && found(environment)?.watchdog == nil, "\(period)")
    }
  }
}
