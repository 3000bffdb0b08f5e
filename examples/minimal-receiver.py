#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""minimal-receiver.py PORT FILE.ts: records a stream with tfrcsrc until its end, or until
Ctrl+C."""

import signal
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst


def on_message(bus, message, loop, result):
    """The messages of tfrcsrc; docs/messages.md lists all of them."""
    if message.type == Gst.MessageType.ELEMENT:
        structure = message.get_structure()
        if structure.get_name() == "tfrc-sender":
            print(f"the sender is {structure.get_value('sender')}, {structure.get_value('state')}", flush=True)
        elif structure.get_name() == "tfrc-security":
            print("keys:", structure.get_value("state"), flush=True)
        elif structure.get_name() == "tfrc-stats":
            print(f"X_recv {structure.get_value('receive-rate') / 1e3:.0f} kbit/s,",
                  f"IPLR {structure.get_value('loss-ratio'):.4f},",
                  f"R {structure.get_value('rtt') / 1e6:.1f} ms", flush=True)
    elif message.type == Gst.MessageType.WARNING:
        print("warning:", message.parse_warning()[0].message, file=sys.stderr)
    elif message.type == Gst.MessageType.ERROR:
        print("error:", message.parse_error()[0].message, file=sys.stderr)
        result.append(1)
        loop.quit()
    elif message.type == Gst.MessageType.EOS:
        # The sender has ended the stream.
        loop.quit()


def main(port, file):
    if not port.isdecimal() or not 0 <= int(port) <= 65535:
        sys.exit("error: the port is a number from 0 to 65535")
    Gst.init(None)
    pipeline = Gst.parse_launch("tfrcsrc name=source stats-update-interval=1000 ! filesink name=sink")
    source = pipeline.get_by_name("source")
    source.set_property("port", int(port))
    pipeline.get_by_name("sink").set_property("location", file)

    loop, result = GLib.MainLoop(), []
    bus = pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message", on_message, loop, result)
    # The end of the stream goes through the pipeline, so that the file is complete. The event goes
    # to the source and not to the pipeline: send_event() holds its element's state lock while it waits
    # for the streaming thread. That thread may wait in the sink for the pipeline to play, and the change
    # to PLAYING takes the pipeline's state lock.
    for number in (signal.SIGINT, signal.SIGTERM):
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, number, lambda: source.send_event(Gst.Event.new_eos()))
    pipeline.set_state(Gst.State.PLAYING)
    print("receiving on port", source.get_property("port"), flush=True)
    loop.run()

    # The property can be read at any time.
    stats = source.get_property("stats")
    print(stats.get_value("packets-received"), "packets received,", stats.get_value("packets-lost"), "lost")
    pipeline.set_state(Gst.State.NULL)
    return 1 if result else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: minimal-receiver.py PORT FILE.ts")
    sys.exit(main(*sys.argv[1:]))
