"""Stopping a program of ours at its steps, by steps.py, and disks of its own to do it on: what `mirror_kills.py` and
`depot_kills.py` share.
"""

import collections
import concurrent.futures
import itertools
import json
import os
import re
import shutil

from harness import check, run

STEPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "steps.py")
# System calls that leave every file as it is; those of steps.py are the others. One that is in neither list fails the run.
HARMLESS = set(
    "accept4 access arch_prctl bind brk clock_nanosleep clone clone3 close connect epoll_create1 epoll_ctl epoll_pwait epoll_wait eventfd2 "
    "execve exit exit_group fcntl flock fstat fstatfs futex getcwd getdents64 getegid geteuid getgid getpeername getpid getrandom "
    "getrlimit getsockname getsockopt gettid getuid listen lseek madvise mmap mprotect mremap munmap newfstatat pipe2 poll prctl pread64 "
    "prlimit64 pselect6 read readlink readlinkat recvfrom recvmsg restart_syscall rseq rt_sigaction rt_sigprocmask rt_sigreturn "
    "rt_sigsuspend rt_sigtimedwait sched_getaffinity sched_yield sendmmsg sendmsg sendto set_robust_list set_tid_address setpriority "
    "setsockopt sigaltstack signalfd4 socket socketpair stat statfs statx sysinfo tgkill timerfd_create timerfd_settime uname".split())


def watched(words, below, report, *how):
    """Runs a program and has steps.py stop it as told. The result and the report of steps.py."""
    result = run("python3", "-I", "-S", STEPS, "--below", below, "--report", report, *how, "--", *words,
                 env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
    with open(report) as file:
        said = json.load(file)
    os.remove(report)
    return result, said


def check_calls(name, words, log):
    """No system call of a run is unknown here."""
    result = run("strace", "-f", "-qq", "-o", log, *words)
    assert result.returncode == 0, result
    with open(log) as file:
        calls = set(re.findall(r"^\d+ +(?:<\.\.\. )?(\w+)(?:\(| resumed)", file.read(), re.M))
    steps = set(re.findall(r'"(\w+)": \(\d+, "', open(STEPS).read()))
    check(f"{name}: each of {len(calls)} kinds of system calls is known", not calls - steps - HARMLESS, calls - steps - HARMLESS)


def common_steps(name, runs):
    """The steps that every one of several undisturbed runs came to: threads take turns as they like."""
    points = [step for step in runs[0] if all(step in other for other in runs[1:])]
    check(f"{name}: plain runs are alike", len(points) > 0.9 * len(runs[0]), [len(each) for each in runs])
    return points


def sweep(name, what, points, folder, stop, judge, exits):
    """Stops a run of its own at each of the points. Prints at how many it did.

    `stop` runs the program in a folder that is not there yet, stopped at a point; `judge` looks at what it left, told the
    result of a run that was not killed and None of one that was. `exits`: the exit codes a run that failed may have.
    """
    ends = collections.Counter()

    def attempt(number, point):
        told = f"{name}, {what} {point}"
        for _ in range(10):
            destination = f"{folder}/{name.replace(' ', '-')}-{number}"
            result, said = stop(destination, point)
            if said["fired"]:
                break
            shutil.rmtree(destination)
        if not check(f"{told}: comes to that point", said["fired"] > 0, result):
            return
        was_killed = said["status"] < 0
        ends["killed" if was_killed else said["status"]] += 1
        if not was_killed:
            check(f"{told}: exit {', '.join(map(str, exits))}", result.returncode in exits, result)
            check(f"{told}: one line tells it", len(result.stderr.splitlines()) == (result.returncode != 0), result)
        judge(told, destination, None if was_killed else result)
        shutil.rmtree(destination)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for _ in pool.map(attempt, itertools.count(), points):
            pass
    told = ", ".join(f"{count} × {end if end == 'killed' else f'exit {end}'}" for end, count in sorted(ends.items(), key=str))
    print(f"{name}: {what} each of {len(points)} points: {told}")


def mount(*words):
    return os.geteuid() == 0 and run("mount", *words).returncode == 0


class Disk:
    """A file system in a file, which can be set back to how it was and lose its power."""

    def __init__(self, system, folder):
        self.image, self.place = f"{folder}/{system}.img", f"{folder}/{system}"
        os.makedirs(self.place, exist_ok=True)
        with open(self.image, "wb") as file:
            # xfs takes no less.
            file.truncate(300 << 20)
        self.is_there = run(f"mkfs.{system}", "-q", self.image).returncode == 0 and self.mount()
        if not self.is_there:
            print(f"skip power cuts of {system}: mounting one in a file needs root and mkfs.{system}")

    def mount(self):
        return mount("-o", "loop", self.image, self.place)

    def unmount(self):
        return run("umount", self.place).returncode == 0

    def keep(self):
        """What it is set back to. Mounted before and after."""
        self.unmount()
        run("cp", "--sparse=always", self.image, f"{self.image}.before")
        assert self.mount()

    def set_back(self):
        """Unmounted before, mounted after."""
        run("cp", "--sparse=always", f"{self.image}.before", self.image)
        assert self.mount()

    def shut_down(self):
        """Its power is gone: nothing that was not flushed is there at the next mount (xfs_io(8), shutdown)."""
        return run("xfs_io", "-x", "-c", "shutdown", self.place).returncode == 0
