"""Load by wrk: one thread on the core that the servers do not have."""

import os
import re
import subprocess
import tempfile
from urllib.parse import urlsplit

from process import LOAD_CORE, pinned
from server.load import BadRound, Rate
from server.probe import request_bytes

SCRIPT = """
-- Every request is ready before the first is sent: choosing one is all that it costs while the clock runs.
local requests, count = {}, 0
init = function(words)
  local file = io.open(words[1], "rb")
  for text in file:read("*a"):gmatch("(.-\\r\\n\\r\\n)") do
    count = count + 1
    requests[count] = text
  end
  file:close()
  math.randomseed(os.time())
  local depth = tonumber(words[2])
  if depth > 1 then
    for index = 1, count do requests[index] = requests[index]:rep(depth) end
  end
end
request = function() return requests[math.random(count)] end
"""
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}


def run(load, urls, seconds):
    """Loads the server at each of `urls` alike, and adds up."""
    with tempfile.TemporaryDirectory() as folder:
        share = max(1, load.connections // len(urls))
        started = [start(load, share, url, seconds, f"{folder}/{index}") for index, url in enumerate(urls)]
        rates = [read(child.communicate()[0], child.returncode, load) for child in started]
    return Rate(
        sum(rate.rate for rate in rates), sum(rate.count for rate in rates), max(rate.seconds for rate in rates),
        max(rate.p99 for rate in rates))


def start(load, connections, url, seconds, folder):
    """Starts one wrk."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s", "--latency"]
    if len(load.requests) == 1 and load.depth == 1:
        path, headers = load.requests[0]
        for name, value in headers:
            command += ["-H", f"{name}: {value}"]
        command += [url + path]
    else:
        os.makedirs(folder)
        host = urlsplit(url).netloc
        with open(f"{folder}/requests", "wb") as file:
            file.write(b"".join(request_bytes(host, path, headers) for path, headers in load.requests))
        with open(f"{folder}/random.lua", "w", encoding="ascii") as file:
            file.write(SCRIPT)
        command += ["-s", f"{folder}/random.lua", url, "--", f"{folder}/requests", str(load.depth)]
    return subprocess.Popen(pinned(LOAD_CORE, command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def read(text, code, load):
    """What wrk printed; raises when an answer was not what it should be."""
    wrong = re.search(r"Non-2xx or 3xx responses: .*|Socket errors: .*", text)
    if code != 0 or wrong:
        raise BadRound(wrong[0] if wrong else text.strip())
    total = re.search(r"(\d+) requests in ([\d.]+)(us|ms|s|m), ([\d.]+)([KMGT]?)B read", text)
    count = int(total[1])
    if count == 0:
        raise BadRound("no answer at all")
    # A head is 150 to 1,500 bytes; wrk rounds to two digits, and breaks off the answers that run when time is over.
    each = float(total[4]) * UNITS[total[5]] / count
    spare = 0.02 * load.body + (load.connections * load.body / count)
    if not load.body - spare + 100 <= each + 50 <= load.body + 1600 + spare:
        raise BadRound(f"answers have {each:.0f} bytes with their heads; the body should have {load.body}")
    p99 = re.search(r"99%\s+([\d.]+)(us|ms|s|m)", text)
    return Rate(
        float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), count, float(total[2]) * TIMES[total[3]],
        float(p99[1]) * TIMES[p99[2]])
