internal import Platform

/// A zip that an index is made of.
struct IndexSource {
  /// The entries lie in the file as the directory has them.
  private(set) var isInOrder = true
  /// Of each entry, in the order of the directory, which it is in the file.
  private(set) var ranks: [UInt32] = []
  /// Bytes between the last entry and the directory.
  private(set) var directoryGap: [UInt8] = []
  /// Bytes behind the directory.
  private(set) var end: [UInt8] = []
  private(set) var hasWideEnd = false
  private(set) var skeletonSize: Int64 = 0
  private(set) var count = 0

  private var places: [ArchiveLayout.Place] = []
  private var zip: ZipBytes?

  /// Nothing: what a decoder works from.
  init() {}

  init(_ zip: ZipBytes, limits: IndexLimits) throws(IndexError) {
    let layout = try ArchiveLayout(zip, limits: limits)
    self.zip = zip
    places = layout.places
    count = places.count
    let payloads = places.reduce(Int64(0)) { $0 + $1.compressedSize }
    skeletonSize = zip.size - payloads
    guard skeletonSize <= limits.skeletonSize else {
      throw .overLimit(
        what: "bytes of headers", asked: UInt64(skeletonSize), allowed: UInt64(max(0, limits.skeletonSize)))
    }
    isInOrder = layout.order.enumerated().allSatisfy { $0 == $1 }
    if !isInOrder {
      ranks = [UInt32](repeating: 0, count: count)
      for (rank, index) in layout.order.enumerated() { ranks[index] = UInt32(rank) }
    }
    let directory = layout.end.directoryOffset
    directoryGap = try reading({ () throws(ZipError) in
      try zip.bytes(at: directory - layout.directoryGap, count: Int(layout.directoryGap))
    })
    end = try reading({ () throws(ZipError) in
      try zip.bytes(at: layout.end.directoryEnd, count: Int(zip.size - layout.end.directoryEnd))
    })
    hasWideEnd = end.count >= 4 && end.uint32(at: 0) == Signature.zip64End
  }

  /// All that stands about an entry; reads its payload when it is encrypted.
  func headers(of index: Int) throws(IndexError) -> EntryHeaders {
    guard let zip else { return EntryHeaders() }
    let place = places[index]
    var headers = try EntryHeaders(place, in: zip)
    if place.isEncrypted {
      headers.payloadCRC = try PayloadCheck.crc32(
        of: zip.file, at: place.dataOffset, count: place.compressedSize)
    }
    return headers
  }
}
