# SPDX-License-Identifier: LGPL-2.1-or-later
"""python3 tests/bench/scale …: imports its own directory as a package, and runs the command
line."""

import pathlib
import sys

sys.dont_write_bytecode = True
_HERE = pathlib.Path(__file__).resolve().parent
sys.path[0] = str(_HERE.parent)
sys.path.append(str(_HERE.parents[2]))

from scale.cli import main  # noqa: E402 the paths come first

try:
    sys.exit(main(sys.argv[1:]))
except KeyboardInterrupt:
    sys.exit(130)
