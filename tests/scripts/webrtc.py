# SPDX-License-Identifier: LGPL-2.1-or-later
"""A call between two webrtcbin as a page has it: webrtc.py PAGE

The two blocks of Python in PAGE are those of an application that sends and of one that receives. Both run here, in one
process, between the host's own addresses. Waits until the estimate of rtptfrcbwe has risen above its start and the
encoder has it, and prints it.
"""

import pathlib
import re
import sys
import threading

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import Gst, GstWebRTC

# Only ends waits that would last for ever.
LIMIT_S = 120


class Call:
    """What has become of the call, for any thread. It ends with a result or with what has gone wrong."""

    def __init__(self):
        self._ended = threading.Event()
        self._result, self._failure = None, None

    def succeed(self, result):
        self._result = self._result or result
        self._ended.set()

    def fail(self, reason):
        self._failure = self._failure or reason
        self._ended.set()

    def wait(self, what):
        assert self._ended.wait(LIMIT_S), f"never: {what}"
        assert self._failure is None, self._failure
        return self._result


def negotiate(caller, callee):
    """The caller offers, the callee answers, and each hears the other's candidates."""

    def when_made(kind, by, of):
        def take(promise):
            promise.wait()
            reply = promise.get_reply()  # owns the description
            description = reply.get_value(kind)
            by.emit("set-local-description", description, Gst.Promise.new())
            of.emit("set-remote-description", description, Gst.Promise.new())
            if kind == "offer":
                of.emit("create-answer", None, when_made("answer", of, by))
        return Gst.Promise.new_with_change_func(take)

    for one, other in ((caller, callee), (callee, caller)):
        one.connect("on-ice-candidate", lambda _, index, text, other=other: other.emit("add-ice-candidate", index, text))
    caller.connect("on-negotiation-needed", lambda _: caller.emit("create-offer", None, when_made("offer", caller, callee)))


def watch_errors(pipeline, call):
    def on_message(_, message):
        if message.type == Gst.MessageType.ERROR:
            call.fail(": ".join(map(str, message.parse_error())))
        return Gst.BusSyncReply.DROP

    pipeline.get_bus().set_sync_handler(on_message)


def watch_estimates(pipeline, encoder, call):
    """Until the estimate is above its start, and the encoder has it. The application's handler is connected before this one."""

    def on_estimate(estimator, _):
        rate = estimator.get_property("estimated-bitrate")
        if rate > start and encoder.get_property("bitrate") == rate // 1000:
            call.succeed((start, rate))

    def on_element(_, __, element):
        factory = element.get_factory()  # None: of a class of webrtcbin's own
        if factory and factory.get_name() == "rtptfrcbwe":
            element.connect("notify::estimated-bitrate", on_estimate)

    start = Gst.ElementFactory.make("rtptfrcbwe").get_property("estimated-bitrate")
    pipeline.connect("deep-element-added", on_element)


def play_to_nowhere(webrtc, pad):
    sink = Gst.ElementFactory.make("fakesink")
    webrtc.get_parent().add(sink)
    sink.sync_state_with_parent()
    pad.link(sink.get_static_pad("sink"))


def main(page):
    Gst.init(None)
    text = pathlib.Path(page).read_text(encoding="utf-8")
    of_sender, of_receiver = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    receiving, callee, call = Gst.Pipeline(), Gst.ElementFactory.make("webrtcbin"), Call()
    callee.set_property("bundle-policy", GstWebRTC.WebRTCBundlePolicy.MAX_BUNDLE)
    callee.connect("pad-added", play_to_nowhere)
    receiving.add(callee)
    names = {"Gst": Gst, "GstWebRTC": GstWebRTC, "webrtc": callee}
    exec(of_sender, names)  # makes 'pipeline' and 'encoder'
    exec(of_receiver, names)
    sending = names["pipeline"]

    watch_estimates(sending, names["encoder"], call)
    negotiate(sending.get_by_name("webrtc"), callee)
    for pipeline in (receiving, sending):
        watch_errors(pipeline, call)
        pipeline.set_state(Gst.State.PLAYING)
    start, rate = call.wait("an estimate above its start, which the encoder has")
    print(f"the estimate has risen from {start} to {rate} bit/s")
    for pipeline in (sending, receiving):
        pipeline.set_state(Gst.State.NULL)


main(sys.argv[1])
