# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays runs on the workers of a Dask scheduler, which has the queue and plays a run again whose
worker has died.

A worker may be any that `dask worker` starts: it needs this checkout and its build at the same
place, and loads no module of this project. Each run has a process of its own there (elsewhere.py),
and its files come back through Dask.
"""

import concurrent.futures
import os
import pathlib
import pickle
import subprocess
import sys

from . import ROOT
from .runner import RunFailed

DISTRIBUTED = ROOT / "build" / "dask"  # where scripts/dask.sh installs it
CONNECT_S = 20
# The variables of the environment that name a run's programs
BUILDS = ("BUILD_DIR", "PLUGIN_BUILD_DIR")


class Dask:
    """As pool.Local. address: that of the scheduler, such as tcp://HOST:8786."""

    def __init__(self, address):
        self.address = address
        self._client = self._executor = None

    def __enter__(self):
        if DISTRIBUTED.is_dir():
            sys.path.insert(0, str(DISTRIBUTED))
        try:
            import distributed
        except ImportError as error:
            raise RunFailed(f"Dask is not there ({error}): 'scripts/dask.sh install' installs it") from error
        try:
            self._client = distributed.Client(self.address, timeout=CONNECT_S, set_as_default=False)
        except (OSError, ValueError) as error:
            raise RunFailed(f"no Dask scheduler at {self.address}: start one with 'scripts/dask.sh scheduler'") from error
        if not self._client.scheduler_info()["workers"]:
            print(f"The scheduler has no worker yet; 'scripts/dask.sh worker {self.address}' starts one.", flush=True)
        self._executor = self._client.get_executor(pure=False)
        return self

    def __exit__(self, *error):
        # The scheduler drops what this client alone has asked for. What a worker plays just then it
        # plays to the end, for nobody.
        self._client.close()

    def submit(self, play, plan, prepare):
        """See pool.Local.submit. play is a method of an object that has key(plan.run)."""
        path = [place for place in sys.path if place != str(DISTRIBUTED)]
        question = pickle.dumps({"path": path, "run": pickle.dumps((play, plan))})
        # The jobs get the machine's own modules, as they do without Dask.
        places = [f"{name}={os.environ[name]}" for name in BUILDS if name in os.environ]
        unset = [word for name in ("PYTHONPATH", *BUILDS) for word in ("-u", name)]
        command = ["env", *unset, *places, sys.executable, "-B", str(ROOT / "batch" / "elsewhere.py")]
        answer = concurrent.futures.Future()
        asked = self._executor.submit(subprocess.run, command, input=question, capture_output=True)
        asked.add_done_callback(lambda done: _receive(done, lambda: prepare(plan.key), answer))
        return answer


def _receive(done, prepare, answer):
    """Puts what came from a worker into the directory that prepare() makes, and into the future."""
    try:
        process = done.result()
        if process.returncode != 0:
            raise RunFailed(f"on a worker: {process.stderr.decode(errors='replace').strip()}")
        result, reason, files = pickle.loads(process.stdout)
        directory = prepare()
        for name, content in files.items():
            path = pathlib.Path(directory) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if reason is not None:
            raise RunFailed(reason)
    except RunFailed as error:
        answer.set_exception(error)
    # Among these is KilledWorker, of a run with which several workers have died.
    except Exception as error:
        answer.set_exception(RunFailed(f"Dask: {type(error).__name__}: {error}"))
    else:
        answer.set_result(result)
