"""Runs a program and stops it at one of its steps: a system call that changes a file, told by its name, its path and how
many of these came before. All threads are counted together, which strace(1) does not do.

    steps.py --below FOLDER --report FILE [--at 'NAME PATH NUMBER' --do kill|cut|ENOSPC|EIO [--lasting]] -- PROGRAM ...
    steps.py --every --below FOLDER --report FILE [--at NUMBER --do kill] -- PROGRAM ...

With --every it is any system call whatever, by its number from the start of the program.

The kernel asks before each such call (seccomp_unotify(2), x86-64 only), so a program that is killed here has not made it.
The report is JSON: every step, whether the wanted one came, and how the program ended.
"""

import argparse
import ctypes
import errno
import fcntl
import json
import os
import re
import select
import signal
import struct
import sys

# arch/x86/entry/syscalls/syscall_64.tbl: name: (number, what its arguments are). `fd`: an open file; `at`: folder and name;
# `path`: a name; twice of them where the second is the one that changes.
CALLS = {
    "write": (1, "fd"), "pwrite64": (18, "fd"), "writev": (20, "fd"), "pwritev": (296, "fd"), "pwritev2": (328, "fd"),
    "fsync": (74, "fd"), "fdatasync": (75, "fd"), "sync_file_range": (277, "fd"), "syncfs": (306, "fd"),
    "ftruncate": (77, "fd"), "fallocate": (285, "fd"), "fchmod": (91, "fd"), "fchown": (93, "fd"), "fsetxattr": (190, "fd"),
    "fremovexattr": (199, "fd"), "sendfile": (40, "fd"), "copy_file_range": (326, "- - fd"), "splice": (275, "- - fd"),
    "ioctl": (16, "fd"), "open": (2, "path"), "openat": (257, "at"), "openat2": (437, "at"), "creat": (85, "path"),
    "truncate": (76, "path"), "rename": (82, "path"), "renameat": (264, "at"), "renameat2": (316, "at"), "unlink": (87, "path"),
    "unlinkat": (263, "at"), "rmdir": (84, "path"), "mkdir": (83, "path"), "mkdirat": (258, "at"), "mknod": (133, "path"),
    "mknodat": (259, "at"), "symlink": (88, "- path"), "symlinkat": (266, "- at"), "link": (86, "- path"), "linkat": (265, "- - at"),
    "chmod": (90, "path"), "fchmodat": (268, "at"), "fchmodat2": (452, "at"), "chown": (92, "path"), "lchown": (94, "path"),
    "fchownat": (260, "at"), "utimensat": (280, "at"), "setxattr": (188, "path"), "lsetxattr": (189, "path"),
    "removexattr": (197, "path"), "lremovexattr": (198, "path"),
}
NAMES = {number: name for name, (number, _) in CALLS.items()}
# Only these of their kind are steps: what creates or empties, and what shares blocks (linux/fs.h).
CREATING = os.O_CREAT | os.O_TRUNC
FICLONE, FICLONERANGE = 0x40049409, 0x4020940D
# Those that need room on a disk.
GROWING = {"write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate", "fallocate", "copy_file_range", "sendfile", "splice",
           "ioctl", "open", "openat", "openat2", "creat", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "symlink", "symlinkat",
           "link", "linkat"}

DRAWN = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")

EXECVE = 59
ARCH_X86_64 = 0xC000003E
ALLOW, NOTIFY = 0x7FFF0000, 0x7FC00000
PR_SET_NO_NEW_PRIVS, SET_MODE_FILTER, NEW_LISTENER, WAIT_KILLABLE = 38, 1, 8, 32
SYS_SECCOMP, SYS_PIDFD_OPEN, SYS_PIDFD_GETFD = 317, 434, 438
RECEIVE, SEND, GO_ON = 0xC0502100, 0xC0182101, 1
# linux/ext4.h, xfs/libxfs/xfs_fs.h: EXT4_IOC_SHUTDOWN and XFS_IOC_GOINGDOWN are one; without a flush of the log.
SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, 2

libc = ctypes.CDLL(None, use_errno=True)


def call(number, *arguments):
    result = libc.syscall(number, *(argument if isinstance(argument, ctypes.Array) else ctypes.c_long(argument) for argument in arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def filter_program(is_every):
    """A seccomp filter: notify of CALLS, let everything else be."""
    def load(offset):
        return (0x20, 0, 0, offset)

    def give(value):
        return (0x06, 0, 0, value)

    code = [load(4), (0x15, 1, 0, ARCH_X86_64), give(ALLOW), load(0)]
    if is_every:
        return [*code, give(NOTIFY)]
    for name, (number, _) in CALLS.items():
        if name in ("open", "openat"):
            # Not for those that only read: there are too many.
            code += [(0x15, 0, 4, number), load(16 + 8 * (1 if name == "open" else 2)), (0x45, 0, 1, CREATING), give(NOTIFY), give(ALLOW)]
        elif name == "ioctl":
            code += [(0x15, 0, 5, number), load(24), (0x15, 1, 0, FICLONE), (0x15, 0, 1, FICLONERANGE), give(NOTIFY), give(ALLOW)]
        else:
            code += [(0x15, 0, 1, number), give(NOTIFY)]
    code.append(give(ALLOW))
    return code


def is_listener(path):
    try:
        return os.readlink(path) == "anon_inode:seccomp notify"
    except OSError:
        return False


def start(words, is_every):
    """The child's process id and the descriptor that the kernel asks at."""
    code = filter_program(is_every)
    filters = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in code))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code), ctypes.addressof(filters)))
    child = os.fork()
    if child == 0:
        try:
            libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
            call(SYS_SECCOMP, SET_MODE_FILTER, NEW_LISTENER | WAIT_KILLABLE, program)
            # The listener ends with exec: the parent takes it before. With every call asked about, the next one waits anyway.
            if not is_every:
                os.kill(os.getpid(), signal.SIGSTOP)
            os.execvp(words[0], words)
        finally:
            os._exit(126)
    if not is_every and not os.WIFSTOPPED(os.waitpid(child, os.WUNTRACED)[1]):
        sys.exit("steps: the program cannot be watched")
    place = None
    while place is None:
        place = next((name for name in os.listdir(f"/proc/{child}/fd") if is_listener(f"/proc/{child}/fd/{name}")), None)
    listener = call(SYS_PIDFD_GETFD, call(SYS_PIDFD_OPEN, child, 0), int(place), 0)
    os.kill(child, signal.SIGCONT)
    return child, listener


