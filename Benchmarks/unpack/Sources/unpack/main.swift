import Glibc
import Platform
import ZipArchive

// unpack ZIP FOLDER: checks every rule, hashes every file (SHA-256 and MD5 of what is in it, SHA-256 of what is in the
// zip), then unpacks, all checksums compared again. Nothing is fsynced, as the tools that it is compared with do none.
guard CommandLine.arguments.count == 3 else {
  print("usage: unpack ZIP FOLDER")
  exit(64)
}
let reader = try PackageReader(
  file: File(path: CommandLine.arguments[1], mode: .read), options: PackageOptions(limits: .standard))
let report = try reader.verifyContents(digests: true)
guard reader.plan.isAccepted, report.isAccepted, report.files.count == reader.plan.files.count else {
  for finding in reader.plan.findings + report.findings { print(finding) }
  exit(65)
}
var options = UnpackOptions.install
options.isDurable = false
try reader.unpack(
  into: Directory(creating: CommandLine.arguments[2]), volume: SystemVolume(), options: options)
// proc(5): the most memory that this program had; what wait4(2) tells begins with that of whoever started it.
let status = String(
  decoding: try File(path: "/proc/self/status", mode: .read).bytes(at: 0, count: 8192), as: UTF8.self)
print(
  status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }.map { $0.split(separator: " ")[1] } ?? "0")
