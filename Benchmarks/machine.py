"""What the figures were measured on and with."""

import datetime
import os
import platform
import re
import resource
import subprocess

from server.peers import CACHED_FILES


def output(command):
    """Both streams of a command, or nothing when it is not there."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.stdout
    except FileNotFoundError:
        return ""


def found(pattern, text):
    """The first group of a pattern in a text."""
    match = re.search(pattern, text)
    return match[1] if match else "?"


def processor():
    """The processor's name."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return found(r"model name\s*: (.*)", file.read())


def facts(program, options):
    """Lines for the head of the table."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    with open("/proc/sys/net/ipv4/tcp_congestion_control", encoding="ascii") as file:
        congestion = file.read().strip()
    version = output([program, "--version"]).strip()
    commit = output(["git", "rev-parse", "--short", "HEAD"]).strip()
    return [
        f"- {datetime.date.today()}, {version}, commit {commit}",
        f"- {platform.system()} {platform.release()}, {os.cpu_count()} cores of {processor()}, {memory:.0f} GiB,"
        f" TCP {congestion}",
        f"- nginx {found(r'nginx/([0-9.]+)', output(['nginx', '-v']))}, {output(['openssl', 'version']).split('(')[0].strip()},"
        f" wrk {found(r'([0-9.]+)', output(['wrk', '-v']))}, h2load {found(r'nghttp2/([0-9.]+)', output(['h2load', '--version']))},"
        f" aria2 {found(r'version ([0-9.]+)', output(['aria2c', '--version']))}",
        f"- descriptor limit {resource.getrlimit(resource.RLIMIT_NOFILE)[1]}: nginx keeps at most {CACHED_FILES} files open",
        f"- {options.rounds} rounds of {options.seconds:g} s a peer and row, load average before: {os.getloadavg()[0]:.2f}",
    ]
