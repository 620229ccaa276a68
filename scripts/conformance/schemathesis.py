"""schemathesis over a live depot: nothing that openapi.yaml allows is answered otherwise than it says.

The depot has a game and a token of scope admin, so that no route is out of reach. The file that is tried is that of the
checkout, not the one built in. Talks to 127.0.0.1 only. Ends with `N passed, N failed`.
"""

import argparse
import os
import re
import tempfile

from harness import Server, check, end_of_server, finish, run
from mirror_peers import make_zip

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--schemathesis", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--examples", type=int, default=50, help="of each route")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    depot = os.path.abspath(f"{options.programs}/game-depot")
    work = tempfile.mkdtemp(prefix="game-depot-schemathesis.")
    data = f"{work}/depot"
    with open(f"{work}/game.zip", "wb") as file:
        file.write(make_zip(1, 4, 10_000))
    token = run(depot, "token", "create", "--data", data, "--name", "all", "--scope", "admin").stdout.strip()
    published = run(depot, "publish", f"{work}/game.zip", "--game", "game", "--h5-version", "1.0", "--data", data, "--disk-floor", "0")
    check("a game to ask for is published", published.returncode == 0, published)
    server = Server(depot, "serve", "--data", data, "--listen", "127.0.0.1:0", "--disk-floor", "0", "--access-log", "off",
                    log=f"{work}/depot.log")
    result = run(options.schemathesis, "--config-file", f"{ROOT}/scripts/conformance/schemathesis.toml", "run", f"{ROOT}/openapi.yaml",
                 "--url", server.url, "--max-examples", str(options.examples), "--seed", str(options.seed), "--no-color",
                 "--header", f"Authorization: Bearer {token}", cwd=work, timeout=1800)
    told = re.search(r"Test cases:\n\s*(.*)", result.stdout)
    tested = re.search(r"Tested: (\d+)", result.stdout)
    print(f"schemathesis: {tested[1] if tested else 'no'} operations, {told[1] if told else 'no cases'}")
    if not check("schemathesis finds nothing", result.returncode == 0):
        failures = result.stdout.find("= FAILURES =")
        print(result.stdout[max(failures, 0):][:20_000], result.stderr[:2_000])
    end_of_server(server, work)
    finish(work)


if __name__ == "__main__":
    main()
