#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the seeds of tests/fuzz/fuzz_serverplaylist.c to tests/fuzz/corpus/serverplaylist: playlists that are
played, and one of each kind that is refused."""
import pathlib

HEAD = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n"
END = "#EXT-X-ENDLIST\n"


def segment(name):
    return f"#EXTINF:4,\n{name}\n"


def main():
    seeds = {
        "complete": HEAD + segment("film0.ts") + segment("film1.ts") + END,
        "lines-of-windows": (HEAD + "#EXT-X-KEY:METHOD=NONE\n" + segment("a%20b.ts") + segment("100%.ts") + END).replace("\n", "\r\n"),
        "leaves-the-folder": HEAD + segment("..%2fa.ts") + END,
        "renditions": HEAD + "#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n",
        "encrypted": HEAD + '#EXT-X-KEY:METHOD=AES-128,URI="k"\n' + segment("a.ts") + END,
        "parts": HEAD + "#EXTINF:4,\n#EXT-X-BYTERANGE:100@0\na.ts\n" + END,
        "fragments": HEAD + '#EXT-X-MAP:URI="init.mp4"\n' + segment("a.m4s") + END,
        "not-complete": HEAD + segment("a.ts"),
        "without-duration": HEAD + "a.ts\n" + END,
        "empty": "",
        "zero-byte": HEAD + "\0" + segment("a.ts") + END,
    }
    folder = pathlib.Path(__file__).parent / "corpus" / "serverplaylist"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in seeds.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
