import SQLite
import Testing

@testable import MirrorClient

/// What a run ends with when `mirror.sqlite` cannot be used, and what its message advises.
struct StoreFailureTests {
  private func failure(_ code: Int32) -> MirrorError {
    let error = SQLiteError.failed(code: code, message: "no", sql: nil, path: "p")
    return .store(path: "p", reason: "no", isUnwritable: error.isUnwritable)
  }

  /// SQLITE_BUSY, READONLY, IOERR_READ, IOERR_WRITE, IOERR_FSYNC, FULL and CANTOPEN.
  @Test(arguments: [5, 8, 266, 778, 1034, 13, 14] as [Int32])
  func nobodyIsToldToMoveASoundFileAwayFromABadDisk(code: Int32) {
    #expect(failure(code).exitCode == 73)
    #expect(failure(code).description == "cannot write p: no")
  }

  /// SQLITE_CORRUPT, CORRUPT_INDEX and NOTADB.
  @Test(arguments: [11, 779, 26] as [Int32])
  func aDamagedFileIsToBeMovedAway(code: Int32) {
    #expect(failure(code).exitCode == 65)
    #expect(failure(code).description.contains("move it away"))
  }
}
