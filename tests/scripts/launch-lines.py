# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parses every gst-launch-1.0 line in files: launch-lines.py PARSER FILE...

Lines stand in code blocks of Markdown, or between |[ and ]| in the documentation of an element.
They may go on after a backslash. PARSER is the program made of parse-launch.c. Exit status: 0 all
lines parse; 1 a line does not; 77 the only lines that do not parse need elements that are not
installed.
"""

import re
import shlex
import subprocess
import sys

CODE = re.compile(r"^\s*```.*?\n(.*?)^\s*```|\|\[(.*?)\]\|", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^ ?\*(?: |$)", re.MULTILINE)
PLUGINS_OF_THE_PROJECT = ("tfrcsink", "tfrcsrc", "rtptfrcbwe")


def commands(text):
    """Each gst-launch-1.0 command in the code of a document, on one line."""
    for block in CODE.finditer(text):
        code = COMMENT.sub("", block.group(1) or block.group(2)).replace("\\\n", " ")
        yield from (line.strip() for line in code.splitlines() if "gst-launch-1.0 " in line)


def pipeline(command):
    """The part of a command after the options of gst-launch-1.0, up to a pipe, a redirection or the
    next command."""
    words = shlex.shlex(command, posix=True, punctuation_chars="|&;<>")
    words.whitespace_split = True
    words = list(words)
    words = words[words.index("gst-launch-1.0") + 1 :]
    end = next((n for n, word in enumerate(words) if set(word) <= set("|&;<>")), len(words))
    words = words[:end]
    while words and words[0].startswith("-"):
        words.pop(0)
    return words


def main(parser, files):
    outcomes = {0: 0, 1: 0, 77: 0}
    for path in files:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for command in commands(text):
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
    sys.exit(main(sys.argv[1], sys.argv[2:]))
