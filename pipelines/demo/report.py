#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a table, summary.json, CSV files, a picture and an HTML page of the files that play.py has
written into a directory.

Owns the figures of a run. The function that computes a figure says what the figure means.
"""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path += map(str, pathlib.Path(__file__).resolve().parents[1:3])  # for the packages 'traceplot' and 'batch'

from batch.report import Picture, Table, write_html  # noqa: E402
from gststats import read_log  # noqa: E402
from traceplot import events, picture as pictures  # noqa: E402
from tscompare import TS_PACKET, compare  # noqa: E402

REFUSALS = [f"packets-refused-{reason}" for reason in ("authentication", "replay", "plaintext", "no-key")]
SHARE_WINDOW_NS = 60 * 10**9
TCP_LINE = re.compile(r"\]\s+([\d.]+)-([\d.]+)\s+sec\s+\S+ \S+\s+([\d.]+) Kbits/sec")


def last(rows, field, default=None):
    """The newest value of a field. For a total since the start of the stream, this is the total of
    the whole stream."""
    return next((row[field] for row in reversed(rows) if field in row), default)


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def has_programs(path):
    """Whether a transport stream has a program association table (PID 0)."""
    with open(path, "rb") as file:
        return any(packet[1] & 0x1F == packet[2] == 0 for packet in iter(lambda: file.read(TS_PACKET), b"")
                   if len(packet) == TS_PACKET)


def decoded_frames(path):
    """The number of video frames that decode without damage; 0 also for a file without H.264."""
    # A demuxer may wait for a program for ever.
    if not has_programs(path):
        return 0
    command = ["timeout", str(60 + os.path.getsize(path) // 10**5), "gst-launch-1.0", "-v", "filesrc",
               "location=" + path, "!", "tsdemux", "!", "h264parse", "!", "avdec_h264", "output-corrupt=false", "!",
               "fakesink", "sync=false", "silent=false"]
    output = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout
    return output.count("last-message = chain ")


def bytes_at(receiver, time_ns):
    """Payload received until time_ns, interpolated between two statistics."""
    before = None
    for row in receiver:
        if row["time"] >= time_ns:
            if before is None or row["time"] == before["time"]:
                return row["bytes-received"]
            part = (time_ns - before["time"]) / (row["time"] - before["time"])
            return before["bytes-received"] + part * (row["bytes-received"] - before["bytes-received"])
        before = row
    return before["bytes-received"] if before else 0


def shared_window(streams):
    """The last minute in which every stream was sending, or less if they sent for a shorter time:
    (begin, end) in ns."""
    begin = max(sender[0]["time"] for sender, _ in streams)
    end = min(sender[-1]["time"] for sender, _ in streams)
    return max(begin, end - SHARE_WINDOW_NS), end


def throughput(receiver, window):
    """Mean rate at which payload arrived in the window, bit/s."""
    begin, end = window
    return (bytes_at(receiver, end) - bytes_at(receiver, begin)) * 8e9 / (end - begin) if end > begin else None


def tcp_throughput(log, started_ns, window):
    """Mean rate at which the TCP flow's payload arrived in the window, bit/s, from the whole
    seconds within the window in the receiver's log."""
    with open(log, errors="replace") as lines:
        seconds = [tuple(map(float, match.groups())) for match in map(TCP_LINE.search, lines) if match]
    begin, end = ((time - started_ns) / 1e9 for time in window)
    return mean(rate * 1e3 for first, until, rate in seconds if first >= begin and until <= end and until - first < 2)


def delays(rows, prefix):
    """Mean, 99th percentile and maximum, ms."""
    values = [last(rows, f"{prefix}-{name}") for name in ("mean", "p99", "max")]
    return [value / 1e6 if value is not None else None for value in values]


class Stream:
    """One pair of sender and receiver: its statistics over time, and the figures of the whole
    stream."""

    def __init__(self, directory, suffix, run):
        self.directory = directory
        self.suffix = suffix
        self.sender = read_log(self.path("sender", "log"))
        self.receiver = read_log(self.path("receiver", "log"))
        self.figures = {}
        self._delays()
        self._control()
        if run.get("secure"):
            self._protection()
        self._movie(run["movie"], run["stopped"])

    def path(self, name, extension):
        return os.path.join(self.directory, f"{name}{self.suffix}.{extension}")

    def _delays(self):
        synchronised = last(self.receiver, "clock-synchronised", False)
        self.figures["IPTD, ms (mean / p99 / max)"] = delays(self.receiver, "iptd") if synchronised else None
        # The sink measures its own delay; only the source can measure the rest of the way.
        self.figures["  of it at the sender"] = delays(self.sender, "sender-delay")
        self.figures["  of it in the network"] = delays(self.receiver, "network-delay") if synchronised else None
        self.figures["IPLR (packets lost / sent)"] = last(self.receiver, "loss-ratio")

    def _control(self):
        rows = self.sender
        self.figures["X, the allowed rate, kbit/s (mean)"] = _kbit(mean(row["allowed-rate"] for row in rows))
        sending = [row for row in rows if row["bytes-sent"]]
        self.figures["sent, kbit/s of payload (mean)"] = _kbit(_growth(sending, "bytes-sent"))
        self.figures["RTT, ms (mean)"] = _ms(mean(row["rtt"] for row in rows if row["rtt"]))
        self.figures["loss event rate p (mean)"] = mean(row["loss-event-rate"] for row in rows)
        self.figures["packets sent"] = last(rows, "packets-sent")
        self.figures["packets dropped by the sink's queue"] = last(rows, "packets-dropped")
        self.figures["packets received"] = last(self.receiver, "packets-received")
        self.figures["packets lost in the network"] = last(self.receiver, "packets-lost")

    def _protection(self):
        self.figures["cipher"] = last(self.receiver, "cipher")
        for end, rows in (("sender", self.sender), ("receiver", self.receiver)):
            self.figures[f"packets refused by the {end}"] = sum(last(rows, field, 0) for field in REFUSALS)

    def _movie(self, movie, stopped):
        received = self.path("received", "ts")
        with open(movie, "rb") as sent_file, open(received, "rb") as received_file:
            sent = sent_file.read()
            self.comparison = compare(sent, received_file.read(), cut=stopped)
        reference = movie
        if stopped:
            reference = self.path("sent", "ts")
            with open(reference, "wb") as file:
                file.write(sent[: self.comparison.end])
        frames = decoded_frames(reference)
        self.figures["video frames sent"] = frames or None
        self.figures["video frames decoded at the receiver"] = decoded_frames(received) if frames else None
        self.figures["received file"] = self._verdict()

    def _verdict(self):
        c = self.comparison
        if c.identical:
            return "identical"
        text = f"{c.missing} of {c.sent} TS packets missing"
        return text + (f", {c.foreign} that were not sent" if c.foreign else "")

    def traces(self):
        """The traces of sender and receiver: the last run in each file."""
        return tuple(events.read(self.path(name, "trace"))[-1] for name in ("sender", "receiver"))

    def write_csv(self):
        for name, rows in (("sender", self.sender), ("receiver", self.receiver)):
            fields = list(dict.fromkeys(field for row in rows for field in row))
            with open(self.path(name, "csv"), "w", newline="") as file:
                writer = csv.DictWriter(file, fields)
                writer.writeheader()
                writer.writerows(rows)


