# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays a spec as one run of batch's runner: every failure becomes RunFailed."""

from batch.runner import RunFailed

from .errors import TestbedError
from .runner import run

WALL_LIMIT_S = 1800  # ends a guest that hangs


def play(spec, directory, *, backend, seed, files=(), pcap=()):
    """Runs a spec (see testbed.run) and returns the testbed's Result. Raises RunFailed if the
    network cannot be made or a job fails."""
    try:
        done = run(spec, output=directory, backend=backend, seed=seed, limit_s=WALL_LIMIT_S, files=files, pcap=pcap)
    except TestbedError as error:
        raise RunFailed(str(error)) from error
    if done.exit_status != 0:
        raise RunFailed(f"the testbed's exit status is {done.exit_status}")
    return done
