# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where a result comes from: the revision of the sources, and the programs that made the result."""

import pathlib
import subprocess

from . import ROOT, store
from .runner import RunFailed


def revision(root=ROOT):
    """The commit of the sources as 'git describe' names it, with '-dirty' when files differ from
    it; 'unknown' without a repository."""
    try:
        return subprocess.run(["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=10"], check=True,
                              capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def digest_of_programs(build, names):
    """A hash over programs, named from the build directory. Raises RunFailed if a program is
    missing."""
    try:
        return store.digest_of(pathlib.Path(build) / name for name in names)
    except OSError as error:
        raise RunFailed(f"{error.filename} is missing: build the project first") from error
