# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays movies with tfrc-send and tfrc-recv: stream-tools.py PROGRAMS

PROGRAMS is the directory with the programs. The working directory has the movies short.ts and
long.ts; long.ts lasts longer than the test.
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request

# Only ends waits that would last for ever.
LIMIT_S = 60
# Less than a pipe holds, and whole packets of a transport stream
PIPE_BYTES = 188 * 300
PACKET_BYTES = 1316
RECEIVING = r"receiving at tfrc://127\.0\.0\.1:(\d+)"
OK, FAILED, USAGE, ABSENT = range(4)


def wait_until(what, check):
    """Polls until the check is true, and returns its value."""
    end = time.monotonic() + LIMIT_S
    while True:
        value = check()
        if value:
            return value
        assert time.monotonic() < end, f"never: {what()}"
        time.sleep(0.05)


class Program:
    """A running program, whose standard error goes to a file."""

    numbers = iter(range(1000))

    def __init__(self, *command, **options):
        self.log = pathlib.Path(f"log-{next(self.numbers)}")
        self.name = " ".join(map(str, command))
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stderr=log, **options)

    def said(self, pattern):
        return re.search(pattern, self.log.read_text())

    def wait_for(self, pattern):
        return wait_until(lambda: f"{pattern} in {self.name}: {self.log.read_text()}", lambda: self.said(pattern))[1]

    def ends_with(self, status):
        found = self.process.wait(timeout=LIMIT_S)
        assert found == status, f"{self.name}: status {found}, not {status}: {self.log.read_text()}"
        return self


class Tools:
    def __init__(self, programs, stack):
        self.programs = programs
        self.stack = stack

    def _start(self, name, *arguments, **options):
        program = Program(pathlib.Path(self.programs, name), *arguments, **options)
        self.stack.callback(program.process.kill)
        return program

    def send(self, *arguments, **options):
        return self._start("tfrc-send", *arguments, **options)

    def recv(self, *arguments, query="", **options):
        """Starts tfrc-recv at any port, and returns the program and the URI to send to."""
        program = self._start("tfrc-recv", "tfrc://127.0.0.1:0" + query, *arguments, **options)
        return program, "tfrc://127.0.0.1:" + program.wait_for(RECEIVING)

    def call(self, *arguments):
        return self._start("tfrc-recv", *arguments)

    def refuses(self, status, text, name, *arguments, **options):
        program = self._start(name, *arguments, **options).ends_with(status)
        assert program.said(re.escape(text)), f"{program.name}: no '{text}' in {program.log.read_text()}"


def json_lines(path):
    lines = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    assert [line["last"] for line in lines] == [False] * (len(lines) - 1) + [True], lines
    return lines


def is_short_movie(path):
    assert pathlib.Path(path).read_bytes() == pathlib.Path("short.ts").read_bytes(), f"{path} is not the movie"


# ---- the checks ------------------------------------------------------------------------------------------------------


def files_arrive_as_they_were(tools):
    receiver, uri = tools.recv("file.ts", "--stats-file", "recv.json", "-f", "json", "-i", "0.1")
    sender = tools.send("short.ts", uri, "-s", "send.json", "-f", "json", "--stats-interval=0.1").ends_with(OK)
    receiver.ends_with(OK)
    is_short_movie("file.ts")
    assert not sender.said("warning") and not receiver.said("warning")
    sent, received = json_lines("send.json"), json_lines("recv.json")
    assert len(sent) > 2 and len(received) > 2
    assert {line["element"] for line in sent} == {"tfrcsink"} and {line["element"] for line in received} == {"tfrcsrc"}
    size = pathlib.Path("short.ts").stat().st_size
    assert sent[-1]["stats"]["bytes-sent"] == received[-1]["stats"]["bytes-received"] == size
    assert sender.said(r"\d+ s: \d+ kbit/s, \d+ packets sent, 0 lost, RTT .*, sender delay ")
    assert receiver.said(r"\d+ s: \d+ kbit/s, \d+ packets received, 0 lost, RTT .*, IPTD ")
    assert sender.said(f"packets sent, 0 lost, {size} bytes") and receiver.said(f"packets received, 0 lost, {size} bytes")


