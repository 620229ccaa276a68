#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H
#include <iconv.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// glibc 2.36 has no wrapper for openat2(2).
static inline int clinux_openat2(int directory, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve) {
  struct open_how how = {.flags = flags, .mode = mode, .resolve = resolve};
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

// openat(2) is variadic.
static inline int clinux_openat(int directory, const char *path, int flags, uint32_t mode) {
  return openat(directory, path, flags, mode);
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

// ioctl(2) is variadic, and FICLONE a macro that Swift does not see.
static inline int clinux_ficlone(int target, int source) { return ioctl(target, FICLONE, source); }

// mallopt(3): few arenas; and what is large goes back to the system as soon as it is freed, for good: without a fixed threshold
// glibc raises it with each large block that is freed. 0 when it could not be set.
static inline int clinux_keep_heap_small(void) {
  return mallopt(M_ARENA_MAX, 2) && mallopt(M_MMAP_THRESHOLD, 128 << 10) && mallopt(M_TRIM_THRESHOLD, 128 << 10);
}

// prctl(2) is variadic, and pthread_setname_np(3) hides behind _GNU_SOURCE.
static inline int clinux_name_thread(const char *name) {
  return prctl(PR_SET_NAME, (unsigned long)name, 0, 0, 0);
}

// glibc's recv(2), send(2), sendmsg(2) and epoll_wait(2) are points where a thread can be cancelled, and pay for it with two
// atomic operations each in a program of several threads. No thread is ever cancelled here.
static inline long clinux_recv(int socket, void *to, size_t count) {
  return syscall(SYS_recvfrom, socket, to, count, 0, 0, 0);
}

static inline long clinux_send(int socket, const void *from, size_t count, int flags) {
  return syscall(SYS_sendto, socket, from, count, flags, 0, 0);
}

// Two pieces in one call; an iovec says of memory that is only read that it may be written.
static inline long clinux_send_two(int socket, const void *first, size_t first_count, const void *second, size_t second_count, int flags) {
  struct iovec pieces[2] = {{(void *)first, first_count}, {(void *)second, second_count}};
  struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
  return syscall(SYS_sendmsg, socket, &message, flags);
}

static inline int clinux_epoll_wait(int poller, struct epoll_event *events, int capacity, int milliseconds) {
  return (int)syscall(SYS_epoll_pwait, poller, events, capacity, milliseconds, 0, 8);
}

// glibc 2.36's pidfd_open(2) is declared only under _GNU_SOURCE.
static inline int clinux_pidfd_open(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

// iconv(3) wants the addresses of four variables, one call before the text to begin anew and one behind it for what it held
// back: all three in one. Bytes written, or -1 when the text is none in its encoding, ends within a character, or has no room.
static inline long clinux_iconv(iconv_t converter, const char *from, size_t count, char *to, size_t capacity) {
  char *next = (char *)from;
  size_t left = capacity;
  iconv(converter, NULL, NULL, NULL, NULL);
  if (iconv(converter, &next, &count, &to, &left) == (size_t)-1) return -1;
  if (iconv(converter, NULL, NULL, &to, &left) == (size_t)-1) return -1;
  return (long)(capacity - left);
}

#endif
