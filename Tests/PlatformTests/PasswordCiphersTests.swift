import Platform
import Testing

private func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

private struct Missing: Error {}

/// As `#require`, which takes only what can be copied.
private func made<Value: ~Copyable>(_ value: consuming Value?) throws -> Value {
  guard let value = consume value else { throw Missing() }
  return value
}

@Suite struct PasswordKeyTests {
  // RFC 6070 §2.
  @Test(arguments: [
    ("password", "salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
    ("password", "salt", 4096, "4b007901b765489abead49d926f721d065a429c1"),
    (
      "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096,
      "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"
    ),
    ("pass\0word", "sa\0lt", 4096, "56fa6aa75548099dcc37d7f03425e0c3"),
  ])
  func agreesWithItsStandard(password: String, salt: String, rounds: Int, key: String) {
    let derived = PasswordKey.derive(
      password: Array(password.utf8), salt: Array(salt.utf8), rounds: rounds, count: key.utf8.count / 2)
    #expect(derived.map(hex) == key)
  }

  @Test func takesAnEmptyPassword() throws {
    let empty = try #require(PasswordKey.derive(password: [], salt: [1], rounds: 1, count: 20))
    #expect(empty != PasswordKey.derive(password: [0x61], salt: [1], rounds: 1, count: 20))
  }

  @Test func refusesNumbersThatMakeNoSense() {
    #expect(PasswordKey.derive(password: [1], salt: [1], rounds: 0, count: 20) == nil)
    #expect(PasswordKey.derive(password: [1], salt: [1], rounds: 1, count: 0) == nil)
  }
}

@Suite struct MessageCodeTests {
  // RFC 2202 §3, test cases 2, 3 and 6.
  @Test(arguments: [
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
    ),
    (
      [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
      "125d7342b9ac11cd91a39af48aa17b4f63f175d3"
    ),
    (
      [UInt8](repeating: 0xAA, count: 80),
      Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "aa4ae5e15272d00e95705637ce8a3b55ed402112"
    ),
  ])
  func agreesWithItsStandard(key: [UInt8], message: [UInt8], expected: String) throws {
    var whole = try made(MessageCode(key: key))
    whole.update(message.span)
    let code = whole.finish()
    #expect(hex(code) == expected)
    var pieces = try made(MessageCode(key: key))
    for byte in message { pieces.update([byte].span) }
    let same = pieces.finish()
    #expect(same == code)
  }

  @Test func codesNoBytesAtAll() throws {
    let code = try made(MessageCode(key: Array("key".utf8))).finish()
    #expect(hex(code) == "f42bb0eeb018ebbd4597ae7213711ec60760843f")
  }
}

@Suite struct CounterCipherTests {
  /// The key stream itself: each block is the key's encryption of its number, least significant byte first
  /// (`openssl enc -aes-…-ecb -nopad`).
  @Test(arguments: [
    (16, "e37cd363dd7c87a09aff0e3e60e09c82fb8ae31ba5db9cad97364d8722d47326"),
    (24, "094a723ceaf7f7b732e05b90d35b8cf1a8fd516dfc09cbb9b38b8527ff25bbe4"),
    (32, "c7b519846a11411cd6ac07cb03f801a84ef4b88bebd54953c37ffaf66efaca7b"),
  ])
  func countsFromOne(keyLength: Int, stream: String) throws {
    var cipher = try made(CounterCipher(key: (0..<UInt8(keyLength)).map { $0 }))
    var bytes = [UInt8](repeating: 0, count: 32)
    let isDone = cipher.process(&bytes, in: 0..<32)
    #expect(isDone)
    #expect(hex(bytes) == stream)
  }

  @Test func carriesIntoTheSecondByteOfItsCounter() throws {
    var cipher = try made(CounterCipher(key: (0..<16).map { $0 }))
    var bytes = [UInt8](repeating: 0, count: 257 * 16)
    let isDone = cipher.process(&bytes, in: 0..<bytes.count)
    #expect(isDone)
    #expect(hex(bytes.suffix(16)) == "6d820fbb3ae162cdae0387ea5a1a7bfd")
  }

  @Test(arguments: [1, 15, 16, 17, 4095, 4096, 4097, 10_000])
  func doesNotDependOnHowTheBytesCome(piece: Int) throws {
    let plain = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var whole = plain
    var first = try made(CounterCipher(key: [UInt8](repeating: 7, count: 32)))
    let isWhole = first.process(&whole, in: 0..<whole.count)
    #expect(isWhole && whole != plain)
    var pieces = plain
    var second = try made(CounterCipher(key: [UInt8](repeating: 7, count: 32)))
    for start in stride(from: 0, to: pieces.count, by: piece) {
      let isDone = second.process(&pieces, in: start..<min(start + piece, pieces.count))
      #expect(isDone)
    }
    #expect(pieces == whole)
    var third = try made(CounterCipher(key: [UInt8](repeating: 7, count: 32)))
    let isBack = third.process(&pieces, in: 0..<pieces.count)
    #expect(isBack && pieces == plain)
  }

  @Test func refusesKeysAndRangesThatDoNotFit() throws {
    #expect(throws: Missing.self) { _ = try made(CounterCipher(key: [1, 2, 3])) }
    var cipher = try made(CounterCipher(key: [UInt8](repeating: 7, count: 16)))
    var bytes: [UInt8] = [1, 2, 3]
    let isDone = cipher.process(&bytes, in: 0..<4)
    #expect(!isDone && bytes == [1, 2, 3])
  }
}
