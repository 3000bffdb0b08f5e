# SPDX-License-Identifier: LGPL-2.1-or-later
"""One run, from spec to results: chooses the back end, prepares its files, and returns the
result."""

import os
import pathlib
import shutil
import tempfile
import time

from . import guest, netns, plan, results, topology
from .errors import TestbedError

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Each raises TestbedError if this host cannot run it.
CHECKS = {"netns": netns.check, "guest": guest.check}
BACKENDS = ("auto", *CHECKS)


def build_directory():
    return pathlib.Path(os.environ.get("BUILD_DIR") or ROOT / "build")


def run(spec, output, backend="auto", seed=1, limit_s=None, files=(), pcap=()):
    """Runs a spec and returns its Result. Raises TestbedError if no job has run; its text is the
    reason.

    spec: the path of a file, or a dict with the values of such a file. output: the directory of the
    results; results of an earlier run in it are removed. files: copied to the directory where the
    jobs run, besides the files that the spec names. limit_s: in real time. pcap: where to capture,
    a list of NODE:LINK."""
    loaded = topology.load(spec)
    files = [pathlib.Path(file) for file in (*loaded.files, *files)]
    _check_arguments(loaded, backend, seed, files, pcap)
    backend, kernel = _choose(backend)
    output = pathlib.Path(output).resolve()
    _empty(output)
    facts = {
        "spec": loaded.spec, "files": files, "backend": backend, "seed": seed,
        "kernel": kernel.version if kernel else os.uname().release,
        "versions": {**results.versions(), **(guest.versions() if backend == "guest" else {})},
    }
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"testbed-{os.getpid()}-") as scratch:
        session = pathlib.Path(scratch)
        environment = {"TESTBED_SEED": str(seed), "CAPTURES": " ".join(pcap)}
        _lay_out(loaded, session, files, environment)
        if backend == "guest":
            in_time = guest.run(session, output, build_directory(), kernel, seed, limit_s)
        else:
            in_time = netns.run(session, output, build_directory(), environment, limit_s)
    if not (output / "console.log").stat().st_size:
        (output / "console.log").unlink()
    facts["wall_s"] = round(time.monotonic() - begun, 3)
    if in_time:
        status = results.finish(loaded, output, facts)
    else:
        status = results.LIMIT_STATUS
        results.write_facts(output, facts, status)
    return results.Result(status, backend, facts["wall_s"], output)


def _check_arguments(loaded, backend, seed, files, pcap):
    if backend not in BACKENDS:
        raise TestbedError(f"there is no back end {backend!r}; there are {', '.join(BACKENDS)}")
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise TestbedError(f"{seed!r} is not a seed: a whole number of at least 0")
    for file in files:
        if not file.is_file():
            raise TestbedError(f"{file}: no such file")
    names = [file.name for file in files]
    for name in names:
        if names.count(name) > 1:
            raise TestbedError(f"two of the files have the name {name}")
    for capture in pcap:
        node, _, link = capture.partition(":")
        if link not in loaded.links or node not in loaded.links[link].ends:
            raise TestbedError(f"cannot capture {capture!r}: it must be NODE:LINK, where the link ends at the node")


def _choose(backend):
    """The back end, and the guest's kernel or, for netns, None. A run keeps this kernel even if another
    one is downloaded meanwhile."""
    if backend == "auto":
        try:
            netns.check()
            return "netns", None
        except TestbedError:
            backend = "guest"
    return backend, CHECKS[backend]()


def _empty(output):
    """Removes an earlier run's results. Raises TestbedError if the directory holds anything
    else."""
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        if not any((output / name).exists() for name in ("run.json", "console.log")):
            raise TestbedError(f"{output} is not empty, and not the results of a run: it is left alone")
        shutil.rmtree(output)
    output.mkdir(parents=True, exist_ok=True)


def _lay_out(loaded, session, files, environment):
    """Writes the files that session.sh expects in its directory."""
    shutil.copyfile(pathlib.Path(__file__).with_name("session.sh"), session / "session.sh")
    (session / "plan.sh").write_text(plan.render(loaded))
    (session / "environment").write_text("".join(f"export {name}='{value}'\n" for name, value in environment.items()))
    (session / "jobs").mkdir()
    (session / "work").mkdir()
    for job in loaded.jobs:
        (session / "jobs" / f"{job}.sh").write_text(plan.render_job(loaded, job))
    for file in files:
        shutil.copy(file, session / "work" / file.name)