def pipes_arrive_as_they_were(tools):
    with open("pipe.ts", "wb") as output, open("short.ts", "rb") as movie:
        receiver, uri = tools.recv("-", "--quiet", stdout=output)
        copy = subprocess.Popen(["cat"], stdin=movie, stdout=subprocess.PIPE)
        sender = tools.send("-", uri, "-q", "-s", "send.txt", stdin=copy.stdout).ends_with(OK)
        receiver.ends_with(OK)
    is_short_movie("pipe.ts")
    assert not sender.said("kbit/s") and not receiver.said("bytes in")
    text = pathlib.Path("send.txt").read_text()
    assert re.search(r"\Atime_ns: \d+\n(?:[a-z0-9-]+: .*\n)+\n\Z", text.split("\n\n")[-2] + "\n\n"), text


def pictures_in(path):
    """The pictures of a transport stream: packets that begin a PES packet of video."""
    data = pathlib.Path(path).read_bytes()
    assert len(data) % 188 == 0 and set(data[::188]) == {0x47}, path
    packets = (data[at:at + 188] for at in range(0, len(data), 188))
    payloads = (packet[4 + (1 + packet[4] if packet[3] & 0x20 else 0):] for packet in packets if packet[1] & 0x40)
    return sum(payload.startswith(b"\0\0\1\xe0") for payload in payloads)


def other_forms_arrive_as_transport_streams(tools):
    assert pictures_in("short.ts") == 4
    for name in ("short.mp4", "short.mkv"):
        receiver, uri = tools.recv("form.ts")
        tools.send(name, uri).ends_with(OK)
        receiver.ends_with(OK)
        assert pictures_in("form.ts") == 4, name
    # The form is found from the data.
    receiver, uri = tools.recv("form.ts")
    with open("short.mkv", "rb") as movie:
        copy = subprocess.Popen(["cat"], stdin=movie, stdout=subprocess.PIPE)
        tools.send("-", uri, stdin=copy.stdout).ends_with(OK)
    receiver.ends_with(OK)
    assert pictures_in("form.ts") == 4


def uris_and_elements_take_the_place_of_files(tools):
    receiver, uri = tools.recv("--sink", "identity ! filesink location=sink.ts")
    tools.send(pathlib.Path("short.ts").resolve().as_uri(), uri).ends_with(OK)
    receiver.ends_with(OK)
    is_short_movie("sink.ts")


def only_a_player_has_deadlines(tools):
    """The sender hears the latency of a receiver whose output waits for the clock, or that is asked to tell it."""
    outputs = {("file.ts",): 0, ("told.ts", "--tell-latency"): 300, ("--sink", "fakesink sync=false"): 0,
               ("--sink", "queue ! fakesink sync=true"): 300}
    for output, told_ms in outputs.items():
        receiver, uri = tools.recv(*output, query="?latency=300")
        tools.send("short.ts", uri, "-s", "told.json", "-f", "json").ends_with(OK)
        receiver.ends_with(OK)
        assert json_lines("told.json")[-1]["stats"]["playout-delay-told"] == told_ms * 1000000, output


def players_get_a_description(tools):
    receiver, uri = tools.recv("described.ts")
    tools.send("short.ts", uri, "--sdp", "stream.sdp").ends_with(OK)
    receiver.ends_with(OK)
    lines = pathlib.Path("stream.sdp").read_text().splitlines()
    port = uri.rpartition(":")[2]
    assert lines[0] == "v=0" and f"m=video {port} RTP/AVPF 33 97" in lines, lines
    secret = pathlib.Path("sdp-secret")
    secret.write_text("a secret of the test\n")
    secret.chmod(0o600)
    tools.refuses(USAGE, "no player can decrypt", "tfrc-send", "short.ts", uri, "--sdp=never.sdp", "-p", secret)
    tools.refuses(FAILED, "absent/x", "tfrc-send", "short.ts", uri, "--sdp=absent/x")
    assert not pathlib.Path("never.sdp").exists()


def device(name, number):
    """The path of a character device of memory: root gets one of its own, as a wrong program could replace the
    system's. None if root may not make or open one here."""
    if os.getuid():
        return f"/dev/{name}"
    try:
        if not os.path.exists(name):
            os.mknod(name, 0o600 | stat.S_IFCHR, os.makedev(1, number))
        with open(name, "wb"):
            return name
    except PermissionError:
        return None


