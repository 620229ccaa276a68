// Four threads and one contended Mutex; with an argument, a variable beside it that nothing protects.
import Glibc
import Synchronization

final class Sound: Sendable {
  let total = Mutex(0)
  let count = Atomic(0)
}

final class Racy: @unchecked Sendable { var total = 0 }

let sound = Sound()
let racy = Racy()
var threads: [pthread_t] = []
for _ in 0..<4 {
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { _ in
      for _ in 0..<2_000 {
        if CommandLine.argc > 1 { racy.total += 1 }
        sound.count.add(1, ordering: .relaxed)
        sound.total.withLock { $0 += 1 }
      }
      return nil
    }, nil)
  threads.append(thread)
}
for thread in threads { pthread_join(thread, nil) }
precondition(sound.total.withLock { $0 } == 8_000 && sound.count.load(ordering: .relaxed) == 8_000)
