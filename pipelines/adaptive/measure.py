#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""measure.py HOST PORT NAMESPACE DEVICE OUTPUT.csv: runs examples/adaptive-encoder.py, changes the rate
of the token bucket on DEVICE in NAMESPACE from 4 to 1 and back to 4 Mbit/s, writes ten samples a
second, and prints what the encoder did. pipelines/adaptive-demo.sh makes the network."""

import csv
import importlib.util
import json
import pathlib
import subprocess
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "adaptive-encoder.py"

# Seconds after the start, and the rate from then on. The bucket counts Ethernet frames.
CHANGES = [(15, 1_000_000), (30, 4_000_000)]
END_S = 45
STEP_S = 0.1
PAYLOAD_SHARE = 1316 / (1316 + 12 + 20 + 8 + 20 + 14)

# After a fall the encoder follows when it makes no more than the link takes; after a rise, when it
# makes this part of what the link takes.
RISEN = 0.7

RATES = ["allowed-rate", "send-rate", "equation-rate", "receive-limit", "queue-guard-limit"]
FIELDS = ["time", "link", "estimate", "encoder", "queue-ms", "rtt-ms", "dropped", "lost", *RATES]


def load_example():
    spec = importlib.util.spec_from_file_location("adaptive_encoder", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def set_rate(namespace, device, rate):
    """A change of the token bucket gives its limit to the queue inside, so the queue is set again."""
    change = ["ip", "netns", "exec", namespace, "tc", "qdisc", "change", "dev", device]
    bucket = ["root", "handle", "1:", "tbf", "rate", str(rate), "burst", "3000", "limit", "10000000"]
    subprocess.run(change + bucket, check=True)
    subprocess.run(change + ["parent", "1:1", "handle", "10:", "pfifo", "limit", "50"], check=True)


def sample(pipeline, at_s, link):
    sink, encoder = pipeline.get_by_name("sink"), pipeline.get_by_name("encoder")
    stats = sink.get_property("stats")
    return {"time": round(at_s, 2), "link": link, "estimate": sink.get_property("estimated-bitrate") // 1000,
            "encoder": encoder.get_property("bitrate"),
            "queue-ms": stats.get_value("queue-time") // Gst.MSECOND,
            "rtt-ms": stats.get_value("rtt") // Gst.MSECOND,
            "dropped": stats.get_value("packets-dropped"), "lost": stats.get_value("packets-lost"),
            **{name: int(stats.get_value(name) // 1000) for name in RATES}}


def check_runs(pipeline):
    """A pipeline that has failed sends nothing more, and its last bitrate is no answer to a change."""
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR | Gst.MessageType.EOS)
    if message and message.type == Gst.MessageType.ERROR:
        sys.exit(f"{message.src.get_name()}: {message.parse_error()[0].message}")
    if message:
        sys.exit("the pipeline has ended before its time")


def play(pipeline, namespace, device):
    """Returns the samples of a run."""
    samples, changes, link = [], list(CHANGES), 4000
    start_s = time.monotonic()
    while (now_s := time.monotonic() - start_s) < END_S:
        if changes and now_s >= changes[0][0]:
            rate = changes.pop(0)[1]
            set_rate(namespace, device, rate)
            link = rate // 1000
        check_runs(pipeline)
        samples.append(sample(pipeline, now_s, link))
        time.sleep(STEP_S)
    return samples


def follows_after(samples, change_s, next_s, rate):
    """Returns how long after a change the encoder's bitrate has followed; None: not until the next
    change. After a fall it has to stay there for the rest of the first 3 s; a rise it has followed
    once it is there."""
    share = rate / 1000 * PAYLOAD_SHARE
    before = [s for s in samples if s["time"] < change_s][-1]["link"]
    falls = rate / 1000 < before
    follows = None
    for s in samples:
        if change_s <= s["time"] < next_s:
            good = s["encoder"] <= share if falls else s["encoder"] >= RISEN * share
            if good and follows is None:
                follows = round(s["time"] - change_s, 1)
            elif falls and not good and s["time"] - change_s < 3:
                follows = None
    return follows


def judge(samples, stats):
    ends = [at_s for at_s, _ in CHANGES[1:]] + [END_S]
    first = next(s for s in samples if s["time"] >= 1)
    return {"falls_s": follows_after(samples, CHANGES[0][0], ends[0], CHANGES[0][1]),
            "rises_s": follows_after(samples, CHANGES[1][0], ends[1], CHANGES[1][1]),
            "delay_p99_ms": stats.get_value("sender-delay-p99") // Gst.MSECOND,
            "delay_max_ms": stats.get_value("sender-delay-max") // Gst.MSECOND,
            "packets": stats.get_value("packets-sent"),
            "dropped_after_1_s": stats.get_value("packets-dropped") - first["dropped"],
            "lost": stats.get_value("packets-lost")}


def main(host, port, namespace, device, output):
    Gst.init(None)
    pipeline = load_example().make_pipeline(host, port)
    pipeline.set_state(Gst.State.PLAYING)
    samples = play(pipeline, namespace, device)
    stats = pipeline.get_by_name("sink").get_property("stats")
    pipeline.set_state(Gst.State.NULL)
    if stats.get_value("feedback-received") == 0:
        sys.exit("the receiver has answered nothing")
    with open(output, "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(samples)
    print(json.dumps(judge(samples, stats)))


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
