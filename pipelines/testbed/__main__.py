"""python3 pipelines/testbed …: makes the directory that this is started from a package, and runs its command line."""

import pathlib
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[1])

from testbed.cli import main  # noqa: E402 the path comes first

sys.exit(main())
