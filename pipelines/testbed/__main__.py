# SPDX-License-Identifier: LGPL-2.1-or-later
"""python3 pipelines/testbed …: imports its own directory as a package, and runs the command
line."""

import pathlib
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[1])

from testbed.cli import main  # noqa: E402 the path comes first

sys.exit(main())
