/* valgrind 3.19 does not know openat2(2), without which game-depot opens no depot. Under the profiler alone its calls
 * become openat(2): symbolic links in the depot are then followed, which matters to safety and not to a profile. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

long syscall(long number, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, number);
  long words[6];
  for (int index = 0; index < 6; index++) words[index] = __builtin_va_arg(list, long);
  __builtin_va_end(list);
  if (number == SYS_openat2) {
    const struct open_how *how = (const struct open_how *)words[2];
    return openat((int)words[0], (const char *)words[1], (int)how->flags, (mode_t)how->mode);
  }
  static long (*next)(long, ...);
  if (!next) next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
