import FuzzInput
import Platform
import Synchronization
import ZipArchive

/// Input: a zip.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzZip(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = FuzzInput(start, count)
  do {
    let room = Room.shared
    try room.put(input.bytes)
    let reader = try PackageReader(file: room.zip, options: PackageOptions(limits: limits))
    let contents = try reader.verifyContents(digests: true)
    if reader.plan.isAccepted {
      check(reader.plan, input.bytes)
      try checkIndex(room.zip, input.bytes)
    }
    checkUnpacking(reader, contents, nil, input.bytes, room)
    if reader.isEncrypted { try tryPassword(reader, input.bytes, room) }
  } catch {
    hold(false, "no input makes the system fail: \(error)")
  }
  return 0
}

/// Small enough for an input to go over each of them.
private let limits = ZipLimits(
  entries: 20, directorySize: 2000, unpackedSize: 1 << 18, entrySize: 1 << 17, entryRatio: 200,
  packageRatio: 50,
  ratioFloor: 1 << 12)

private let unpacking = UnpackOptions(
  existing: .refuse, keepsDates: false, isDurable: false, isReadOnly: true, digests: true, threads: 2)

/// The seeds that are encrypted open with this.
private let password = Password("x")

private func tryPassword(_ reader: PackageReader, _ bytes: [UInt8], _ room: Room) throws {
  do throws(ZipError) {
    let contents = try reader.verifyContents(digests: true, password: password)
    checkUnpacking(reader, contents, password, bytes, room)
  } catch {
    guard case .wrongPassword = error else { throw error }
  }
}

/// What was accepted lies in the file, each byte once, within the limits, and under names that can be made.
private func check(_ plan: PackagePlan, _ bytes: [UInt8]) {
  hold(plan.entryCount <= limits.entries && !plan.files.isEmpty, "no more entries than may be")
  hold(plan.unpackedSize == plan.files.reduce(0) { $0 + $1.size }, "the size is that of all files")
  hold(plan.unpackedSize <= limits.unpackedSize, "no more bytes than may be")
  var end: Int64 = 0
  for file in plan.files.sorted(by: { $0.headerOffset < $1.headerOffset }) {
    hold(file.headerOffset >= end && file.dataOffset >= file.headerOffset + 30, "no two files share a byte")
    end = file.dataOffset + file.compressedSize
    hold(bytes[Int(file.headerOffset)...].starts(with: [0x50, 0x4b, 3, 4]), "each has its header")
    hold(file.size <= limits.entrySize, "no file is larger than it may be")
    checkName(file.path)
  }
  hold(end <= bytes.count - 22, "all data come before the end record")
  // Equality of Swift's texts is that of their canonical forms.
  hold(Set(plan.files.map { $0.path.lowercased() }).count == plan.files.count, "no two have the same name")
}

/// Every package that is accepted comes out of its index again.
private func checkIndex(_ file: File, _ bytes: [UInt8]) throws {
  let limits = IndexLimits(entries: limits.entries, skeletonSize: 1 << 20)
  let index = try PackageIndex(decoding: PackageIndex.make(of: file, limits: limits), limits: limits)
  hold(index.packageSize == bytes.count, "the index tells all of it")
  var offset = 0
  for piece in index.pieces {
    switch piece {
    case .bytes(let part):
      hold(bytes[offset...].starts(with: part), "the index tells each byte that is no payload")
      offset += part.count
    case .payload(let payload): offset += Int(payload.compressedSize)
    }
  }
}

private func checkName(_ path: String) {
  hold(path.utf8.count <= 1024, "no path is too long")
  // By scalars: with a mark behind it, a slash is another character.
  for scalars in path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false) {
    let part = Substring(scalars)
    hold(
      (1...255).contains(part.utf8.count) && part != "." && part != "..", "each folder is one below the other"
    )
    hold(
      !part.unicodeScalars.contains { $0.value < 0x20 || "\\:*?\"<>|\u{7f}".unicodeScalars.contains($0) },
      "as Windows wants")
  }
}

/// Unpacks into a folder: all that was promised, or an error and no more than was declared; nothing beside it.
private func checkUnpacking(
  _ reader: PackageReader, _ contents: ContentsReport, _ password: Password?, _ bytes: [UInt8], _ room: Room
) {
  let plan = reader.plan
  let isLocked = reader.isEncrypted && password == nil
  let last = Mutex(UnpackProgress(bytes: 0, entries: 0))
  do throws(ZipError) {
    try reader.unpack(
      into: room.folder, volume: SystemVolume(), options: unpacking, password: password,
      observe: { event in
        guard case .progress(let progress) = event else { return .goOn }
        last.withLock {
          hold(progress.bytes >= $0.bytes && progress.entries >= $0.entries, "progress goes forward")
          $0 = progress
        }
        return .goOn
      })
    // Junk and folders are judged, but are no part of what is written.
    let wrong = Set(contents.findings.filter { $0.severity == .error }.map(\.path))
    hold(plan.isAccepted && !isLocked, "only what is accepted unpacks")
    hold(!plan.files.contains { wrong.contains($0.path) }, "only what is sound unpacks")
    hold(last.withLock(\.bytes) == plan.unpackedSize, "progress tells of every byte")
    hold(contents.files.count == plan.files.count, "each file has its digests")
  } catch {
    switch error {
    case .refused: hold(!plan.isAccepted || !contents.isAccepted, "what is sound unpacks")
    case .encrypted: hold(plan.isAccepted && isLocked, "only what is encrypted needs a password")
    default: hold(false, "no input makes unpacking fail: \(error)")
    }
  }
  let found = room.takeFiles()
  hold(
    found.values.reduce(0) { $0 + $1.count } <= max(0, plan.unpackedSize), "never more bytes than declared")
  guard plan.isAccepted, contents.isAccepted, !isLocked else {
    hold(plan.isAccepted && !isLocked || found.isEmpty, "what is refused by its plan writes nothing")
    return
  }
  hold(found.count == plan.files.count, "as many files as planned")
  for (file, digests) in zip(plan.files, contents.files) {
    guard let content = found[Array(file.path.utf8)] else {
      return hold(false, "each file is where it was planned")
    }
    hold(
      content.count == file.size && Hash.digest(of: content, .sha256) == digests.sha256,
      "it holds what was hashed")
    // WinZip's AE-2 has none.
    hold(file.method == 99 || CRC32.value(of: content) == file.crc32, "it holds what was declared")
    let packed = bytes[Int(file.dataOffset)...].prefix(Int(file.compressedSize))
    hold(
      file.method != 0 || file.isEncrypted || content[...] == packed,
      "stored bytes come out as they lie there")
  }
}