def shut_down(folder):
    fcntl.ioctl(folder, SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))


class Watch:
    def __init__(self, options):
        self.below = os.path.realpath(options.below)
        self.at, self.do, self.is_lasting, self.is_every = options.at, options.do, options.lasting, options.every
        self.counts, self.steps, self.fired = {}, [], 0
        self.has_begun = False

    def text(self, pid, address):
        with open(f"/proc/{pid}/mem", "rb") as memory:
            memory.seek(address)
            return memory.read(min(4096, 4096 - address % 4096)).split(b"\0")[0].decode("utf-8", "replace")

    def word(self, pid, address):
        with open(f"/proc/{pid}/mem", "rb") as memory:
            memory.seek(address)
            return struct.unpack("Q", memory.read(8))[0]

    def path(self, pid, name, arguments):
        """Below the folder; None when it is elsewhere, no file at all, or only read."""
        forms = CALLS[name][1].split()
        form, values = forms[-1], arguments[len(forms) - 1:]
        if name == "linkat":
            values = arguments[2:]
        if name == "openat2" and not self.word(pid, arguments[2]) & CREATING:
            return None
        folder = f"/proc/{pid}/cwd"
        if form != "path":
            number = struct.unpack("i", struct.pack("I", values[0] & 0xFFFFFFFF))[0]
            folder = folder if number == -100 else f"/proc/{pid}/fd/{number}"
        try:
            found = os.readlink(folder).removesuffix(" (deleted)")
            if form != "fd":
                found = os.path.join(found, self.text(pid, values[0] if form == "path" else values[1]))
        except OSError:
            return None
        relative = os.path.relpath(found, self.below) if found.startswith("/") else ".."
        return None if relative.startswith("..") else DRAWN.sub("*", relative)

    def answer(self, pid, number, arguments):
        """What becomes of a call: None to let it be, an error, or "kill"."""
        if self.is_every:
            # What the child does before it is the program is nobody's step.
            self.has_begun = self.has_begun or number == EXECVE
            return None if not self.has_begun else self.judge(NAMES.get(number, str(number)), str(len(self.steps) + 1))
        name = NAMES[number]
        path = self.path(pid, name, arguments)
        if path is None:
            return None
        label = f"{name} {path}"
        self.counts[label] = self.counts.get(label, 0) + 1
        return self.judge(name, f"{label} {self.counts[label]}")

    def judge(self, name, step):
        self.steps.append(step)
        if self.do is None or not (step == self.at or self.fired and self.is_lasting):
            return None
        if self.fired and self.do == "ENOSPC" and name not in GROWING:
            return None
        self.fired += 1
        return self.do


def serve(watch, child, listener, folder):
    poller = select.poll()
    poller.register(listener, select.POLLIN)
    while True:
        if any(event & select.POLLHUP for _, event in poller.poll()):
            return
        asked = bytearray(80)
        try:
            fcntl.ioctl(listener, RECEIVE, asked)
        except OSError:
            continue
        identity, pid, _, number, _, _, *arguments = struct.unpack("QIIiIQ6Q", asked)
        verdict = watch.answer(pid, number, arguments)
        if verdict in ("kill", "cut"):
            if verdict == "cut":
                shut_down(folder)
            os.kill(child, signal.SIGKILL)
            continue
        error = -getattr(errno, verdict) if verdict else 0
        try:
            fcntl.ioctl(listener, SEND, bytearray(struct.pack("QqiI", identity, 0, error, 0 if error else GO_ON)))
        except OSError:
            # It was killed meanwhile.
            continue


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--below", required=True)
    parser.add_argument("--report", required=True)
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--at")
    parser.add_argument("--do", choices=("kill", "cut", "ENOSPC", "EIO"))
    parser.add_argument("--shut", help="the folder whose disk loses its power: at the point, or without one at the end")
    parser.add_argument("--lasting", action="store_true", help="every step after it fails as well")
    parser.add_argument("words", nargs="+")
    options = parser.parse_args()
    watch = Watch(options)
    folder = os.open(options.shut, os.O_RDONLY) if options.shut else None
    child, listener = start(options.words, options.every)
    serve(watch, child, listener, folder)
    if folder is not None and options.at is None:
        shut_down(folder)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with open(options.report, "w") as report:
        json.dump({"steps": watch.steps, "fired": watch.fired, "status": status}, report)
    sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
