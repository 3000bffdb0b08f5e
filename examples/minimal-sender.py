#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""minimal-sender.py MOVIE.ts HOST PORT: sends a movie with tfrcsink until its end, or until
Ctrl+C."""

import signal
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst


def on_message(bus, message, loop, result):
    """The messages of tfrcsink; docs/messages.md lists all of them."""
    if message.type == Gst.MessageType.ELEMENT:
        structure = message.get_structure()
        if structure.get_name() == "tfrc-peer-state":
            print("the receiver is", structure.get_value("state"), flush=True)
        elif structure.get_name() == "tfrc-security":
            print("keys:", structure.get_value("state"), flush=True)
        elif structure.get_name() == "tfrc-stats":
            print(f"X {structure.get_value('allowed-rate') / 1e3:.0f} kbit/s,",
                  f"IPLR {structure.get_value('loss-ratio'):.4f},",
                  f"mean sender delay {structure.get_value('sender-delay-mean') / 1e6:.1f} ms", flush=True)
    elif message.type == Gst.MessageType.WARNING:
        print("warning:", message.parse_warning()[0].message, file=sys.stderr)
    elif message.type == Gst.MessageType.ERROR:
        print("error:", message.parse_error()[0].message, file=sys.stderr)
        result.append(1)
        loop.quit()
    elif message.type == Gst.MessageType.EOS:
        # The last packet has left, and the receiver knows that it was the last.
        loop.quit()


def main(movie, host, port):
    if not port.isdecimal() or not 1 <= int(port) <= 65535:
        sys.exit("error: the port is a number from 1 to 65535")
    Gst.init(None)
    pipeline = Gst.parse_launch("filesrc name=source ! tsparse set-timestamps=true alignment=7 ! "
                                "tfrcsink name=sink stats-update-interval=1000")
    source = pipeline.get_by_name("source")
    source.set_property("location", movie)
    sink = pipeline.get_by_name("sink")
    sink.set_property("host", host)
    sink.set_property("port", int(port))

    loop, result = GLib.MainLoop(), []
    bus = pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message", on_message, loop, result)
    # The end of the stream goes through the pipeline, so that tfrcsink tells the receiver. The event goes
    # to the source and not to the pipeline: send_event() holds its element's state lock while it waits
    # for the streaming thread. That thread may wait in the sink for the pipeline to play, and the change
    # to PLAYING takes the pipeline's state lock.
    for number in (signal.SIGINT, signal.SIGTERM):
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, number, lambda: source.send_event(Gst.Event.new_eos()))
    pipeline.set_state(Gst.State.PLAYING)
    loop.run()

    # The property can be read at any time.
    stats = sink.get_property("stats")
    print(stats.get_value("packets-sent"), "packets sent,", stats.get_value("packets-lost"), "lost,",
          stats.get_value("packets-dropped"), "dropped")
    pipeline.set_state(Gst.State.NULL)
    return 1 if result else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: minimal-sender.py MOVIE.ts HOST PORT")
    sys.exit(main(*sys.argv[1:]))
