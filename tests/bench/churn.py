#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Viewers that are killed and come again: what stays of them in the sender that listens, on the loopback interface.

    GST_PLUGIN_PATH_1_0=build/gst churn.py [--build DIR] [--viewers N] [--seconds S] [--every S]

All viewers are killed at once, say nothing, and call again from other ports. Prints the sender's resident memory and open
files, at first when the first callers have been given up, and what each caller after that has left behind.
"""

import argparse
import pathlib
import subprocess
import tempfile
import time

BYTES_PER_S, PAYLOAD, RATE_BPS, PORT = 80000, 1316, 640000, 21000
SETTLED_S = 60  # until as many callers are given up as come


def rss_kib(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(text.split("VmRSS:")[1].split()[0])


def open_files(pid):
    return len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--viewers", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--every", type=float, default=3)
    options = parser.parse_args()
    receiver = pathlib.Path(options.build, "tests", "bench", "bench-scale-receiver")
    with tempfile.TemporaryDirectory() as directory:
        movie = pathlib.Path(directory, "movie.ts")
        movie.write_bytes((b"\x47\x1f\xff\x10" + bytes(184)) * ((options.seconds + SETTLED_S + 10) * BYTES_PER_S // 188))
        sender = subprocess.Popen(
            ["gst-launch-1.0", "-q", "filesrc", f"location={movie}", f"blocksize={PAYLOAD}", "!", "identity", f"datarate={BYTES_PER_S}",
             "!", "video/mpegts,systemstream=true,packetsize=188", "!", "tfrcsink", "mode=listener", "bind-address=127.0.0.1",
             f"port={PORT}", "max-callers=4000"])
        try:
            print("| s | callers so far | RSS, KiB | open files |\n|---|---|---|---|", flush=True)
            start, callers, said_s, first = time.monotonic(), 0, 0, None
            while sender.poll() is None and time.monotonic() < start + SETTLED_S + options.seconds:
                viewers = subprocess.Popen([receiver, "call", str(RATE_BPS), "50", str(options.viewers), "127.0.0.1"],
                                           stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
                time.sleep(options.every)
                viewers.kill()
                viewers.wait()
                callers += options.viewers
                elapsed_s = time.monotonic() - start
                row = callers, rss_kib(sender.pid), open_files(sender.pid)
                if first is None and elapsed_s >= SETTLED_S:
                    first = row
                if elapsed_s >= said_s:
                    print(f"| {elapsed_s:.0f} | {row[0]} | {row[1]} | {row[2]} |", flush=True)
                    said_s += 30
            if sender.poll() is not None:
                raise SystemExit("the sender has ended")
        finally:
            sender.kill()
            sender.wait()
    print(f"\n{row[0] - first[0]} callers left {1024 * (row[1] - first[1]) / (row[0] - first[0]):.1f} bytes each, "
          f"and {row[2] - first[2]} open files.")


if __name__ == "__main__":
    main()
