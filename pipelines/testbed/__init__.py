# SPDX-License-Identifier: LGPL-2.1-or-later
"""A network of emulated links between nodes, jobs on the nodes, and their results as files: docs/testbed.md.

    import testbed
    result = testbed.run("two-hops.yaml", output="results", seed=2)
"""

from .errors import TestbedError
from .results import Result
from .runner import run
from .topology import Topology, load

__all__ = ["Result", "TestbedError", "Topology", "load", "run"]
