import DepotService
import Testing

@Suite struct DepotSettingsTests {
  @Test(
    arguments: [
      (0, 16 << 20), (128 << 20, 16 << 20), (1 << 30, 128 << 20), (4 << 30, 512 << 20), (.max, 512 << 20),
    ] as [(Int64, Int)])
  func keepsAnswersInAnEighthOfTheMemoryWithinBounds(_ memory: Int64, _ expected: Int) {
    #expect(DepotSettings.cachedBytes(ofMemory: memory) == expected)
  }

  @Test func hasPlacesForAsManyAnswersAsTheBytesHold() {
    #expect(DepotSettings.cachedAnswers(ofBytes: 0) == 8192)
    #expect(DepotSettings.cachedAnswers(ofBytes: 512 << 20) == 262_144)
  }
}
