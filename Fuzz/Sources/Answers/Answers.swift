import DepotModel
import FuzzInput
import HTTPClient

@testable import MirrorClient

/// Input: what a depot says to a mirror. The first byte is the question (`Question`), the lines after it are JSON values of
/// the answer's members in the order of its template, or the whole answer, or a header field. An empty line leaves the
/// member as an honest server has it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAnswers(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = FuzzInput(start, count)
  guard let first = input.bytes.first else { return 0 }
  let rest = Array(input.bytes.dropFirst())
  let server = first & 0x40 == 0 ? Honest.plain : Honest.secure
  switch first & 0x0F {
  case 0: checkListing(Honest.listing(rest), server)
  case 1: checkChanges(Honest.changes(rest), server)
  case 2: checkDelta(Honest.delta(rest), server)
  case 3: checkManifest(Honest.manifest(rest))
  case 4: checkFields(String(decoding: rest, as: UTF8.self))
  default:
    checkListing(rest, server)
    checkChanges(rest, server)
    checkDelta(rest, server)
    checkManifest(rest)
  }
  return 0
}

private func checkListing(_ bytes: [UInt8], _ server: WebURL) {
  do throws(AnswerError) {
    let page = try DepotAnswers.listing(bytes, server: server)
    hold(page.revision >= 0 && page.catalogue.utf8.count <= 64, "a point in a catalogue is one")
    for game in page.games { check(game, server) }
  } catch {
    check(error)
  }
}

private func checkChanges(_ bytes: [UInt8], _ server: WebURL) {
  do throws(AnswerError) {
    let page = try DepotAnswers.changes(bytes, server: server)
    hold(page.revision >= 0, "a revision is none below 0")
    for game in page.changed { check(game, server) }
    for id in page.removed { hold(isOneComponent(id.text), "what goes is in its own folder") }
  } catch {
    check(error)
  }
}

/// What is believed of a game stays in its folders, and names a place that may be asked.
private func check(_ game: OfferedGame, _ server: WebURL) {
  switch game {
  case .success(let release):
    hold(isOneComponent(release.id.text), "a game is one folder")
    hold(isOneComponent(release.version.text), "a version is one folder")
    hold(release.size > 0, "a package has bytes")
    hold(isPrintable(release.title), "a title fits on one line")
    check(release.url, server)
  case .failure(let unreadable):
    hold(isPrintable(unreadable.game) && isPrintable(unreadable.reason), "a complaint fits on one line")
  }
}

private func checkDelta(_ bytes: [UInt8], _ server: WebURL) {
  let place = server.appending(["games", "game", "versions", "1.0", "delta.json"]) ?? server
  do throws(AnswerError) {
    let offer = try DepotAnswers.delta(bytes, of: Honest.release, at: place, server: server)
    hold(offer.root.utf8.count <= 1024 && offer.namesEncoding.utf8.count <= 64, "names are short")
    if let contents = offer.contents {
      hold(contents.unpackedSize >= 0 && contents.fileCount >= 0, "nothing has less than no bytes")
    }
    if let index = offer.index {
      hold((1...DeltaOffer.Index.maximumSize).contains(index.size), "an index is no larger than is taken")
      check(index.url, server)
    }
    if let sums = offer.sums {
      hold((1...DeltaOffer.Sums.maximumSize).contains(sums.size), "sums are no more than are taken")
      check(sums.url, server)
    }
  } catch {
    check(error)
  }
}

private func checkManifest(_ bytes: [UInt8]) {
  do throws(AnswerError) {
    let facts = try DepotAnswers.manifest(bytes, of: Honest.release)
    hold(facts.unpackedSize >= 0 && facts.fileCount >= 0, "nothing has less than no bytes")
  } catch {
    check(error)
  }
  do throws(AnswerError) {
    guard let blocks = try DepotAnswers.blocks(bytes, of: Honest.release) else { return }
    var end: Int64 = 0
    for block in blocks.digests.indices {
      let range = blocks.range(of: block)
      hold(range.lowerBound == end && !range.isEmpty, "blocks follow one another")
      end = range.upperBound
    }
    hold(end == Honest.release.size, "the blocks are the package")
  } catch {
    check(error)
  }
}

/// The values of fields that a mirror or a download reads.
private func checkFields(_ text: String) {
  if let range = ContentRange(text) {
    hold(range.range != nil || range.total != nil, "it says something")
    if let part = range.range {
      hold(
        part.lowerBound >= 0 && range.total.map { part.upperBound < $0 } ?? true, "a part lies in the whole")
    }
  }
  if let name = ContentDisposition.fileName(text), let safe = SafeFileName.make(from: name) {
    hold(isOneComponent(safe) && safe.utf8.count <= 255, "a suggested name is one file's")
  }
  if let url = WebURL(text) {
    hold(isOneComponent(SafeFileName.make(from: url)), "a name made from a URL is one file's")
    hold(WebURL(url.text)?.origin == url.origin, "a URL is read as it was written")
  }
}

/// No place that its server may not send its clients to.
private func check(_ url: WebURL, _ server: WebURL) {
  hold(server.scheme == .http || url.scheme == .https, "nobody is led away from https")
}

private func check(_ error: AnswerError) {
  hold(isPrintable(error.reason), "a complaint fits on one line")
}

private func isPrintable(_ text: String) -> Bool {
  text.unicodeScalars.count <= 400
    && !text.unicodeScalars.contains {
      $0.value < 0x20 || $0.value == 0x7F || $0.properties.generalCategory == .control
    }
}

private func isOneComponent(_ name: String) -> Bool {
  !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(0) && !name.utf8.contains(0x2F)
}
