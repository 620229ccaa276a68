import HTTPWire
import Testing

@testable import DepotService

@Suite struct AddressLimiterTests {
  private let limiter = AddressLimiter(perMinute: 3, capacity: 4)

  private func address(_ number: UInt32) -> PeerAddress { .ipv4(number, port: UInt16(number % 1000)) }

  @Test func letsABurstThroughAndThenAsMuchAsIsEarnedBack() {
    for _ in 0..<3 { #expect(limiter.count(address(1), now: 0) == nil) }
    #expect(limiter.count(address(1), now: 0) == 20)
    #expect(limiter.count(address(1), now: 19_001) == 1)
    #expect(limiter.count(address(1), now: 20_000) == nil)
    #expect(limiter.count(address(1), now: 20_000) == 20)
    #expect(limiter.count(address(2), now: 20_000) == nil, "another address")
    for _ in 0..<3 { #expect(limiter.count(address(1), now: 100_000) == nil) }
    #expect(limiter.count(address(1), now: 100_000) != nil)
  }

  @Test func countsASlash64AsOneAndUnixSocketsNever() {
    for low in 0..<3 { #expect(limiter.count(.ipv6(7, UInt64(low), port: 1), now: 0) == nil) }
    #expect(limiter.count(.ipv6(7, 99, port: 2), now: 0) != nil)
    #expect(limiter.count(.ipv6(8, 99, port: 2), now: 0) == nil)
    for _ in 0..<9 { #expect(limiter.count(.local, now: 0) == nil) }
  }

  @Test func remembersABoundedNumberAndForgetsTheIdleFirst() {
    for number in 1...3 { #expect(limiter.count(address(UInt32(number)), now: 0) == nil) }
    for _ in 0..<3 { #expect(limiter.count(address(4), now: 50_000) == nil) }
    #expect(limiter.count(address(5), now: 50_000) == nil)
    #expect(limiter.count(address(4), now: 50_000) != nil, "those that had earned everything back went")
    for number in 10..<200 { _ = limiter.count(address(UInt32(number)), now: 50_000) }
    #expect(limiter.remembered <= 4)
  }
}
