#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tests that a change needs: changed-tests.py BUILD_DIRECTORY REVISION prints their names, one a line.

The change is what differs from the revision, in the index, in the work tree and in files that git does not
know yet. tests/folders.txt says which tests a file needs. A file that no line there names needs all.
"""

import fnmatch
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests/folders.txt"
# Of 'meson test', which leaves out the suite 'packages' otherwise, also where a test is named
MESON_OPTIONS = ["--setup", "everything"]
COSTLY = "packages"  # a suite whose tests build for minutes, and are needed where the table has their names
ALWAYS = "*"  # the line of the table that holds for every change, and says what is quick and looks at all files


def read_table(text):
    """[(path with which those of the files begin, the words behind it)], and the words of the line ALWAYS."""
    rows, always = [], []
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if words and words[0] == ALWAYS:
            always = words[1:]
        elif words:
            rows.append((words[0], words[1:]))
    return rows, always


def select(words, tests):
    """The names of the tests, a dictionary name -> suites, that the words choose: names and globs of names, suites behind
    an @; a word behind a ! takes its tests away again. A glob chooses none of the suite COSTLY."""
    chosen = set()
    for word in words:
        pattern = word.lstrip("!")
        if pattern.startswith("@"):
            found = {name for name, suites in tests.items() if pattern[1:] in suites}
        else:
            found = {name for name in fnmatch.filter(tests, pattern) if name == pattern or COSTLY not in tests[name]}
        chosen = chosen - found if word.startswith("!") else chosen | found
    return chosen


def needed(path, rows, tests):
    """The tests that a change of the file needs."""
    script = re.fullmatch(r"tests/scripts/([a-z0-9-]+)\.\w+", path)
    if script and script[1] in tests:
        return {script[1]}
    matching = [row for row in rows if path.startswith(row[0])]
    if not matching:
        return select("*", tests)
    return select(max(matching, key=lambda row: len(row[0]))[1], tests)


def needed_by(paths, table, tests):
    rows, always = read_table(table)
    chosen = select(always, tests)
    for path in paths:
        chosen |= needed(path, rows, tests)
    return chosen


def changed_files(revision):
    def git(*arguments):
        return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True).stdout.split("\0")
    names = git("diff", "--name-only", "--no-renames", "-z", revision) + git("ls-files", "--others", "--exclude-standard", "-z")
    return sorted(filter(None, names))


def parse_list(text):
    """name -> suites, from the lines 'project:suite+suite / name' of 'meson test --list'"""
    found = re.findall(r"^[^:\n]+:(\S+) / (\S+)$", text, re.MULTILINE)
    return {name: suites.split("+") for suites, name in found}


def list_tests(build):
    """name -> suites, of all tests of the build directory"""
    command = ["meson", "test", "-C", build, "--no-rebuild", "--list", *MESON_OPTIONS]
    return parse_list(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.splitlines()[0])
    print(*sorted(needed_by(changed_files(sys.argv[2]), TABLE.read_text(), list_tests(sys.argv[1]))), sep="\n")


if __name__ == "__main__":
    main()
