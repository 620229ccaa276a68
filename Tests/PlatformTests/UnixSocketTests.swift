import Glibc
import TestSupport
import Testing

@testable import Platform

/// Unix sockets, and the files they stand in.
@Suite struct UnixSocketTests {
  private let folder: TemporaryFolder
  private let path: UnixSocketPath

  init() throws {
    folder = try TemporaryFolder()
    path = try #require(UnixSocketPath("\(folder.path)/s"))
  }

  private func exists() -> Bool { unsafe access(path.text, F_OK) == 0 }

  private func listening() throws(SystemError) -> Socket {
    try .listening(at: path, mode: 0o660, backlog: 8)
  }

  @Test func carriesBytesBothWays() throws {
    let listener = try listening()
    #expect(try listener.localAddress == .unix(path))
    let client = try Socket.connected(to: .unix(path))
    #expect(try client.localAddress == .unix(nil))
    guard case .connection(let accepted, let peer) = listener.accept() else {
      Issue.record("nobody came")
      return
    }
    #expect(peer == .unix(nil))
    #expect(client.send(Array("hello".utf8), 0..<5) == .moved(5))
    var buffer = [UInt8](repeating: 0, count: 8)
    #expect(accepted.receive(into: &buffer, at: 0, count: 8) == .moved(5))
    #expect(accepted.receive(into: &buffer, at: 0, count: 8) == .wouldBlock)
    #expect(accepted.send(buffer, 0..<5) == .moved(5))
    #expect(accepted.unacknowledged > 0)
    #expect(client.receive(into: &buffer, at: 0, count: 8) == .moved(5))
    client.finishSending()
    #expect(accepted.receive(into: &buffer, at: 0, count: 8) == .moved(0))
  }

  @Test func hasTheModeAskedFor() throws {
    let listener = try listening()
    var status = stat()
    #expect(unsafe lstat(path.text, &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o660)
    withExtendedLifetime(listener.number) {}
  }

  @Test func replacesWhatADeadServerLeft() throws {
    do {
      let dead = try listening()
      #expect(dead.number >= 0)
    }
    #expect(exists())
    let listener = try listening()
    let client = try Socket.connected(to: .unix(path))
    guard case .connection = listener.accept() else {
      Issue.record("nobody came to \(client.number)")
      return
    }
  }

  @Test func leavesALiveOneAlone() throws {
    let first = try listening()
    #expect { _ = try listening() } throws: { ($0 as? SystemError)?.errno == EADDRINUSE }
    // A probe of ours, and then a client.
    let client = try Socket.connected(to: .unix(path))
    guard case .connection = first.accept(), case .connection = first.accept() else {
      Issue.record("nobody came to \(client.number)")
      return
    }
  }

  @Test func callsAFullBacklogAlive() throws {
    let first = try Socket.listening(at: path, mode: 0o600, backlog: 0)
    let waiting = try Socket.connected(to: .unix(path))
    #expect { _ = try listening() } throws: { ($0 as? SystemError)?.errno == EADDRINUSE }
    #expect { _ = try listening() } throws: { ($0 as? SystemError)?.errno == EADDRINUSE }
    #expect(first.number != waiting.number)
  }

  @Test func callsASocketOfAnotherTypeTaken() throws {
    let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    let datagrams = FileDescriptor(owning: number)
    #expect(unsafe SocketAddress.unix(path).withKernelForm { unsafe bind(number, $0, $1) } == 0)
    #expect { _ = try listening() } throws: { ($0 as? SystemError)?.errno == EADDRINUSE }
    #expect(exists() && datagrams.number == number)
  }

  @Test func touchesNothingThatIsNoSocket() throws {
    #expect(unsafe creat(path.text, 0o600) >= 0)
    #expect {
      _ = try listening()
    } throws: {
      ($0 as? SystemError)?.errno == ENOTSOCK && "\($0)".contains(path.text)
    }
    #expect(exists())
    _ = unsafe unlink(path.text)
    #expect(unsafe symlink("/nonexistent", path.text) == 0)
    #expect { _ = try listening() } throws: { ($0 as? SystemError)?.errno == ENOTSOCK }
  }

  @Test func namesAFolderThatIsMissing() throws {
    let path = try #require(UnixSocketPath("\(folder.path)/none/s"))
    #expect {
      _ = try Socket.listening(at: path, mode: 0o660, backlog: 8)
    } throws: {
      ($0 as? SystemError)?.errno == ENOENT && "\($0)".contains(path.text)
    }
  }

  @Test func theFileGoesOnceAndWithItsOwner() throws {
    let first = try listening()
    do {
      let file = try UnixSocketFile(at: path)
      file.remove()
      #expect(!exists())
      // Another server takes the place: neither a second call nor the end touches its file.
      let second = try listening()
      file.remove()
      #expect(second.number != first.number)
    }
    #expect(exists())
    do { _ = try UnixSocketFile(at: path) }
    #expect(!exists())
    #expect { _ = try UnixSocketFile(at: path) } throws: { ($0 as? SystemError)?.errno == ENOENT }
  }

  @Test func aFileThatAnotherServerReplacedStays() throws {
    let first = try listening()
    let file = try UnixSocketFile(at: path)
    _ = unsafe unlink(path.text)
    // Its own keeps the number of the first file's inode from being given again.
    let second = try listening()
    file.remove()
    #expect(exists() && first.number != second.number)
  }

  @Test(arguments: ["", "a\u{0}b", String(repeating: "x", count: 108)])
  func noPathIsThat(text: String) { #expect(UnixSocketPath(text) == nil) }

  @Test func theLongestPathFits() throws {
    let longest = String(repeating: "x", count: 107)
    let path = try #require(UnixSocketPath(longest))
    #expect(SocketAddress.unix(path).description == "unix:\(longest)")
    #expect(SocketAddress.unix(path).port == 0 && SocketAddress.unix(path).isLoopback)
    let name = "\(folder.path)/" + String(repeating: "y", count: 106 - folder.path.utf8.count)
    let full = try #require(UnixSocketPath(name))
    let listener = try Socket.listening(at: full, mode: 0o660, backlog: 1)
    #expect(try listener.localAddress == .unix(full))
  }
}
