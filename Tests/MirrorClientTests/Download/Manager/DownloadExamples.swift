import HTTPClient
import MirrorClient

// README shows these; `DownloadExamplesTests` compares the two and runs them.

// example: one
func fetchBook(_ url: WebURL, into folder: String) async throws -> String? {
  let engine = try TransferEngine(.downloads(maximumActive: 4))
  let manager = try DownloadManager(folder: "\(folder)/.downloads", engine: engine, options: .standard)
  let receipt = try await manager.download(Download(url: url, to: .folder(folder, ifExists: .replace)))
  try await manager.close()
  return receipt.file?.path
}
// example ends

// example: many
func fetchAll(_ urls: [WebURL], by manager: DownloadManager) async throws {
  let events = manager.events()
  let observer = Task {
    for await event in events {
      let receipt = event.receipt
      print(
        receipt.download.label, receipt.state, receipt.progress ?? 0, receipt.speed, receipt.failure ?? "")
    }
  }
  try await manager.resumeAll()  // what an earlier run left
  for url in urls { try await manager.resume(Download(url: url)) }
  if let last = urls.last { manager.setPriority(1, of: .url(last)) }
  for url in urls { _ = try? await manager.outcome(of: .url(url)) }
  try await manager.close()  // ends the events, too
  await observer.value
}
// example ends
