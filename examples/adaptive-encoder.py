#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""adaptive-encoder.py HOST PORT [SECONDS]: encodes a test picture live with x264enc and sends it with
tfrcsink, for SECONDS or until Ctrl+C. The encoder's bitrate follows what the network allows."""

import signal
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst

# The part of the rate that the encoder gets. The rest is for what the encoder does not count: the
# transport stream's own packets, and frames that are larger than planned.
ENCODER_SHARE = 0.9

# The limits of what the encoder can do with this picture, in kbit/s
MIN_KBPS, MAX_KBPS = 100, 8000

MIN_CHANGE = 0.05

# "vbv-buf-capacity" keeps the frames near the bitrate: the encoder may be ahead by this time.
PIPELINE = """videotestsrc name=source is-live=true !
    video/x-raw,width=640,height=360,framerate=30/1 !
    x264enc name=encoder tune=zerolatency speed-preset=ultrafast key-int-max=60
    bitrate=500 vbv-buf-capacity=100 ! h264parse ! mpegtsmux alignment=7 ! queue !
    tfrcsink name=sink max-queue-time=1000"""


def on_estimated_bitrate(sink, _property, encoder):
    """Called in a thread of GStreamer, ten times a second at most. x264enc takes a new bitrate while
    it runs, but each change costs quality, so small changes are left out."""
    estimate, old = sink.get_property("estimated-bitrate"), encoder.get_property("bitrate")
    if estimate == 0:
        return
    kbps = min(max(ENCODER_SHARE * estimate / 1000, MIN_KBPS), MAX_KBPS)
    if abs(kbps - old) < MIN_CHANGE * old:
        return
    encoder.set_property("bitrate", int(kbps))
    print(f"the network allows {estimate // 1000} kbit/s, the encoder gets {int(kbps)}", flush=True)


def on_message(_bus, message, loop, result):
    if message.type == Gst.MessageType.ELEMENT:
        structure = message.get_structure()
        if structure.get_name() == "tfrc-peer-state":
            print("the receiver is", structure.get_value("state"), flush=True)
    elif message.type == Gst.MessageType.ERROR:
        print("error:", message.parse_error()[0].message, file=sys.stderr)
        result.append(1)
        loop.quit()
    elif message.type == Gst.MessageType.EOS:
        loop.quit()


def make_pipeline(host, port):
    pipeline = Gst.parse_launch(PIPELINE)
    sink = pipeline.get_by_name("sink")
    sink.set_property("host", host)
    sink.set_property("port", int(port))
    sink.connect("notify::estimated-bitrate", on_estimated_bitrate, pipeline.get_by_name("encoder"))
    return pipeline


def main(host, port, seconds=None):
    if not port.isdecimal() or not 1 <= int(port) <= 65535:
        sys.exit("error: the port is a number from 1 to 65535")
    if seconds is not None and (not seconds.isdecimal() or int(seconds) < 1):
        sys.exit("error: the seconds are a number from 1 on")
    Gst.init(None)
    pipeline = make_pipeline(host, port)
    loop, result = GLib.MainLoop(), []
    bus = pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message", on_message, loop, result)

    def end_stream():
        # The end of the stream goes through the pipeline, so that tfrcsink tells the receiver. The event
        # goes to the source and not to the pipeline: send_event() holds its element's state lock while it
        # waits for the streaming thread. That thread may wait in the sink for the pipeline to play, and
        # the change to PLAYING takes the pipeline's state lock.
        pipeline.get_by_name("source").send_event(Gst.Event.new_eos())

    for number in (signal.SIGINT, signal.SIGTERM):
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, number, end_stream)
    if seconds:
        GLib.timeout_add_seconds(int(seconds), end_stream)
    pipeline.set_state(Gst.State.PLAYING)
    loop.run()

    stats = pipeline.get_by_name("sink").get_property("stats")
    print(f"{stats.get_value('packets-sent')} packets sent, {stats.get_value('packets-lost')} lost,",
          f"{stats.get_value('packets-dropped')} dropped,",
          f"99 % waited at most {stats.get_value('sender-delay-p99') // Gst.MSECOND} ms")
    pipeline.set_state(Gst.State.NULL)
    return 1 if result else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: adaptive-encoder.py HOST PORT [SECONDS]")
    sys.exit(main(*sys.argv[1:]))
