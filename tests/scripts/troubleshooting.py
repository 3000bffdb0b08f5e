# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that the messages in docs/troubleshooting.md are those of the code: troubleshooting.py PAGE ROOT.

A message of the page is a code span, or a line of a code block without a language, that begins with
a capital letter and has four words or more. It may end with "…". A part of it must stand in a
string of the sources in gst or tools, or fit a string with conversions such as %s. Messages of the system and
of GStreamer, which follow ours or stand alone, are listed below.
"""

import pathlib
import re
import sys

OF_OTHERS = ("No such element or plugin",)
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"(?:\s*(?:G_G\w+_FORMAT|GST_TIME_FORMAT)?\s*"(?:\\.|[^"\\\n])*")*')
CONVERSION = re.compile(r"%[-0-9.]*[a-zA-Z]*")
LEAST_LETTERS = 8  # of a string that are not conversions, such as those of "No keys: %s"


def messages_of(page):
    """Each message that the page quotes."""
    blocks = re.findall(r"^```\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    quoted = [line for block in blocks for line in block.splitlines()]
    quoted += [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]
    return [text for text in quoted if re.match(r"[A-Z][a-z]|%u ", text) and len(text.split()) > 3]


def strings_of(root):
    """Each string of the sources, with neighbouring literals joined."""
    for path in sorted(path for folder in ("gst", "tools") for path in pathlib.Path(root, folder).rglob("*.c")):
        for literal in LITERAL.finditer(path.read_text(encoding="utf-8")):
            pieces = re.findall(r'"((?:\\.|[^"\\\n])*)"', literal[0])
            yield "".join(pieces).replace('\\"', '"')


def is_of(message, string):
    """Whether the message is this string, or begins so. Its conversions stand for any text."""
    begin = message.rstrip("….: ")
    if len(begin) >= LEAST_LETTERS and begin in string:
        return True
    fixed = CONVERSION.split(string)
    return sum(map(len, fixed)) >= LEAST_LETTERS and re.match(".*".join(map(re.escape, fixed)), message) is not None


def main(page, root):
    messages = messages_of(pathlib.Path(page).read_text(encoding="utf-8"))
    strings = list(strings_of(root))
    wrong = [message for message in messages
             if not message.startswith(OF_OTHERS) and not any(is_of(message, string) for string in strings)]
    print("\n".join(f"no element prints: {message}" for message in wrong) or f"{len(messages)} messages are as they are printed")
    return 1 if wrong or not messages else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
