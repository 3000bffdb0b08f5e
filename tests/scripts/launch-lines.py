# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parses every line of gst-launch-1.0, tfrc-send and tfrc-recv in files: launch-lines.py PARSER PROGRAMS FILE...

Lines stand in code blocks of Markdown, or between |[ and ]| in the documentation of an element.
They may go on after a backslash. PARSER is the program made of parse-launch.c, and PROGRAMS the directory
with tfrc-send and tfrc-recv, which find no elements here: what they say first is whether the arguments are
right. A shell reads each line as well, which refuses, for example, parentheses without quotation marks. Exit status: 0 all lines parse; 1 a line does not; 77 the only lines that do not parse need elements
that are not installed.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

CODE = re.compile(r"^\s*```.*?\n(.*?)^\s*```|\|\[(.*?)\]\|", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^ ?\*(?: |$)", re.MULTILINE)
PLUGINS_OF_THE_PROJECT = ("tfrcsink", "tfrcsrc", "rtptfrcbwe")
PROGRAMS = ("tfrc-send", "tfrc-recv")
WRONG_ARGUMENTS = 2  # status of these programs


def commands(text, name):
    """Each command of this program in the code of a document, on one line."""
    for block in CODE.finditer(text):
        code = COMMENT.sub("", block.group(1) or block.group(2)).replace("\\\n", " ")
        yield from (line.strip() for line in code.splitlines() if re.search(rf"(?:^|\s){name} ", line))


def arguments(command, name):
    """The part of a command after the program's name, up to a pipe, a redirection or the next command."""
    words = shlex.shlex(command, posix=True, punctuation_chars="|&;<>")
    words.whitespace_split = True
    words = list(words)
    words = words[words.index(name) + 1 :]
    end = next((n for n, word in enumerate(words) if set(word) <= set("|&;<>")), len(words))
    return words[:end]


def refusals(programs, text):
    """Yields (command, reason) for commands with wrong arguments."""
    nothing = {f"GST_PLUGIN{kind}_PATH{version}": "" for kind in ("", "_SYSTEM") for version in ("", "_1_0")}
    nothing["GST_REGISTRY_1_0"] = os.environ["GST_REGISTRY_1_0"] + ".none"
    for name in PROGRAMS:
        for command in commands(text, name):
            result = subprocess.run([pathlib.Path(programs, name), *arguments(command, name)], env=os.environ | nothing,
                                    stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            if result.returncode == WRONG_ARGUMENTS:
                yield command, result.stderr.strip()


def unreadable(text):
    """Yields (command, reason) for commands that a shell cannot read."""
    for name in ("gst-launch-1.0", *PROGRAMS):
        for command in commands(text, name):
            result = subprocess.run(["sh", "-n", "-c", command], capture_output=True, text=True, check=False)
            if result.returncode:
                yield command, result.stderr.strip()


def pipeline(command):
    """The elements of a command of gst-launch-1.0, behind its options."""
    words = arguments(command, "gst-launch-1.0")
    while words and words[0].startswith("-"):
        words.pop(0)
    return words


def main(parser, programs, files):
    outcomes = {0: 0, 1: 0, 77: 0}
    for path in files:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for command, reason in (*unreadable(text), *refusals(programs, text)):
            outcomes[1] += 1
            print(f"{path}: FAILED: {command}\n    {reason}")
        for command in commands(text, "gst-launch-1.0"):
            result = subprocess.run([parser, *pipeline(command)], capture_output=True, text=True, check=False)
            reason = result.stdout.strip()
            outcome = result.returncode if result.returncode in outcomes else 1
            if outcome == 77 and any(name in reason for name in PLUGINS_OF_THE_PROJECT):
                outcome = 1
            outcomes[outcome] += 1
            if outcome:
                print(f"{path}: {'skipped' if outcome == 77 else 'FAILED'}: {command}\n    {reason or result.stderr}")
    print(f"{outcomes[0]} lines parse, {outcomes[1]} do not, {outcomes[77]} skipped")
    if outcomes[1] or not any(outcomes.values()):
        return 1
    return 0 if outcomes[0] else 77


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3], sys.argv[3:]))
