import Glibc
import Testing

@testable import Platform

/// Sockets that a process was started with.
@Suite struct InheritedSocketsTests {
  @Test func readsTheVariablesOfThisProcess() throws {
    let variables = ["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "a:b"]
    #expect(try InheritedSockets.descriptors(variables, process: 7) == 3..<5)
    #expect(try InheritedSockets.descriptors(variables, process: 8).isEmpty)
    #expect(try InheritedSockets.descriptors([:], process: 7).isEmpty)
    #expect(try InheritedSockets.descriptors(["LISTEN_FDS": "2"], process: 7).isEmpty)
  }

  @Test(arguments: [
    ["LISTEN_PID": "7"], ["LISTEN_PID": "7", "LISTEN_FDS": ""], ["LISTEN_PID": "7", "LISTEN_FDS": "0"],
    ["LISTEN_PID": "7", "LISTEN_FDS": "-1"], ["LISTEN_PID": "7", "LISTEN_FDS": "two"],
    ["LISTEN_PID": "7", "LISTEN_FDS": "2147483645"], ["LISTEN_PID": "7", "LISTEN_FDS": "99999999999"],
    ["LISTEN_PID": "", "LISTEN_FDS": "1"], ["LISTEN_PID": "0", "LISTEN_FDS": "1"],
    ["LISTEN_PID": "x", "LISTEN_FDS": "1"],
  ])
  func callsUnreadableVariablesAnError(variables: [String: String]) {
    #expect {
      try InheritedSockets.descriptors(variables, process: 7)
    } throws: {
      ($0 as? SystemError)?.errno == EINVAL && "\($0)".hasPrefix("LISTEN_")
    }
  }

  @Test func takesTheVariablesAway() throws {
    _ = unsafe setenv("LISTEN_PID", "\(getpid())", 1)
    _ = unsafe setenv("LISTEN_FDS", "3", 1)
    _ = unsafe setenv("LISTEN_FDNAMES", "a:b:c", 1)
    #expect(try InheritedSockets.takeDescriptors() == 3..<6)
    #expect(try InheritedSockets.takeDescriptors().isEmpty)
    #expect(!ThisProcess.environment.keys.contains { $0.hasPrefix("LISTEN_") })
  }

  @Test func makesAListeningSocketItsOwn() throws {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let bound = unsafe SocketTests.loopback.withKernelForm { unsafe bind(number, $0, $1) }
    #expect(bound == 0 && listen(number, 8) == 0)
    let listener = try Socket.inherited(number)
    #expect(listener.number == number)
    #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
    #expect(fcntl(number, F_GETFL) & O_NONBLOCK != 0)
    let client = try Socket.connected(to: listener.localAddress)
    guard case .connection(let accepted, _) = listener.accept() else {
      Issue.record("nobody came to \(client.number)")
      return
    }
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    let asked = unsafe getsockopt(accepted.number, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &length)
    #expect(asked == 0 && value != 0)
  }

  @Test func refusesWhatIsNoListeningStreamSocket() throws {
    let kinds: [(number: Int32, errno: Int32)] = [
      (socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), EINVAL),
      (socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0), EINVAL),
      (unsafe open("/dev/null", O_RDONLY), ENOTSOCK), (1 << 20, EBADF),
    ]
    for (number, expected) in kinds {
      #expect {
        _ = try Socket.inherited(number)
      } throws: {
        ($0 as? SystemError)?.errno == expected && "\($0)".contains("descriptor \(number)")
      }
      close(number)
    }
  }
}
