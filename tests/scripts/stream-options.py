# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the options that programs have, by --help, with their man pages, and with their completions where
there are some: stream-options.py DIRECTORY ROOT PROGRAM...

DIRECTORY has the programs.
"""

import pathlib
import re
import subprocess
import sys

# Shown by --help as well, but of GStreamer's library
NOT_OURS = {"--help-all", "--help-gst"}
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-[a-z?])(?![\w-])")


def of_help(program):
    """The options in the lines of --help that begin with one."""
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    found = set()
    for line in re.findall(r"^  (-.*)$", text, re.M):
        names = re.match(r"(?:-\S, )?--[a-z-]+", line)[0]
        found.update(OPTION.findall(names))
    return found - NOT_OURS


def of_man_page(path):
    """The options in the first line of each paragraph of the section OPTIONS."""
    section = re.search(r"^\.SH OPTIONS\n(.*?)^\.SH ", path.read_text(), re.M | re.S)[1]
    heads = re.findall(r"^\.TP\n\.BR? (.*)$", section.replace("\\-", "-"), re.M)
    return {option for head in heads for option in OPTION.findall(head)}


def of_completion(path):
    """The options that the completion offers."""
    return set(OPTION.findall(re.search(r'options="(.*?)"', path.read_text(), re.S)[1]))


def main(directory, root, *programs):
    wrong = 0
    for name in programs:
        expected = of_help(pathlib.Path(directory, name))
        assert {"--help", "-h"} <= expected, expected
        known = {"man page": of_man_page(pathlib.Path(root, "man", f"{name}.1"))}
        completion = pathlib.Path(root, "completions", name)
        if completion.exists():
            known["completion"] = of_completion(completion)
        for what, found in known.items():
            if found != expected:
                print(f"{what} of {name}: missing {sorted(expected - found)}, too many {sorted(found - expected)}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
