# SPDX-License-Identifier: LGPL-2.1-or-later
"""python3 pipelines/testbed …: imports its own directory and batch/ as packages, and runs the
command line."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve()
sys.path[0] = str(HERE.parents[1])
sys.path.append(str(HERE.parents[2]))

from testbed.cli import main  # noqa: E402 the paths come first

sys.exit(main())
