import CommandOptions
import Platform
import ZipArchive

/// `pack DIR -o FILE.zip`: the package of a folder.
struct Pack {
  private static let signals: [Signals.Signal] = [.interrupt, .terminate]

  private let folder: Directory
  /// Where the package will be: a name in a folder, and as it was given.
  private let outputFolder: Directory
  private let outputName: String
  private let output: String
  private let options: PackageOptions

  init(_ settings: Settings) throws {
    let output = try settings.required("output")
    let slash = output.lastIndex(of: "/")
    let outputName = slash.map { String(output[output.index(after: $0)...]) } ?? output
    (self.output, self.outputName) = (output, outputName)
    guard !outputName.isEmpty, outputName != ".", outputName != ".." else {
      throw UsageError.badValue(source: "--output", value: output, expected: "the name of a file")
    }
    options = PackageOptions(
      limits: try settings.zipLimits(), requireIndex: try settings.flag("require-index"))
    do throws(SystemError) {
      folder = try Directory(path: settings.arguments[0])
    } catch {
      throw Failure(Failure.noInput, error.description)
    }
    do throws(SystemError) {
      outputFolder = try Directory(path: slash.map { String(output[...$0]) } ?? ".")
      // A rename would put the package in the place of /dev/null or of a link, too.
      if let status = try outputFolder.status(of: outputName), status.kind != .regular {
        throw SystemError(
          errno: Self.alreadyThere, operation: "replace what is no regular file:", path: output)
      }
    } catch {
      throw Failure(Failure.cannotCreate, error.description)
    }
  }

  func run() throws -> Int32 {
    // Stopped, it still removes what it began.
    Signals.block(Self.signals)
    do throws(ZipWriteError) {
      try pack()
      return 0
    } catch {
      if case .cancelled = error, let signal = Signals.pending(among: Self.signals) {
        return 128 + signal.rawValue
      }
      throw failure(error)
    }
  }

  private func pack() throws(ZipWriteError) {
    let writer = try PackageWriter(of: folder, output: outputName, in: outputFolder, options: options)
    let isAccepted = writer.isAccepted
    // What is only a warning comes up again when the package is read back.
    tell(writer.findings.filter { !isAccepted || $0.rule == .junk })
    guard isAccepted else { throw .refused([]) }
    let pending: PendingFile
    do throws(SystemError) {
      pending = try PendingFile(replacing: outputName, in: outputFolder)
    } catch {
      throw .cannotCreate(error)
    }
    let package: WrittenPackage
    do throws(ZipWriteError) {
      package = try writer.write(
        to: pending.file, isCancelled: { Signals.pending(among: Self.signals) != nil })
    } catch {
      if case .refused(let findings) = error {
        tell(findings)
        throw .refused([])
      }
      throw error
    }
    tell(package.findings)
    do throws(SystemError) { try pending.commit(through: SystemVolume()) } catch { throw .cannotWrite(error) }
    let digest = package.sha256.map { byte in
      let text = String(byte, radix: 16)
      return text.utf8.count == 1 ? "0" + text : text
    }
    Terminal.write(
      "\(output): \(package.files) files, \(package.size) bytes, sha256 \(digest.joined())\n", to: .output)
  }

  private func tell(_ findings: [Finding]) {
    for finding in findings {
      let place = finding.path.map { " \($0.debugDescription)" } ?? ""
      Terminal.write("game-depot: \(finding.rule.rawValue)\(place): \(finding.detail)\n", to: .error)
    }
  }

  private func failure(_ error: ZipWriteError) -> Failure {
    switch error {
    case .refused, .refusedName, .unsoundArchive:
      Failure(Failure.data, "the folder breaks a rule for packages: nothing was written")
    case .cannotRead, .sourceChanged, .cannotOpen: Failure(Failure.noInput, error.description)
    case .cannotCreate, .cannotWrite: Failure(Failure.cannotCreate, error.description)
    case .badArgument, .outOfOrder, .cancelled: Failure(70, error.description)
    }
  }

  /// EEXIST.
  private static let alreadyThere: Int32 = 17
}
