/// The same bytes cut into pieces of each of these sizes, and whole: what is made of them must not depend on the cuts.
func cuts(_ bytes: [UInt8], sizes: ClosedRange<Int>) -> [[[UInt8]]] {
  (Array(sizes) + [max(bytes.count, 1)]).map { size in
    stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
  }
}
