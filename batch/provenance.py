# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where a result comes from: the revision of the sources, and the programs that made the result."""

import pathlib
import subprocess

from . import ROOT, store
from .runner import RunFailed


def revision(root=ROOT):
    """The commit of the sources as 'git describe' names it, with '-dirty' when files differ from
    it; 'unknown' without a repository. Files of results/ do not count: one report after the other is written there."""
    try:
        commit = _git(root, "describe", "--always", "--abbrev=10", check=True).stdout.strip()
        differs = _git(root, "diff", "--quiet", "HEAD", "--", ".", ":(exclude)results").returncode
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{commit}-dirty" if differs else commit


def _git(root, *arguments, check=False):
    return subprocess.run(["git", "-C", str(root), *arguments], check=check, capture_output=True, text=True)


def testbed_sources():
    """The testbed's own programs, which make the network: a run in it depends on them as on those that play there."""
    return tuple(sorted(path for path in (ROOT / "pipelines" / "testbed").iterdir() if path.suffix in (".py", ".sh")))


def digest_of_programs(build, names):
    """A hash over programs, named from the build directory, and over the testbed that they run in. Raises RunFailed if a
    program is missing."""
    try:
        return store.digest_of([*(pathlib.Path(build) / name for name in names), *testbed_sources()])
    except OSError as error:
        raise RunFailed(f"{error.filename} is missing: build the project first") from error
