# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays one run in the testbed and turns its logs into rows.

Owns the identity of a result, which is everything on which the result depends, and the row: the
cell's parameters, the seed, the measures of one movie, and the origin of the result.
"""

import pathlib
import sys

import measures
import scenario
from batch import provenance, runner, store

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # for the testbed's package

# Programs that every transport uses, and files that only TFRC uses, below the build directory.
PROGRAMS = ("tools/vod-replay/vod-replay", "tools/meter/vod-receive", "tools/meter/wire-meter")
TFRC_PROGRAMS = ("gst/libgsttfrc.so", "lib/tfrc/libtfrc.so.0")


class Player:
    """Plays runs with one set of programs, traces and options."""

    def __init__(self, *, build, traces, backend="auto", command=""):
        self.build = pathlib.Path(build)
        self.traces = traces
        self.backend = backend
        self.command = command
        self.revision = provenance.revision()
        self.analysis = measures.digest()
        self._digests = {}

    def __getstate__(self):
        # Another process reads the programs that it has.
        return self.__dict__ | {"_digests": {}}

    def _programs(self, transport):
        names = PROGRAMS + (TFRC_PROGRAMS if transport.startswith("tfrc") else ())
        if names not in self._digests:
            self._digests[names] = provenance.digest_of_programs(self.build, names)
        return self._digests[names]

    def key(self, run):
        """A hash of everything on which the result depends."""
        spec, _, _ = scenario.build(run, self.traces)
        p = run.parameters
        identity = {"parameters": p, "seeds": run.seeds, "spec": spec, "backend": self.backend,
                    "trace": scenario.trace_of(run, self.traces).digest, "programs": self._programs(p["transport"])}
        return store.key_of(identity)

    def plan(self, run):
        return runner.Plan(self.key(run), run.label(), run.cost(), run)

    def known(self, plan, result, directory):
        """A result of the store, measured anew from its logs if measures have changed; None if it
        has to be played."""
        if result["analysis"] == self.analysis:
            return result
        if not directory.is_dir():
            return None
        try:
            return self._result(plan, directory, result["origin"])
        except runner.RunFailed:
            return None

    def play(self, plan, directory):
        """The result of a run; its logs are in the directory."""
        from testbed import playing  # here, so that reports need no testbed

        spec, files, _ = scenario.build(plan.run, self.traces)
        outcome = playing.play(spec, directory, backend=self.backend, seed=plan.run.seeds[0], files=files)
        origin = {"backend": outcome.backend, "revision": self.revision, "command": self.command}
        return self._result(plan, directory, origin)

    def _result(self, plan, directory, origin):
        parameters = plan.run.parameters
        _, (trace,), streams = scenario.build(plan.run, self.traces)
        run_logs = measures.RunLogs(directory)
        rows = []
        for stream in streams:
            try:
                measured = run_logs.movie(parameters, stream, scenario.alone_s(streams, stream))
            except measures.BadLogs as error:
                raise runner.RunFailed(f"movie {stream.number} of seed {stream.seed}: {error}") from error
            rows.append({**parameters, "seed": stream.seed, "number": stream.number, "offset_s": stream.offset_s,
                         "trace": trace.stem, **measured, **origin})
        return {"label": plan.label, "analysis": self.analysis, "origin": origin, "rows": rows}
