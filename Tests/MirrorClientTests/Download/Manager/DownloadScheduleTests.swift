import HTTPClient
import Testing

@testable import MirrorClient

@Suite struct DownloadScheduleTests {
  private func id(_ number: Int) throws -> DownloadID { .url(try web("http://a.test/\(number)")) }

  private func drained(_ schedule: DownloadSchedule) -> [DownloadID] {
    var schedule = schedule
    var ids: [DownloadID] = []
    while let next = schedule.next() { ids.append(next) }
    return ids
  }

  @Test func firstComesFirst() throws {
    var schedule = DownloadSchedule(.fifo)
    for number in 1...5 { schedule.add(try id(number), priority: 0, position: Int64(number)) }
    #expect(try drained(schedule) == (1...5).map(id))
  }

  @Test func lastComesFirst() throws {
    var schedule = DownloadSchedule(.lifo)
    for number in 1...5 { schedule.add(try id(number), priority: 0, position: Int64(number)) }
    #expect(try drained(schedule) == (1...5).reversed().map(id))
  }

  @Test(arguments: DownloadOrder.allCases) func priorityBeatsOrder(order: DownloadOrder) throws {
    var schedule = DownloadSchedule(order)
    for number in 1...4 {
      schedule.add(try id(number), priority: number == 2 ? 1 : -number, position: Int64(number))
    }
    #expect(try drained(schedule) == [2, 1, 3, 4].map(id))
  }

  @Test func removesOnlyWhatIsMeant() throws {
    var schedule = DownloadSchedule(.fifo)
    for number in 1...3 { schedule.add(try id(number), priority: 0, position: Int64(number)) }
    schedule.remove(try id(2), priority: 0, position: 2)
    schedule.remove(try id(2), priority: 0, position: 2)
    schedule.remove(try id(9), priority: 0, position: 3)
    #expect(try drained(schedule) == [1, 3].map(id))
    #expect(drained(DownloadSchedule(.fifo)) == [])
  }
}
