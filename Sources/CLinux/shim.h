#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H
#include <sys/prctl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

// glibc 2.36 has no wrapper for openat2(2).
static inline int clinux_openat2(int directory, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve) {
  struct open_how how = {.flags = flags, .mode = mode, .resolve = resolve};
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

// accept4(2) is declared only under _GNU_SOURCE, which the importer does not set for Glibc's own module.
static inline int clinux_accept4(int listener, void *address, uint32_t *length, int flags) {
  return (int)syscall(SYS_accept4, listener, address, length, flags);
}

// renameat2(2) is declared only under _GNU_SOURCE, and so are its flags.
enum { CLINUX_RENAME_EXCHANGE = 1 << 1 };
static inline int clinux_renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
  return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
}
// prctl(2) is variadic, and pthread_setname_np(3) hides behind _GNU_SOURCE.
static inline int clinux_name_thread(const char *name) {
  return prctl(PR_SET_NAME, (unsigned long)name, 0, 0, 0);
}

#endif
