#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""receiver.py PORT REPORTS_HOST REPORTS_PORT FILE REPORTS_MS [MS]: receives a movie with GStreamer's rtpbin.

Writes the transport stream to FILE until SIGINT. Sends RTCP to REPORTS_HOST:REPORTS_PORT, with the
least interval REPORTS_MS, which RFC 3550 sets to 5000 and varies by a half. With MS, the receiver sends
transport-wide feedback every MS milliseconds besides its receiver reports."""

import signal
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst

EXTENSION = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
CAPS = "application/x-rtp,media=video,clock-rate=90000,encoding-name=MP2T,payload=33"
FEEDBACK_CAPS = f"{CAPS},extmap-3=(string){EXTENSION},rtcp-fb-transport-cc=true"


def describe(port, host, reports_port, path, feedback_ms):
    caps = FEEDBACK_CAPS if feedback_ms else CAPS
    profile = "rtp-profile=avpf" if feedback_ms else ""
    return (f'rtpbin name=bin {profile} udpsrc port={port} caps="{caps}" ! bin.recv_rtp_sink_0 '
            f'bin. ! rtpmp2tdepay ! filesink location="{path}" async=false '
            f"bin.send_rtcp_src_0 ! udpsink host={host} port={reports_port} sync=false async=false")


def main(port, host, reports_port, path, reports_ms, feedback_ms=0):
    Gst.init(None)
    pipeline = Gst.parse_launch(describe(port, host, reports_port, path, feedback_ms))
    session = pipeline.get_by_name("bin").emit("get-internal-session", 0)
    session.set_property("rtcp-min-interval", reports_ms * Gst.MSECOND)
    if feedback_ms:
        # An rtpbin without this sends feedback once in hundreds of packets of a transport stream.
        session.set_property("twcc-feedback-interval", feedback_ms * Gst.MSECOND)
    loop = GLib.MainLoop()
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGINT, loop.quit)
    pipeline.set_state(Gst.State.PLAYING)
    loop.run()
    pipeline.send_event(Gst.Event.new_eos())
    message = pipeline.get_bus().timed_pop_filtered(5 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message and message.type == Gst.MessageType.ERROR:
        sys.exit(message.parse_error().gerror.message)


if __name__ == "__main__":
    if len(sys.argv) not in (6, 7):
        sys.exit(__doc__)
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4], *map(int, sys.argv[5:]))
