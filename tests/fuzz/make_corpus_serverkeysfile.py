#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the seeds of tests/fuzz/fuzz_serverkeysfile.c to tests/fuzz/corpus/serverkeysfile: files of passphrases that
are taken, and one of each kind that is refused."""
import pathlib


def main():
    seeds = {
        "movies-and-users": "# of the cinema\nfilm : a passphrase for it\n\nalice@film : another passphrase\n"
                            "bob@* : for every movie of bob\n* : for all the others\n",
        "lines-of-windows": "\tfilm.ts\t:\tbetween tabs, yes\r\nother : of windows lines\r\n",
        "colons": "a:b c : colons : in the passphrase\n",
        "renditions": "film : of the whole movie\nalice@film.720p.ts : of one rendition\n",
        "no-user": "@film : a passphrase of nobody\n",
        "user-without-movie": "alice@ : a passphrase of nothing\n",
        "leaves-the-folder": "../film : a passphrase of elsewhere\n",
        "twice": "film : a passphrase\nfilm : a second passphrase\n",
        "no-colon": "film a passphrase\n",
        "too-short": "film : short\n",
        "too-long": "film : " + 80 * "a" + "\n",
        "zero-byte": "film : a passphrase\0film : x\n",
        "empty": "",
    }
    folder = pathlib.Path(__file__).parent / "corpus" / "serverkeysfile"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in seeds.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
