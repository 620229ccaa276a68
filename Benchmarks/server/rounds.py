"""Measures one row: both servers run, their turns alternate, medians are compared."""

import statistics

from server.depots import file_path
from server.generator import Generator
from server.load import BadRound, Load
from server.peers import CIPHER, start_game_depot, start_nginx
from server.probe import Probe
from server.row import Outcome

# Of a core, that nginx's worker must have used.
BUSY = 0.9


class Rounds:
    """How long and how often."""

    def __init__(self, program, depots, work, options):
        self.program, self.depots, self.work = program, depots, work
        self.generator = Generator(work)
        self.count, self.seconds, self.is_quick = options.rounds, options.seconds, options.quick

    def measure(self, row):
        """Runs both servers and gives them the row's work in turns."""
        depot = self.depots.named(row.depot)
        ours = start_game_depot(self.program, depot.data, row.setting, self.work)
        theirs = None
        try:
            variant = self.fastest_variant(row, depot)
            theirs = start_nginx(depot.root, row.setting, variant, self.work)
            load = self.prepare(row, ours, row.paths)
            their_load = self.prepare(row, theirs, nginx_paths(row))
            # Over TLS an absolute URL in a body is a letter longer.
            if load.body - their_load.body not in ((0, 1) if row.setting.tls else (0,)):
                raise RuntimeError(f"{row.name}: bodies of {load.body} and {their_load.body} bytes")
            return self.alternate(row, (ours, load), (theirs, their_load), variant)
        finally:
            ours.stop()
            if theirs:
                theirs.stop()

    def fastest_variant(self, row, depot):
        """Which of nginx's settings does this work best."""
        if len(row.variants) == 1 or self.is_quick:
            return row.variants[0]
        rates = {}
        for variant in row.variants:
            server = start_nginx(depot.root, row.setting, variant, self.work)
            try:
                load = self.prepare(row, server, nginx_paths(row))
                rates[variant] = max(self.generator.run(load, server.urls, 1).rate for _ in range(2))
            except BadRound as error:
                print(f"   nginx with {variant}: {error}", flush=True)
            finally:
                server.stop()
        return max(rates, key=rates.get)

    def prepare(self, row, server, paths):
        """The load for one server, after a look at what it answers."""
        probe = Probe(server.urls[0])
        first = probe.get(paths[0])
        if first.status != 200 or not first.body:
            raise RuntimeError(f"{server.name} answers {first.status} to {paths[0]}")
        if row.setting.tls and probe.cipher() != ("TLSv1.3", CIPHER):
            raise RuntimeError(f"{server.name} speaks {probe.cipher()}")
        headers, body = row.headers, len(first.body)
        if row.revalidates:
            headers += (("If-None-Match", first.field("ETag")),)
            body = 0
            if probe.get(paths[0], headers).status != 304:
                raise RuntimeError(f"{server.name} does not revalidate {paths[0]}")
        requests = tuple((path, headers) for path in paths)
        if row.ranges:
            requests = tuple((paths[0], headers + (("Range", text),)) for text in row.ranges)
            part = probe.get(*requests[0])
            if part.status != 206:
                raise RuntimeError(f"{server.name} answers {part.status} to a range")
            body = len(part.body)
        if row.warms:
            for (path, _), reply in zip(requests, probe.get_all(requests)):
                if reply.status != 200 or len(reply.body) != body:
                    raise RuntimeError(f"{server.name} answers {path} with {reply.status}, {len(reply.body)} bytes")
        probe.close()
        return Load(row.connections, requests, row.depth, body)

    def alternate(self, row, ours, theirs, variant):
        """Rounds until there are enough that count."""
        samples = {"game-depot": [], "nginx": []}
        rejected, faults, tries = 0, [], 0
        for server, load in (ours, theirs):
            self.generator.run(load, server.urls, 1)
        while len(samples["nginx"]) < self.count and tries < 3 * self.count:
            tries += 1
            try:
                # Who begins changes, so that none of them always follows the other's rest.
                pair = (ours, theirs) if tries % 2 else (theirs, ours)
                found = {server.name: self.one_round(server, load) for server, load in pair}
            except BadRound as error:
                faults.append(str(error))
                continue
            if row.saturates and found["nginx"][2] < BUSY and not self.is_quick and rejected < self.count:
                rejected += 1
                continue
            for name, sample in found.items():
                samples[name].append(sample)
        if not samples["nginx"]:
            raise RuntimeError(f"{row.name}: no round was right: {faults or rejected}")
        median = {name: [statistics.median(column) for column in zip(*taken)] for name, taken in samples.items()}
        notes = [f"{rejected} rounds not counted: nginx had less than its core"] if rejected else []
        notes += [f"{len(faults)} rounds failed: {faults[0]}"] if faults else []
        if row.saturates and median["nginx"][2] < BUSY:
            notes += [f"nginx had only {median['nginx'][2]:.2f} of its core"]
        return Outcome(
            row, median["game-depot"][0], median["nginx"][0], median["game-depot"][1], median["nginx"][1],
            theirs[1].body, variant, "; ".join(notes))

    def one_round(self, server, load):
        """Answers a second, processor nanoseconds an answer, and the part of a core that was used."""
        before = server.process.processor_time()
        rate = self.generator.run(load, server.urls, self.seconds)
        used = server.process.processor_time() - before
        return rate.rate, used / rate.count, used / 1e9 / rate.seconds


def nginx_paths(row):
    """What nginx is asked for."""
    return row.their_paths or tuple(file_path(path) for path in row.paths)
