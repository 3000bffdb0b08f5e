#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""peer.py send [ELEMENT [PROPERTY=VALUE...]] | receive: one end of a call between two webrtcbin.
peer.py check ELEMENT [PROPERTY=VALUE...]: is there such an estimator?

The ends talk by lines of JSON on standard input and output. The sender encodes a test picture with
x264enc at the rate that ELEMENT (rtptfrcbwe, rtpgccbwe) estimates, or at a fixed rate without an
element. On SIGINT each prints what it knows of the frames to standard error, as JSON: the
sender [RTP time stamp, time at which the picture was taken], the receiver [RTP time stamp, time at
which the whole picture was there], in seconds of CLOCK_MONOTONIC; the sender also [time, estimate]."""

import collections
import json
import os
import signal
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtp", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstRtp, GstSdp, GstWebRTC

EXTENSION = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
START_KBIT = 300
CAPS = (f"application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96,extmap-1=(string){EXTENSION},"
        "rtcp-fb-transport-cc=(boolean)true")
SENDER = (
    "videotestsrc is-live=true pattern=smpte ! video/x-raw,width=640,height=360,framerate=25/1 ! "
    "queue leaky=downstream max-size-buffers=2 name=before ! "
    f"x264enc name=encoder tune=zerolatency speed-preset=ultrafast key-int-max=100 bitrate={START_KBIT} "
    "vbv-buf-capacity=300 ! rtph264pay name=pay mtu=1200 aggregate-mode=zero-latency ! "
    f"{CAPS} ! webrtcbin name=webrtc bundle-policy=max-bundle latency=0")
RECEIVER = "webrtcbin name=webrtc bundle-policy=max-bundle latency=0"


def say(**what):
    print(json.dumps(what), flush=True)


class Peer:
    def __init__(self, line):
        self.frames, self.estimates = [], []
        self.pipeline = Gst.Pipeline()
        self.pipeline.add(Gst.parse_bin_from_description(line, False))
        self.webrtc = self.pipeline.get_by_name("webrtc")
        self.webrtc.connect("on-ice-candidate", lambda _, index, text: say(candidate=text, index=index))

    def on_line(self, message):
        if "candidate" in message:
            self.webrtc.emit("add-ice-candidate", message["index"], message["candidate"])
            return
        _, sdp = GstSdp.SDPMessage.new_from_text(message["sdp"])
        kind = GstWebRTC.WebRTCSDPType.OFFER if message["type"] == "offer" else GstWebRTC.WebRTCSDPType.ANSWER
        description = GstWebRTC.WebRTCSessionDescription.new(kind, sdp)
        self.webrtc.emit("set-remote-description", description, Gst.Promise.new())
        if kind == GstWebRTC.WebRTCSDPType.OFFER:
            self.webrtc.emit("create-answer", None, Gst.Promise.new_with_change_func(self._on_made, "answer"))

    def offer(self, *_):
        self.webrtc.emit("create-offer", None, Gst.Promise.new_with_change_func(self._on_made, "offer"))

    def _on_made(self, promise, kind):
        promise.wait()
        reply = promise.get_reply()  # owns the description
        description = reply.get_value(kind)
        self.webrtc.emit("set-local-description", description, Gst.Promise.new())
        say(type=kind, sdp=description.sdp.as_text())


def rtp_timestamp(buffer):
    mapped, rtp = GstRtp.RTPBuffer.map(buffer, Gst.MapFlags.READ)
    if not mapped:
        return None, False
    found = rtp.get_timestamp(), rtp.get_marker()
    rtp.unmap()
    return found


def make_estimator(element, properties):
    """Ends the program if there is none. An exception in a handler of webrtcbin would end nothing: the call would go on
    without an estimator."""
    try:
        return Gst.parse_launch(" ".join([element, f"estimated-bitrate={START_KBIT * 1000}", *properties]))
    except GLib.Error as error:
        sys.exit(f"{element}: {error.message}")


def new_sender(element, properties):
    if element:
        make_estimator(element, properties)
    peer = Peer(SENDER)
    encoder = peer.pipeline.get_by_name("encoder")

    def on_estimate(estimator, _):
        bitrate = estimator.get_property("estimated-bitrate")
        peer.estimates.append((time.monotonic(), bitrate))
        encoder.set_property("bitrate", max(1, bitrate // 1000))

    def on_aux(_, __):
        estimator = make_estimator(element, properties)
        estimator.connect("notify::estimated-bitrate", on_estimate)
        return estimator

    taken = {}

    def on_picture(_, info):
        taken[info.get_buffer().pts] = time.monotonic()
        return Gst.PadProbeReturn.OK

    def on_packets(_, info):
        is_list = info.type & Gst.PadProbeType.BUFFER_LIST
        buffer = info.get_buffer_list().get(0) if is_list else info.get_buffer()
        stamp = rtp_timestamp(buffer)[0]
        if buffer.pts in taken:
            peer.frames.append((stamp, taken.pop(buffer.pts)))
        return Gst.PadProbeReturn.OK

    if element:
        peer.webrtc.connect("request-aux-sender", on_aux)
    # x264enc changes the time stamps, and keeps the order.
    encoded = collections.deque()

    def on_raw(_, info):
        encoded.append(taken.pop(info.get_buffer().pts))
        return Gst.PadProbeReturn.OK

    def on_encoded(_, info):
        taken[info.get_buffer().pts] = encoded.popleft()
        return Gst.PadProbeReturn.OK

    both = Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST
    peer.pipeline.get_by_name("before").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, on_picture)
    encoder.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, on_raw)
    encoder.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, on_encoded)
    peer.pipeline.get_by_name("pay").get_static_pad("src").add_probe(both, on_packets)
    peer.webrtc.connect("on-negotiation-needed", peer.offer)
    return peer


def end_on_error(pipeline):
    """A pipeline that has failed sends or takes nothing more, which is no call's figure."""

    def on_error(_, message):
        error, _ = message.parse_error()
        print(f"{message.src.get_name()}: {error.message}", file=sys.stderr, flush=True)
        os._exit(1)

    bus = pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message::error", on_error)


