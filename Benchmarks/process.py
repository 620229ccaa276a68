"""A program under measurement: where it runs, and the processor time it takes."""

import os
import signal
import socket
import subprocess
import time

# Servers and load generator each have a core of their own; on one core they share it.
CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE = CORES[0]
LOAD_CORE = CORES[1] if len(CORES) > 1 else CORES[0]


def pinned(core, command):
    """The command, bound to one core."""
    return ["taskset", "-c", str(core)] + command


def free_port():
    """A port that nobody listens on now, of the range that clients get theirs from."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(address, port, seconds=20):
    """Returns once something listens there; raises after that time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex((address, port)) == 0:
                return
        time.sleep(0.01)
    raise RuntimeError(f"nothing listens on {address}:{port}")


class Process:
    """A child process; `pids` are those whose processor time counts."""

    def __init__(self, command, **streams):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GAME_DEPOT_")}
        self.child = subprocess.Popen(command, env=environment, **streams)
        self.pids = [self.child.pid]

    def count_children(self):
        """Counts the child's own children instead of it: a master's workers."""
        deadline = time.monotonic() + 5
        path = f"/proc/{self.child.pid}/task/{self.child.pid}/children"
        while time.monotonic() < deadline:
            with open(path, encoding="ascii") as file:
                self.pids = [int(pid) for pid in file.read().split()]
            if self.pids:
                return
            time.sleep(0.01)
        raise RuntimeError("the server has no worker process")

    def processor_time(self):
        """Nanoseconds its threads have run, in user space and in the kernel (proc_pid_schedstat)."""
        total = 0
        for pid in self.pids:
            for thread in os.listdir(f"/proc/{pid}/task"):
                try:
                    with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
                        total += int(file.read().split()[0])
                except FileNotFoundError:
                    continue
        return total

    def resident(self):
        """Bytes of memory it has, shared ones included."""
        total = 0
        for pid in self.pids:
            with open(f"/proc/{pid}/statm", encoding="ascii") as file:
                total += int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return total

    def stop(self):
        """Ends it as an operator would, and waits."""
        self.child.send_signal(signal.SIGTERM)
        try:
            self.child.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        if self.child.stdout:
            self.child.stdout.close()


def timed_and_weighed(command):
    """Seconds, and the most memory it had, in bytes. What wait4(2) tells counts the memory of this program, too, of which
    the child is a copy for a moment; so the child is asked, until it is no more."""
    most, begin = 0, time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            most = max(most, high_water(process.pid, command[0]))
            time.sleep(0.005)
        taken = time.monotonic() - begin
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}")
    return taken, most


def high_water(pid, program):
    """Bytes; 0 before the program has come into the child's place, and after its end."""
    try:
        if os.path.realpath(f"/proc/{pid}/exe") != os.path.realpath(program):
            return 0
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            return max((int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:")), default=0)
    except (FileNotFoundError, ProcessLookupError):
        return 0