def a_description_goes_through_what_is_no_regular_file(tools):
    """Each run fails to send, after the description was written."""
    pathlib.Path("zeros.ts").write_bytes(bytes(100000))

    def describe(path, status=FAILED, **options):
        program = tools.send("zeros.ts", "tfrc://127.0.0.1:9", "--sdp", path, **options)
        return program.ends_with(status) if status is not None else program

    def is_description(text):
        assert text.startswith(b"v=0\r\n") and text.endswith(b"a=recvonly\r\n"), text

    null, full = device("null", 3), device("full", 7)
    if null and full:
        describe(null)
        assert pathlib.Path(null).is_char_device()
        assert describe(full).said(f"cannot write {full}: No space left")
    os.symlink("/dev/stdout", "stdout")
    for path in ("stdout", "-"):
        with open("printed", "wb") as output:
            describe(path, stdout=output)
        is_description(pathlib.Path("printed").read_bytes())
    assert pathlib.Path("stdout").is_symlink()
    os.mkfifo("fifo")
    program = describe("fifo", None)
    is_description(pathlib.Path("fifo").read_bytes())
    program.ends_with(FAILED)
    assert pathlib.Path("fifo").is_fifo()
    # A link stays, and the file that it points to is written in its place; there may be none yet.
    for text in (None, "a longer text than the description " * 100):
        if text:
            pathlib.Path("target").write_text(text)
            os.link("target", "same")
        pathlib.Path("link").unlink(missing_ok=True)
        pathlib.Path("link").symlink_to("target")
        describe("link")
        assert pathlib.Path("link").is_symlink()
        is_description(pathlib.Path("target").read_bytes())
    assert os.path.samefile("target", "same")
    # A regular file is replaced as a whole: who has it open sees the old text.
    with open("same", encoding="ascii") as old:
        pathlib.Path("same").write_text("old")
        describe("same")
        assert old.read() == "old"
    is_description(pathlib.Path("same").read_bytes())
    describe(".")
    read, write = os.pipe()
    os.close(read)
    assert describe("-", stdout=write).said("standard output: Broken pipe")
    os.close(write)
    tools.refuses(USAGE, "control character", "tfrc-send", "short.ts", "tfrc://127.0.0.1%0d%0aa=x:9", "--sdp=never.sdp")
    assert not pathlib.Path("never.sdp").exists()


def signals_end_both(tools):
    """A receiver that is interrupted leaves, and the sender ends, or waits as long as it is told."""
    for number in (signal.SIGINT, signal.SIGTERM):
        receiver, uri = tools.recv("long-out.ts")
        sender = tools.send("long.ts", uri)
        receiver.wait_for("the sender is ()")
        sender.wait_for("receiver is connected()")
        sender.process.send_signal(number)
        sender.ends_with(OK)
        receiver.ends_with(OK)
    receiver, uri = tools.recv("long-out.ts")
    sender = tools.send("long.ts", uri)
    sender.wait_for("receiver is connected()")
    receiver.wait_for("the sender is ()")
    receiver.process.send_signal(signal.SIGINT)
    receiver.ends_with(OK)
    sender.wait_for(r"warning: The receiver has left\.()")
    assert sender.ends_with(FAILED).said("the receiver has left")
    receiver, uri = tools.recv("long-out.ts")
    # Long enough for the receiver to connect on a busy machine.
    sender = tools.send("long.ts", uri, "--stay", "--timeout", "4")
    sender.wait_for("receiver is connected()")
    receiver.wait_for("the sender is ()")
    receiver.process.send_signal(signal.SIGINT)
    receiver.ends_with(OK)
    assert sender.ends_with(FAILED).said("the receiver has been absent for 4 s")


def a_signal_or_a_timeout_ends_the_wait_for_a_silent_fifo(tools):
    for name in ("unwritten", "silent", "unread"):
        os.mkfifo(name)
    # A writer that writes nothing
    tools.stack.callback(os.close, os.open("silent", os.O_RDWR))
    for fifo in ("unwritten", "silent"):
        sender = tools.send(fifo, "tfrc://127.0.0.1:9")
        sender.wait_for("sending to ()")
        sender.process.send_signal(signal.SIGTERM)
        sender.ends_with(ABSENT)
        tools.send(fifo, "tfrc://127.0.0.1:9", "--timeout", "0.2").ends_with(ABSENT)
    # The signal comes before the FIFO is opened, or while it is.
    receiver = tools.call("tfrc://127.0.0.1:0", "unread")
    receiver.process.send_signal(signal.SIGTERM)
    receiver.ends_with(-signal.SIGTERM)