def new_receiver():
    peer = Peer(RECEIVER)

    def on_packet(_, info):
        stamp, is_last = rtp_timestamp(info.get_buffer())
        if is_last:
            peer.frames.append((stamp, time.monotonic()))
        return Gst.PadProbeReturn.OK

    def on_pad(_, pad):
        sink = Gst.ElementFactory.make("fakesink")
        sink.set_property("sync", False)
        peer.webrtc.get_parent().add(sink)
        sink.sync_state_with_parent()
        pad.link(sink.get_static_pad("sink"))
        pad.add_probe(Gst.PadProbeType.BUFFER, on_packet)

    peer.webrtc.connect("pad-added", on_pad)
    # Without this the answer has no extension.
    peer.webrtc.emit("add-transceiver", GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY, Gst.Caps.from_string(CAPS))
    return peer


def read(peer):
    for line in sys.stdin:
        GLib.idle_add(peer.on_line, json.loads(line))


def main(role, element="", *properties):
    Gst.init(None)
    if role == "check":
        make_estimator(element, properties)
        return
    peer = new_sender(element, properties) if role == "send" else new_receiver()
    end_on_error(peer.pipeline)
    loop = GLib.MainLoop()
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGINT, loop.quit)
    threading.Thread(target=read, args=(peer,), daemon=True).start()
    peer.pipeline.set_state(Gst.State.PLAYING)
    loop.run()
    print(json.dumps({"frames": peer.frames, "estimates": peer.estimates}), file=sys.stderr, flush=True)
    os._exit(0)  # a call that has stalled does not hold up the next one


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in ("send", "receive", "check"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
