import Testing

@testable import HTTPWire

@Suite struct KnownFieldTests {
  @Test(arguments: KnownField.allCases)
  func isRecognisedInAnyCase(_ field: KnownField) {
    var mixed = ""
    for (index, character) in field.name.enumerated() {
      mixed += index % 2 == 0 ? character.uppercased() : String(character)
    }
    for name in [field.name, field.name.uppercased(), mixed] {
      let bytes = Array("xx\(name)yy".utf8)
      #expect(KnownField(bytes.span, in: 2..<bytes.count - 2) == field)
    }
  }

  @Test(arguments: KnownField.allCases)
  func isNotTakenForANearName(_ field: KnownField) {
    let name = Array(field.name.utf8)
    for index in name.indices {
      var other = name
      other[index] = name[index] == UInt8(ascii: "z") ? UInt8(ascii: "q") : UInt8(ascii: "z")
      #expect(KnownField(other.span, in: 0..<other.count) == nil, "\(String(decoding: other, as: UTF8.self))")
    }
    #expect(KnownField((name + [0x73]).span, in: 0..<name.count + 1) != field)
    #expect(KnownField(name.span, in: 0..<name.count - 1) != field)
  }
}