def what_a_fifo_had_arrives_when_its_writer_falls_silent(tools):
    movie = pathlib.Path("long.ts").read_bytes()[:PIPE_BYTES]
    for name, arguments in (("signal", ()), ("duration", ("--duration", "0.3"))):
        os.mkfifo(f"{name}-in")
        os.mkfifo(f"{name}-out")
        writer = os.open(f"{name}-in", os.O_RDWR)
        tools.stack.callback(os.close, writer)
        receiver = tools.call("tfrc://127.0.0.1:0", f"{name}-out")
        with open(f"{name}-out", "rb") as output:
            sender = tools.send(f"{name}-in", "tfrc://127.0.0.1:" + receiver.wait_for(RECEIVING), *arguments)
            assert os.write(writer, movie) == PIPE_BYTES
            first = output.read(PACKET_BYTES)
            if name == "signal":
                sender.process.send_signal(signal.SIGTERM)
            sender.ends_with(OK)
            # The end does not wait for what is not due yet.
            arrived = first + output.read()
            assert arrived and movie.startswith(arrived), f"{len(arrived)} bytes, and not those of the movie"
        receiver.ends_with(OK)


def a_second_signal_ends_the_wait_for_a_fifo_that_is_full(tools):
    os.mkfifo("full-fifo")
    # This end stays open, and does not read.
    tools.stack.callback(os.close, os.open("full-fifo", os.O_RDWR))
    filler = os.open("full-fifo", os.O_WRONLY | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while os.write(filler, bytes(4096)):
            pass
    os.close(filler)
    receiver, uri = tools.recv("full-fifo")
    tools.send("long.ts", uri)
    receiver.wait_for("the sender is ()")
    receiver.process.send_signal(signal.SIGTERM)

    def ends():
        receiver.process.send_signal(signal.SIGTERM)
        return receiver.process.poll() is not None
    wait_until("the receiver", ends)


def durations_end_both(tools):
    receiver, uri = tools.recv("long-out.ts")
    sender = tools.send("long.ts", uri, "--duration", "0.3")
    receiver.ends_with(OK)
    sender.ends_with(OK)
    receiver, uri = tools.recv("long-out.ts", "-d", "0.3")
    sender = tools.send("long.ts", uri)
    receiver.ends_with(OK)
    sender.process.kill()


def a_stream_that_has_run_ahead_ends_at_once(tools):
    """The receiver plays what it holds, for which the sender does not wait."""
    _, uri = tools.recv("--sink", "tsparse set-timestamps=true ! fakesink sync=true")
    sender = tools.send("long.ts", uri, "-s", "ahead.json", "-f", "json", "-i", "0.1")
    sender.wait_for("receiver is connected()")
    statistics = pathlib.Path("ahead.json")
    wait_until(statistics.read_text, lambda: re.search(r'"ahead-time": ?[89]\d{9}\D', statistics.read_text()))
    sender.process.send_signal(signal.SIGINT)
    sender.ends_with(OK)


def a_player_with_a_long_latency_ends_in_its_own_time(tools):
    """It plays its first packet before it ends, which is later than a program without latency may end."""
    receiver, uri = tools.recv("--sink", "fakesink sync=true", query="?latency=6000")
    tools.send("long.ts", uri)
    receiver.wait_for("the sender is ()")
    receiver.process.send_signal(signal.SIGINT)
    receiver.ends_with(OK)


def absence_has_statuses_of_its_own(tools):
    assert tools.recv("none.ts", "--timeout", "0.2")[0].ends_with(ABSENT).said("sender has been absent")
    receiver, _ = tools.recv("none.ts")
    receiver.process.send_signal(signal.SIGINT)
    receiver.ends_with(ABSENT)
    # Who calls says whom, and for which stream.
    tools.refuses(ABSENT, "calling tfrc://127.0.0.1:9/film\n", "tfrc-recv", "tfrc://127.0.0.1:9/film", "none.ts", "-t", "0.2")
    tools.refuses(ABSENT, "calling tfrc://127.0.0.1:9/film\n", "tfrc-send", "short.ts", "tfrc://127.0.0.1:9/film", "-t", "0.2")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        uri = f"tfrc://127.0.0.1:{silent.getsockname()[1]}"
        assert tools.send("short.ts", uri, "-t", "0.2").ends_with(ABSENT).said("receiver has been absent")
        sender = tools.send("short.ts", uri)
        sender.wait_for("sending to ()")
        sender.process.send_signal(signal.SIGINT)
        sender.ends_with(ABSENT)
    # The cause stands below the warning.
    sender = tools.send("long.ts", "tfrc://127.0.0.1:9")
    sender.wait_for(r"warning: Nobody answers at tfrc://127\.0\.0\.1:9\.\ntfrc-send: no program listens there()")
    sender.process.kill()
    # Packets are left at the end.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        uri = f"tfrc://127.0.0.1:{silent.getsockname()[1]}?drain-timeout=1&initial-window=1"
        assert tools.send("short.ts", uri).ends_with(ABSENT).said("warning: Nobody has answered")
    # So slow that all but the first packet are left.
    receiver, uri = tools.recv("none.ts")
    sender = tools.send("short.ts", uri + "?max-bitrate=200&max-queue-time=0&drain-timeout=1").ends_with(FAILED)
    assert sender.said(r"[1-9]\d* packets were dropped: ") and not sender.said("warning")
    receiver.process.kill()
    receiver, uri = tools.recv("none.ts", query="?timeout=500000000")
    sender = tools.send("long.ts", uri)
    receiver.wait_for(r"the sender is 127\.0\.0\.1:()")
    sender.process.kill()
    receiver.wait_for(r"the sender 127\.0\.0\.1:\d+ is lost()")
    receiver.process.kill()
    receiver, uri = tools.recv("none.ts", "--timeout", "2")
    sender = tools.send("long.ts", uri)
    receiver.wait_for("the sender is ()")
    sender.process.kill()
    assert receiver.ends_with(FAILED).said("sender has been absent for 2 s")


def free_port():
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as free:
        free.bind(("::", 0))
        return free.getsockname()[1]


def a_sender_that_listens_is_alone_without_callers(tools):
    """Its duration begins with the first caller, and its timeout when the last one has left."""
    port = free_port()
    here, there = f"tfrc://:{port}?mode=listener", f"tfrc://127.0.0.1:{port}/movie"
    receiver = tools.call(there, "called.ts")
    receiver.wait_for("calling ()")
    # Long enough for the call on a busy machine.
    sender = tools.send("long.ts", here, "--timeout", "4")
    sender.wait_for(f"receivers call tfrc://.*:{port}()")
    sender.wait_for(r"receiver 127\.0\.0\.1:\d+ is added()")
    sender.wait_for(r"\n[6-9] s: ()")
    assert not sender.said("absent")
    receiver.process.send_signal(signal.SIGINT)
    receiver.ends_with(OK)
    sender.wait_for(r"receiver 127\.0\.0\.1:\d+ is removed()")
    assert sender.ends_with(FAILED).said("the receiver has been absent for 4 s")
    sender = tools.send("long.ts", here, "--duration", "0.3")
    sender.wait_for("receivers call ()")
    tools.call(there, "called.ts").ends_with(OK)
    sender.ends_with(OK)


def a_receiver_waits_as_long_as_it_takes(tools):
    """The element posts messages about the silence, by default after 5 s; here a thousand a second."""
    receiver, uri = tools.recv("patient.ts", "--stats-interval", "0.1", query="?timeout=1000000")
    receiver.wait_for(r"1 s: ()")
    tools.send("short.ts", uri).ends_with(OK)
    receiver.ends_with(OK)
    is_short_movie("patient.ts")


def closed_outputs_are_errors(tools):
    read, write = os.pipe()
    receiver, uri = tools.recv("-", stdout=write)
    os.close(read)
    os.close(write)
    sender = tools.send("long.ts", uri)
    receiver.ends_with(FAILED)
    sender.process.kill()
    receiver, uri = tools.recv("full.ts", "-s", "/dev/full")
    tools.send("short.ts", uri).ends_with(OK)
    assert receiver.ends_with(FAILED).said("cannot write /dev/full")
    # So little is written when the stream ends.
    full = device("full", 7)
    if full:
        receiver, uri = tools.recv(full)
        sender = tools.send("long.ts", uri)
        receiver.wait_for("the sender is ()")
        receiver.process.send_signal(signal.SIGINT)
        assert receiver.ends_with(FAILED).said("Error while writing|No space left")
        sender.process.kill()


def only_a_receiver_that_starts_empties_its_output(tools):
    """So a second one, started by mistake, does not take what the first one has recorded."""
    path = pathlib.Path("recorded.ts")
    path.write_text("a recording that is longer than the movie\n" * 1000)
    before = path.read_text()
    receiver, uri = tools.recv("file.ts")
    tools.refuses(FAILED, "Address already in use", "tfrc-recv", uri, path)
    tools.refuses(FAILED, "Could not resolve host", "tfrc-recv", "tfrc://no.such.host.invalid:5004", path)
    tools.refuses(FAILED, "Address already in use", "tfrc-recv", uri, path.absolute().as_uri())
    tools.refuses(FAILED, "by the name of its stream", "tfrc-recv", "tfrc://192.0.2.9:5004", path)
    assert path.read_text() == before
    receiver.process.kill()
    receiver, uri = tools.recv(path)
    tools.send("short.ts", uri).ends_with(OK)
    receiver.ends_with(OK)
    is_short_movie(path)
    path.write_text(before)
    receiver, uri = tools.recv(path.absolute().as_uri())
    tools.send("short.ts", uri).ends_with(OK)
    receiver.ends_with(OK)
    is_short_movie(path)
    os.mkfifo("output")
    with subprocess.Popen(["cat", "output"], stdout=subprocess.PIPE) as reader:
        receiver, uri = tools.recv("output")
        tools.send("short.ts", uri).ends_with(OK)
        receiver.ends_with(OK)
        assert reader.communicate()[0] == pathlib.Path("short.ts").read_bytes()


def status_of(method, uri, data=None, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(uri, data, headers, method=method), timeout=LIMIT_S) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def header_of_error(header, method, uri):
    try:
        urllib.request.urlopen(urllib.request.Request(uri, method=method), timeout=LIMIT_S).close()
    except urllib.error.HTTPError as error:
        return error.headers[header]
    return None


def prometheus_reads_both(tools):
    metric = re.compile(r"# HELP (\w+) .*\n# TYPE \1 (?:gauge|counter)\n\1 (\S+)\n")
    receiver, uri = tools.recv("long-out.ts", "--metrics-port", "0")
    sender = tools.send("long.ts", uri, "-m", "0", "--metrics-address", "127.0.0.1")
    addresses = {name: program.wait_for(r"metrics at (http://127\.0\.0\.1:\d+/metrics)")
                 for name, program in (("sent", sender), ("received", receiver))}
    sender.wait_for("receiver is connected()")

    def scrape(name):
        with urllib.request.urlopen(addresses[name], timeout=LIMIT_S) as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            text = answer.read().decode()
        assert metric.sub("", text) == "", text
        return {key: float(value) for key, value in metric.findall(text)}

    for name in addresses:
        wait_until(lambda: f"packets {name}", lambda: scrape(name)[f"tfrc_packets_{name}_total"] > 0)
        assert scrape(name)["tfrc_bytes_" + name + "_total"] > 0
    assert scrape("sent")["tfrc_receiver_connected"] == 1 and scrape("sent")["tfrc_allowed_rate_bytes_per_second"] > 0
    assert status_of("GET", addresses["sent"].replace("/metrics", "/")) == 404
    json_type = {"Content-Type": "application/json"}
    assert status_of("POST", addresses["sent"]) == 415
    assert status_of("POST", addresses["sent"], **json_type) == 405
    assert header_of_error("Allow", "DELETE", addresses["sent"]) == "GET, HEAD"
    assert status_of("POST", addresses["sent"], b"x", **json_type) == 413
    assert status_of("GET", addresses["sent"], Host="rebound.example") == 421
    port = addresses["sent"].split(":")[2].split("/")[0]
    tools.refuses(FAILED, "in use", "tfrc-send", "short.ts", "tfrc://127.0.0.1:9", "-m", port)
    sender.process.send_signal(signal.SIGINT)
    sender.ends_with(OK)
    receiver.ends_with(OK)


def passphrases_come_from_files(tools):
    for name, text in (("secret", "a passphrase of this test\n"), ("other", "another passphrase"), ("short", "short\n"),
                       ("empty", "\n"), ("long", "x" * 80)):
        pathlib.Path(name).write_text(text)
        os.chmod(name, 0o600)
    receiver, uri = tools.recv("secret.ts", "-p", "secret", "-s", "recv.json", "-f", "json")
    tools.send("short.ts", uri, "--passphrase-file", "secret").ends_with(OK)
    receiver.ends_with(OK)
    is_short_movie("secret.ts")
    assert json_lines("recv.json")[-1]["stats"]["protected"] is True
    receiver, uri = tools.recv("secret.ts", "-p", "secret")
    tools.send("long.ts", uri, "-p", "other").ends_with(FAILED)
    receiver.process.kill()

    def refuses(text, *arguments):
        tools.refuses(USAGE, text, "tfrc-send", "short.ts", "tfrc://127.0.0.1:9", *arguments)

    refuses("10 to 79 bytes", "-p", "short")
    refuses("10 to 79 bytes", "-p", "long")
    refuses("first line is empty", "-p", "empty")
    refuses("No such file", "-p", "absent")
    refuses("is a directory", "--key-passphrase-file", ".")
    for mode in (0o640, 0o440):
        os.chmod("secret", mode)
        refuses("others may open", "-p", "secret")
    # In the folder of systemd's credentials the rights of a group are the mask of an ACL.
    credentials = os.environ | {"CREDENTIALS_DIRECTORY": os.getcwd()}
    tools.send("short.ts", "tfrc://127.0.0.1:9", "-p", pathlib.Path("secret").absolute(), "-t", "0.1", env=credentials).ends_with(ABSENT)
    tools.refuses(USAGE, "is a secret", "tfrc-send", "short.ts", "tfrc://127.0.0.1:9?passphrase=on-the-command-line")


def a_name_is_asked_for_and_not_empty(tools):
    pathlib.Path("kept.ts").write_text("kept")
    tools.refuses(USAGE, "--peer-name", "tfrc-send", "short.ts", "tfrc://127.0.0.1:9", "--peer-name", "")
    tools.refuses(USAGE, "--peer-name", "tfrc-recv", "tfrc://127.0.0.1:0", "kept.ts", "--peer-name=")
    assert pathlib.Path("kept.ts").read_text() == "kept"
    # The name is the element's, which needs a key besides.
    no_key = "peer-name is set, but private-key-file is not"
    tools.refuses(FAILED, no_key, "tfrc-send", "short.ts", "tfrc://127.0.0.1:9", "--peer-name", "source.example.org")
    tools.refuses(FAILED, no_key, "tfrc-recv", "tfrc://127.0.0.1:0", "new.ts", "--peer-name=sink.example.org")


def wrong_arguments_start_nothing(tools):
    to, source = "tfrc://127.0.0.1:9", "tfrc://127.0.0.1:0"
    for text, *arguments in [
            ("2 arguments are wanted", ), ("2 arguments are wanted", "short.ts"),
            ("2 arguments are wanted", "short.ts", to, to), ("udp://127.0.0.1:9 does not begin with tfrc://", "short.ts", "udp://127.0.0.1:9"),
            ("127.0.0.1:9 does not begin with tfrc://", "short.ts", "127.0.0.1:9"),
            ("the arguments are INPUT tfrc://", to, "short.ts"),
            ("Unknown key 'nonsense'", "short.ts", to + "?nonsense=1"), ("Port 'x'", "short.ts", "tfrc://127.0.0.1:x"),
            ("No URI handler", "nonsense://x", to), ("Unknown option --nonsense", "--nonsense", "short.ts", to),
            ("--duration: -1 is not", "--duration=-1", "short.ts", to), ("--timeout: nan", "--timeout=nan", "short.ts", to),
            ("--stats-interval: 0 is", "-i", "0", "short.ts", to), ("--stats-interval: inf", "-i", "inf", "short.ts", to),
            ("--stats-format needs", "-f", "json", "short.ts", to),
            ("neither text nor json", "-f", "xml", "-s", "x", "short.ts", to),
            ("--metrics-port: 65536 is not", "-m", "65536", "short.ts", to),
            ("--metrics-port: -1 is not", "-m", "-1", "short.ts", to),
            ("--metrics-port: x is not", "-m", "x", "short.ts", to),
            ("--timeout: -5 is not", "-t", "-5", "short.ts", to), ("--stats-interval: -5 is", "-i", "-5", "short.ts", to),
            ("is not a number from 0 to 1000000000000", "short.ts", to + "?max-bitrate=-18446744073709550616"),
            ("--metrics-address needs", "--metrics-address", "::1", "short.ts", to),
            ("not a numeric address", "--metrics-address", "localhost", "-m", "0", "short.ts", to)]:
        tools.refuses(USAGE, text, "tfrc-send", *arguments)
    for text, *arguments in [
            ("1 arguments are wanted besides --sink", source, "wrong.ts", "--sink", "fakesink"),
            ("standard output", source, "-", "-s", "-"), ("no element \"nonsense\"", source, "--sink", "nonsense"),
            ("Unknown key", source + "?nonsense=1", "wrong.ts"),
            ("wrong.ts does not begin with tfrc://; the arguments are tfrc://ADDRESS:PORT", "wrong.ts", source),
            ("--duration: -5 is not", source, "wrong.ts", "-d", "-5"), ("--metrics-port: -5 is not", source, "wrong.ts", "--metrics-port=-5"),
            ("is not a number from 0 to 9223372036854775807", source + "?timeout=-5", "wrong.ts")]:
        tools.refuses(USAGE, text, "tfrc-recv", *arguments)
    tools.refuses(FAILED, "cannot read absent.ts", "tfrc-send", "absent.ts", to)
    tools.refuses(FAILED, "cannot write absent/x", "tfrc-send", "short.ts", to, "-s", "absent/x")
    pathlib.Path("zeros.ts").write_bytes(bytes(100000))
    tools.refuses(FAILED, "no transport stream", "tfrc-send", "zeros.ts", to)
    pathlib.Path("list.m3u8").write_text("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n#EXTINF:3,\nshort.ts\n#EXT-X-ENDLIST\n")
    tools.refuses(FAILED, "a list of segments and not a movie. tfrc-server plays", "tfrc-send", "list.m3u8", to)
    pathlib.Path("words.ts").write_text("These are words.\n" * 1000)
    tools.refuses(FAILED, "no transport stream", "tfrc-send", "words.ts", to)
    tools.refuses(FAILED, ". is a folder; tfrc-server plays", "tfrc-send", ".", to)
    tools.refuses(FAILED, "absent/x", "tfrc-recv", source, "absent/x")
    assert not pathlib.Path("wrong.ts").exists() and not pathlib.Path("x").exists()


def main(programs):
    for check in (wrong_arguments_start_nothing, files_arrive_as_they_were, pipes_arrive_as_they_were,
                  other_forms_arrive_as_transport_streams, uris_and_elements_take_the_place_of_files, only_a_player_has_deadlines, players_get_a_description,
                  a_description_goes_through_what_is_no_regular_file, signals_end_both,
                  a_signal_or_a_timeout_ends_the_wait_for_a_silent_fifo, what_a_fifo_had_arrives_when_its_writer_falls_silent,
                  a_second_signal_ends_the_wait_for_a_fifo_that_is_full, durations_end_both,
                  a_stream_that_has_run_ahead_ends_at_once, a_player_with_a_long_latency_ends_in_its_own_time, absence_has_statuses_of_its_own, a_sender_that_listens_is_alone_without_callers, a_receiver_waits_as_long_as_it_takes, closed_outputs_are_errors, only_a_receiver_that_starts_empties_its_output,
                  prometheus_reads_both, passphrases_come_from_files,
                  a_name_is_asked_for_and_not_empty):
        print(check.__name__, flush=True)
        with contextlib.ExitStack() as stack:
            check(Tools(programs, stack))


if __name__ == "__main__":
    main(*sys.argv[1:])
