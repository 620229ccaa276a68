// What ThreadSanitizer is not told of `Synchronization.Mutex`, for `make tsan` alone; no shipped program holds it.
//
// On Linux the uncontended half of a Mutex is inlined into our code and seen: a compare-exchange that acquires, one that
// releases. The contended half (FUTEX_LOCK_PI, FUTEX_UNLOCK_PI) stands in libswiftSynchronization.so, which is not
// instrumented: whoever had to wait seemed to own the lock without having acquired it, and every value under a contended
// Mutex seemed to race. These three functions stand in front of the library's, do what they do, and tell the truth
// about it: a lock that was taken acquires, one that is given up releases. Nothing is suppressed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

// The handle is the `self` of a Swift method.
#define HANDLE __attribute__((swift_context)) void *handle
#define SWIFT __attribute__((swiftcall))

typedef SWIFT void lock_function(uint32_t thread, HANDLE);
typedef SWIFT bool try_function(HANDLE);
typedef SWIFT void unlock_function(HANDLE);

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

static lock_function *real_lock;
static try_function *real_try;
static unlock_function *real_unlock;

__attribute__((constructor)) static void find(void) {
  real_lock = (lock_function *)dlsym(RTLD_NEXT, LOCK);
  real_try = (try_function *)dlsym(RTLD_NEXT, TRY);
  real_unlock = (unlock_function *)dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void annotated_lock(uint32_t thread, HANDLE) __asm__(LOCK);
SWIFT void annotated_lock(uint32_t thread, HANDLE) {
  real_lock(thread, handle);
  __tsan_acquire(handle);
}

SWIFT bool annotated_try(HANDLE) __asm__(TRY);
SWIFT bool annotated_try(HANDLE) {
  bool taken = real_try(handle);
  if (taken) __tsan_acquire(handle);
  return taken;
}

SWIFT void annotated_unlock(HANDLE) __asm__(UNLOCK);
SWIFT void annotated_unlock(HANDLE) {
  __tsan_release(handle);
  real_unlock(handle);
}
