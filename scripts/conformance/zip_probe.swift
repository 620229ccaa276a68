// Judges a zip with the library the server is built from and unpacks what is accepted, for zip.py, which links it to the
// objects of the release build.
import Platform
import ZipArchive

@main
struct ZipProbe {
  /// Arguments: the zip, an empty folder to unpack into, and a password where there is one. Lines: `root` of the plan, a
  /// line `finding` for each, with rule, severity, path and detail, `peak` with the most memory used in KiB; the last is
  /// the verdict.
  static func main() throws {
    let verdict = try judge()
    let status = try File(path: "/proc/self/status", mode: .read).bytes(at: 0, count: 4096)
    for line in String(decoding: status, as: UTF8.self).split(separator: "\n") where line.hasPrefix("VmHWM:")
    {
      print("peak\t\(line.filter(\.isNumber))")
    }
    print(verdict)
  }

  private static func judge() throws -> String {
    let reader = try PackageReader(
      file: try File(path: CommandLine.arguments[1], mode: .read), options: PackageOptions(limits: .standard))
    let password = CommandLine.arguments.dropFirst(3).first.map { Password($0) }
    if let password, try !reader.isRight(password: password) {
      return "not opened by \(CommandLine.arguments[3])"
    }
    let contents = try reader.verifyContents(digests: true, password: password)
    print("root\t\(reader.plan.root)")
    for finding in reader.plan.findings + contents.findings {
      print(
        "finding\t\(finding.rule.rawValue)\t\(finding.severity.rawValue)\t\(finding.path ?? "")\t\(finding.detail)"
      )
    }
    guard reader.plan.isAccepted, contents.isAccepted else { return "refused" }
    guard !reader.isEncrypted || password != nil else { return "accepted, locked" }
    if reader.isEncrypted, try reader.isRight(password: Password("wrong")) {
      return "opened by any password"
    }
    try reader.unpack(
      into: try Directory(path: CommandLine.arguments[2]), volume: SystemVolume(),
      options: UnpackOptions(
        existing: .refuse, keepsDates: false, isDurable: false, isReadOnly: false, digests: false,
        threads: PackageReader.threads),
      password: password)
    return "accepted"
  }
}
