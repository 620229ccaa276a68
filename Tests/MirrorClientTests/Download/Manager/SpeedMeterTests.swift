import Testing

@testable import MirrorClient

@Suite struct SpeedMeterTests {
  @Test func isZeroUntilThereIsSomethingToCompare() {
    var meter = SpeedMeter()
    #expect(meter.bytesPerSecond == 0)
    meter.note(1000, at: 5)
    #expect(meter.bytesPerSecond == 0)
    meter.note(2000, at: 5)
    #expect(meter.bytesPerSecond == 0)
  }

  @Test func tellsBytesASecond() {
    var meter = SpeedMeter()
    meter.note(500, at: 0)
    meter.note(1500, at: 2000)
    #expect(meter.bytesPerSecond == 500)
  }

  @Test func forgetsWhatIsLongAgo() {
    var meter = SpeedMeter()
    for second in 0...20 { meter.note(Int64(second) * 1_000_000, at: Int64(second) * 1000) }
    for second in 21...40 { meter.note(20_000_000 + Int64(second - 20) * 100, at: Int64(second) * 1000) }
    #expect((90...110).contains(meter.bytesPerSecond))
  }

  @Test func beginsAnewWhenTheBytesDo() {
    var meter = SpeedMeter()
    meter.note(0, at: 0)
    meter.note(9_000_000, at: 1000)
    meter.note(0, at: 2000)
    #expect(meter.bytesPerSecond == 0)
    meter.note(300, at: 3000)
    #expect(meter.bytesPerSecond == 300)
  }

  @Test func aTrillionBytesDoNotOverflow() {
    var meter = SpeedMeter()
    meter.note(0, at: 0)
    meter.note(.max, at: 1)
    #expect(meter.bytesPerSecond == .max)
  }
}