def _growth(rows, field):
    """How fast a count of bytes grew over all rows, bit/s."""
    elapsed = rows[-1]["time"] - rows[0]["time"] if rows else 0
    return (rows[-1][field] - rows[0][field]) * 8e9 / elapsed if elapsed else None


def _kbit(rate):
    return rate / 1e3 if rate is not None else None


def _ms(time_ns):
    return time_ns / 1e6 if time_ns is not None else None


def shares(streams, run, directory):
    """The rate of each stream, and of TCP, in the time that they shared."""
    pairs = [(stream.sender, stream.receiver) for stream in streams]
    window = shared_window(pairs)
    rates = [throughput(stream.receiver, window) for stream in streams]
    for stream, rate in zip(streams, rates):
        stream.figures["received, last minute, kbit/s of payload"] = _kbit(rate)
        stream.figures["share of all streams"] = rate / sum(rates) if rate and len(rates) > 1 else None
    result = {"window_s": (window[1] - window[0]) / 1e9, "throughput_bps": rates}
    if run["tcp"]:
        tcp = tcp_throughput(os.path.join(directory, "tcp.log"), run["tcp_started_ns"], window)
        result["tcp_bps"] = tcp
        for stream, rate in zip(streams, rates):
            stream.figures["TCP Reno beside it, kbit/s"] = _kbit(tcp)
            stream.figures["stream / TCP"] = rate / tcp if tcp and rate else None
    return result


def bottleneck_drops(directory):
    """The number of packets of all flows that the bottleneck's queue dropped; None without a
    bottleneck."""
    try:
        with open(os.path.join(directory, "bottleneck.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        return None
    return int(rows[-1]["dropped"]) if rows else None


def text_of(value):
    if value is None:
        return "-"
    if isinstance(value, list):
        return " / ".join(text_of(item) for item in value)
    if isinstance(value, float):
        return f"{value:.1f}" if abs(value) >= 1 or value == 0 else f"{value:.3g}"
    return str(value)


def table_of(streams, drops):
    """Rows of texts: the name of a figure and its value for each stream. Rows without any value are
    left out."""
    rows = [[name] + [text_of(stream.figures[name]) for stream in streams] for name in streams[0].figures]
    if drops is not None:
        rows.append(["packets dropped at the bottleneck (all flows)"] + [str(drops)] * len(streams))
    if len(streams) > 1:
        rows.insert(0, ["stream"] + [str(number + 1) for number in range(len(streams))])
    return [row for row in rows if set(row[1:]) != {"-"}]


def print_table(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  " + "  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())


def report(directory):
    with open(os.path.join(directory, "run.json")) as file:
        run = json.load(file)
    suffixes = [""] if run["streams"] == 1 else [f"-{number + 1}" for number in range(run["streams"])]
    streams = [Stream(directory, suffix, run) for suffix in suffixes]
    silent = [stream.path("sender", "log") for stream in streams if not stream.sender or not stream.receiver]
    if silent:
        print("no statistics to report; see " + ", ".join(silent), file=sys.stderr)
        return 1
    result = {"run": run, "shares": shares(streams, run, directory), "bottleneck_drops": bottleneck_drops(directory),
              "streams": [stream.figures | {"comparison": stream.comparison._asdict()} for stream in streams]}
    title = f"{os.path.basename(run['movie'])} over {run['network']}"
    rows = table_of(streams, result["bottleneck_drops"])
    picture = os.path.join(directory, "demo.png")
    pictures.draw(picture, [stream.traces() for stream in streams], run["capacity"], title)
    write_html(os.path.join(directory, "demo.html"), title, [
        *run["notes"], Table([""] * len(rows[0]), rows, by_row=True),
        Picture(picture, "rate and decisions, RTT, loss event rate and sender's queue over time")])
    for stream in streams:
        stream.write_csv()
    with open(os.path.join(directory, "summary.json"), "w") as file:
        json.dump(result, file, indent=2)
    print(f"\n{title}")
    print_table(rows)
    for note in run["notes"]:
        print(f"  note: {note}")
    return 0


if __name__ == "__main__":
    sys.exit(report(sys.argv[1]))
