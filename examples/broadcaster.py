#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""broadcaster.py MOVIE.ts PORT: streams a movie to all receivers that call, and prints the
statistics of each."""

import sys
import warnings

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

# PyGObject calls the only form of arrays deprecated that it has without the package python3-gst-1.0.
warnings.filterwarnings("ignore", message="GObject.ValueArray", category=DeprecationWarning)


def print_stats(stats):
    """docs/statistics.md has all fields."""
    callers = stats.get_array("callers")[1]
    print("port", stats.get_value("local-port"), "has", callers.n_values, "receivers", flush=True)
    for i in range(callers.n_values):
        s = callers.get_nth(i)
        print(f"  {s.get_value('peer-address')}: {s.get_value('packets-sent')} packets,",
              f"{s.get_value('packets-lost')} lost, R {s.get_value('rtt') / 1e6:.1f} ms", flush=True)


def main(movie, port):
    if not port.isdecimal() or not 1 <= int(port) <= 65535:
        sys.exit("error: the port is a number from 1 to 65535")
    Gst.init(None)
    pipeline = Gst.parse_launch("filesrc name=source ! tsparse alignment=7 set-timestamps=true ! "
                                "tfrcsink name=sink mode=listener stats-update-interval=1000")
    pipeline.get_by_name("source").set_property("location", movie)
    pipeline.get_by_name("sink").set_property("port", int(port))
    pipeline.set_state(Gst.State.PLAYING)
    wanted = Gst.MessageType.ELEMENT | Gst.MessageType.ERROR | Gst.MessageType.EOS
    while True:
        message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, wanted)
        if message.type != Gst.MessageType.ELEMENT:
            break
        if message.has_name("tfrc-stats"):
            print_stats(message.get_structure())
    pipeline.set_state(Gst.State.NULL)
    return f"error: {message.parse_error()[0].message}" if message.type == Gst.MessageType.ERROR else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: broadcaster.py MOVIE.ts PORT")
    sys.exit(main(*sys.argv[1:]))
