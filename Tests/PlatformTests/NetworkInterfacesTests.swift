import Platform
import Testing

@Suite struct NetworkInterfacesTests {
  @Test func knowsLoopbackAtLeast() {
    let addresses = NetworkInterfaces.addresses
    #expect(
      addresses.contains { $0.address == SocketAddress(host: "127.0.0.1", port: 0) && $0.interface == "lo" })
    #expect(addresses.allSatisfy { $0.address.port == 0 })
  }

  @Test func theMachineHasAName() {
    #expect(ThisProcess.hostName?.isEmpty == false)
  }
}
