# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays with tfrc-server to 51 receivers: server.py SERVER FOLDER GRAFANA.JSON

FOLDER has the movies long.ts, long.mp4 and long.mkv, which last longer than the test, and zeros.ts, which is
no movie.
"""

import contextlib
import json
import math
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

RECEIVERS = 50
CALLERS = 20
LENGTH_S = 400  # of the movies
PASSPHRASE = "a passphrase of this test"
# What tfrcsink says of zeros.ts
NO_MOVIE = "There is no transport stream in the input."
# Only ends waits that would last for ever.
LIMIT_S = 60


def wait_until(what, check):
    """Polls until the check is true, and returns its value."""
    end = time.monotonic() + LIMIT_S
    while True:
        value = check()
        if value:
            return value
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.1)


# ---- the two ends ----------------------------------------------------------------------------------------------------


class Server:
    """A running server, its requests and what it prints."""

    def __init__(self, *command):
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as free:
            free.bind(("::", 0))
            self.media_port = free.getsockname()[1]
        self.process = subprocess.Popen([*command, "--port", "0", "--media-port", str(self.media_port)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        line = self.process.stdout.readline()
        self.uri = re.fullmatch(r"tfrc-server: listening on (http://127\.0\.0\.1:\d+)\n", line)[1]
        line = self.process.stdout.readline()
        assert line == f"tfrc-server: receivers call tfrc://[::]:{self.media_port}/MOVIE\n", line

    def request(self, method, path, body=None, **headers):
        """Returns status and body; a body that is no string is sent as JSON."""
        data = body if body is None or isinstance(body, (bytes, list)) else json.dumps(body).encode()
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers.setdefault("Content-Type", "application/json")
        request = urllib.request.Request(self.uri + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=LIMIT_S) as answer:
                status, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read().decode()
        assert PASSPHRASE not in text
        return status, json.loads(text) if path != "/metrics" else text

    def get(self, path):
        status, value = self.request("GET", path)
        assert status == 200, f"{path}: {status} {value}"
        return value

    def play(self, movie, port, **properties):
        return self.request("POST", "/streams", {"movie": movie, "host": "127.0.0.1", "port": port, **properties})

    def metrics(self):
        """Returns {(name, labels): value}."""
        lines = [line for line in self.get("/metrics").splitlines() if not line.startswith("#")]
        found = [re.fullmatch(r'(\w+)(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)', line) for line in lines]
        return {(match[1], match[2] or ""): float(match[3]) for match in found}

    def end(self, number=signal.SIGTERM):
        """Ends the server as a service manager does, and returns what it printed."""
        self.process.send_signal(number)
        output, errors = self.process.communicate(timeout=LIMIT_S)
        assert self.process.returncode == 0, f"{self.process.returncode}: {errors}"
        with socket.socket() as connection:
            assert connection.connect_ex(("127.0.0.1", int(self.uri.split(":")[-1]))) != 0
        return output + errors


class Receiver:
    def __init__(self, **properties):
        self.pipeline = Gst.parse_launch("tfrcsrc name=source address=127.0.0.1 port=0 ! fakesink")
        self.source = self.pipeline.get_by_name("source")
        for name, value in properties.items():
            Gst.util_set_object_arg(self.source, name, value)
        self.pipeline.set_state(Gst.State.PLAYING)
        self.port = self.source.get_property("port")

    @classmethod
    def calling(cls, server, movie):
        """A receiver that calls the server"""
        self = cls.__new__(cls)
        uri = f"tfrc://127.0.0.1:{server.media_port}/{movie}"
        self.pipeline = Gst.parse_launch(f"tfrcsrc name=source uri={uri} ! fakesink")
        self.source = self.pipeline.get_by_name("source")
        self.pipeline.set_state(Gst.State.PLAYING)
        self.port = self.source.get_property("port")
        return self

    def port_number(self):
        return self.source.get_property("stats").get_value("local-port")

    def wait_for_refusal(self, reason):
        message = self.pipeline.get_bus().timed_pop_filtered(LIMIT_S * Gst.SECOND, Gst.MessageType.ERROR)
        assert message is not None and reason in message.parse_error()[0].message, message
        self.pipeline.set_state(Gst.State.NULL)

    def packets(self):
        return self.source.get_property("stats").get_value("packets-received")

    def wait_for_end(self):
        """Waits for EOS: the sender has said BYE."""
        message = self.pipeline.get_bus().timed_pop_filtered(
            LIMIT_S * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        assert message is not None and message.type == Gst.MessageType.EOS, f"port {self.port}: no BYE"


# ---- the checks ------------------------------------------------------------------------------------------------------


def all_play_at_once(server, receivers):
    for receiver in receivers[:-1]:
        status, stream = server.play("long.ts", receiver.port, **{"max-bitrate": 2000000})
        assert status == 201 and stream["state"] == "playing", stream
    status, stream = server.play("long.mp4", receivers[-1].port, passphrase=PASSPHRASE)
    assert status == 201, stream
    assert server.play("long.ts", 9)[0] == 503
    wait_until("data comes", lambda: all(receiver.packets() > 0 for receiver in receivers))
    before = [receiver.packets() for receiver in receivers]
    wait_until("data goes on", lambda: all(receiver.packets() > count for receiver, count in zip(receivers, before)))
    streams = server.get("/streams")
    assert [stream["id"] for stream in streams] == list(range(1, len(receivers) + 1))
    assert all(stream["state"] == "playing" for stream in streams), streams
    assert [stream["stats"]["protected"] for stream in streams] == [False] * RECEIVERS + [True]


def status_and_metrics_agree(server):
    """Counts only grow, so that those of the status are between those of two metrics."""
    before, streams, after = server.metrics(), server.get("/streams"), server.metrics()
    for stream in streams:
        labels = 'stream="{id}",movie="{movie}",receiver="{host}:{port}"'.format(**stream)
        for field in ("packets-sent", "bytes-sent", "packets-lost", "packets-dropped"):
            name = f"vod_stream_{field.replace('-', '_')}_total", labels
            assert before[name] <= stream["stats"][field] <= after[name], (name, stream)
        assert after["vod_stream_bytes_sent_total", labels] > 0
        assert after["vod_stream_receiver_connected", labels] == 1
        assert after["vod_stream_allowed_rate_bytes_per_second", labels] > 0
        one = server.get(f"/streams/{stream['id']}")
        moving = {"stats": None, "position": None}
        assert {**one, **moving} == {**stream, **moving} and one["position"] >= stream["position"]
    assert after["vod_streams", 'state="playing"'] == len(streams)
    assert after["vod_streams_started_total", ""] == len(streams)
    assert len({labels for name, labels in after if name == "vod_stream_rtt_seconds"}) == len(streams)


def dashboard_has_metrics_of_the_server(server, path):
    with open(path, encoding="utf-8") as file:
        dashboard = json.load(file)
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    variables = [variable["query"] for variable in dashboard["templating"]["list"] if variable["type"] == "query"]
    used = set(re.findall(r"\bvod_\w+", " ".join([*expressions, *variables])))
    unknown = used - {name for name, _ in server.metrics()}
    assert not unknown, f"the dashboard has unknown metrics: {unknown}"
    assert {"vod_streams", "vod_stream_allowed_rate_bytes_per_second", "vod_stream_loss_ratio",
            "vod_stream_sender_delay_mean_seconds"} <= used


def wrong_requests_are_refused(server, taken_port):
    good = {"movie": "long.ts", "host": "127.0.0.1", "port": 9}
    for expected, change in [
            (400, {"movie": "../movies/long.ts"}), (400, {"movie": "/etc/passwd"}), (404, {"movie": "absent.ts"}),
            (400, {"host": "localhost"}), (400, {"host": "224.0.0.1"}), (403, {"host": "192.0.2.1"}),
            (400, {"port": 0}), (400, {"no-such": 1}), (400, {"max-bitrate": -1}), (400, {"max-queue-time": 2**32 + 1}),
            (400, {"leaky": "sometimes"}), (422, {"passphrase": "short"}), (409, {"port": taken_port})]:
        status, answer = server.request("POST", "/streams", {**good, **change})
        assert status == expected and answer["error"], (change, status, answer)
    for expected, method, path, body, headers in [
            (400, "POST", "/streams", b"no JSON", {}), (400, "POST", "/streams", b"[" * 4096, {}),
            (413, "POST", "/streams", b" " * 4097, {}), (415, "POST", "/streams", good, {"Content_Type": "text/plain"}),
            (411, "POST", "/streams", [b"{}"], {"Transfer_Encoding": "chunked"}),
            (421, "GET", "/streams", None, {"Host": "rebound.example"}),
            (404, "GET", "/nothing", None, {}), (404, "GET", "/streams/99", None, {}), (404, "GET", "/streams/x", None, {}),
            (404, "DELETE", "/streams/99", None, {}), (405, "DELETE", "/movies", None, {}),
            (405, "PUT", "/streams/1", b"{}", {})]:
        status, answer = server.request(method, path, body, **headers)
        assert status == expected and answer["error"], (method, path, status, answer)


def a_stream_pauses_and_seeks(server, receiver):
    """After the pause what comes is what was there before the end."""
    path = f"/streams/{server.get('/streams')[1]['id']}"
    assert server.request("PATCH", path, {"paused": True})[1]["paused"] is True

    def rests():
        sent = server.get(path)["stats"]["packets-sent"]
        time.sleep(1.5)  # three pictures
        return server.get(path)["stats"]["packets-sent"] == sent
    wait_until("no more packets leave", rests)
    status, stream = server.request("PATCH", path, {"paused": False, "position": 100})
    assert status == 200 and stream["paused"] is False, stream
    before = receiver.packets()
    wait_until("data goes on", lambda: receiver.packets() > before)
    for expected, change in [(400, {}), (400, {"position": -1}), (400, {"position": "1"}), (400, {"paused": 1}),
                             (400, {"speed": 2})]:
        assert server.request("PATCH", path, change)[0] == expected, change
    assert server.request("PATCH", "/streams/99", {"paused": True})[0] == 404


def a_stream_is_stopped(server, receiver):
    status, stream = server.request("DELETE", "/streams/1")
    assert status == 202 and stream["state"] == "stopping", stream
    receiver.wait_for_end()
    wait_until("stopped", lambda: server.get("/streams/1")["state"] == "stopped")
    stream = server.get("/streams/1")
    assert stream["ended"] and stream["stats"]["packets-sent"] > 0
    assert server.request("DELETE", "/streams/1")[0] == 200
    assert server.metrics()["vod_streams_finished_total", 'state="stopped"'] == 1


def a_stream_that_fails_ends_alone(server, port):
    """The server keeps the status of one ended stream."""
    status, stream = server.play("zeros.ts", port)
    assert status == 201
    path = f"/streams/{stream['id']}"
    wait_until("failed", lambda: server.get(path)["state"] == "failed")
    assert server.get(path)["error"] == NO_MOVIE
    assert server.request("GET", "/streams/1")[0] == 404
    assert server.metrics()["vod_streams", 'state="playing"'] == RECEIVERS


def receivers_that_stay_away_end_their_streams(program, folder):
    """No status of an ended stream is kept here."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        server = Server(program, "--absent-time", "1", "--keep-time", "0", folder)
        assert server.play("long.ts", silent.getsockname()[1])[0] == 201
        wait_until("failed", lambda: server.metrics()["vod_streams_finished_total", 'state="failed"'] == 1)
        assert server.get("/streams") == []
        assert "absent for 1 s" in server.end()


def the_status_of_an_ended_stream_is_kept_for_a_day(program, folder):
    """More microseconds than 32 bits hold"""
    for keep_s in (4294, 4295, 86400):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
            silent.bind(("127.0.0.1", 0))
            server = Server(program, "--keep-time", str(keep_s), folder)
            assert server.play("zeros.ts", silent.getsockname()[1])[0] == 201
            wait_until("failed", lambda: server.metrics()["vod_streams_finished_total", 'state="failed"'] == 1)
            time.sleep(0.2)
            assert len(server.get("/streams")) == 1, f"--keep-time {keep_s}"
            server.end()


def a_path_with_room_gets_the_larger_rendition(program, folder):
    """The second segment is chosen when the path is known."""
    with tempfile.TemporaryDirectory() as renditions:
        for lines in (360, 720):
            shutil.copy(f"{folder}/long.ts", f"{renditions}/film.{lines}p.ts")
        server = Server(program, renditions)
        receiver = Receiver(**{"tell-latency": "true"})
        movie = server.get("/movies")[0]
        assert (movie["name"], movie["renditions"]) == ("film", 2), movie
        assert server.play("film", receiver.port)[0] == 201
        wait_until("a switch", lambda: server.get("/streams/1")["stats"]["switches"] == 1)
        assert server.get("/streams/1")["stats"]["rendition"] in (360, 720)
        server.end()
        receiver.pipeline.set_state(Gst.State.NULL)


def callers_on_one_port_have_streams_of_their_own(program, folder):
    server = Server(program, "--max-per-host", str(CALLERS), "--allow", "127.0.0.0/8", folder)
    Receiver.calling(server, "absent.ts").wait_for_refusal("there is no movie absent.ts")
    callers = [Receiver.calling(server, movie) for movie in ["long.ts", "long.mp4"] * (CALLERS // 2)]
    wait_until("data comes", lambda: all(caller.packets() > 0 for caller in callers))
    streams = server.get("/streams")
    assert sorted(stream["movie"] for stream in streams) == ["long.mp4"] * (CALLERS // 2) + ["long.ts"] * (CALLERS // 2)
    assert {stream["stats"]["local-port"] for stream in streams} == {server.media_port}
    assert len({stream["port"] for stream in streams}) == CALLERS
    Receiver.calling(server, "long.ts").wait_for_refusal(f"{CALLERS} streams play to this host")
    first = streams[0]["id"]
    leaver = next(caller for caller in callers if caller.port_number() == streams[0]["port"])
    leaver.pipeline.set_state(Gst.State.NULL)
    wait_until("the stream of who has left ends", lambda: server.get(f"/streams/{first}")["state"] == "ended")
    callers.remove(leaver)
    before = [caller.packets() for caller in callers]
    wait_until("the others go on", lambda: all(caller.packets() > count for caller, count in zip(callers, before)))
    for movie in "long.ts", "long.mp4":
        stream = next(stream for stream in server.get("/streams") if stream["movie"] == movie
                      and stream["state"] == "playing")
        path = f"/streams/{stream['id']}"
        assert server.request("PATCH", path, {"position": LENGTH_S - 5})[0] == 200, movie
        wait_until(f"{movie} ends", lambda path=path: server.get(path)["state"] == "ended")
    assert server.end() == ""
    for caller in callers:
        caller.wait_for_end()
        caller.pipeline.set_state(Gst.State.NULL)


def a_paused_stream_ends_when_its_caller_leaves(program, folder):
    server = Server(program, "--absent-time", "600", folder)
    caller = Receiver.calling(server, "long.ts")
    wait_until("data", lambda: caller.packets() > 0)
    assert server.request("PATCH", "/streams/1", {"paused": True})[0] == 200
    caller.pipeline.set_state(Gst.State.NULL)
    wait_until("the end", lambda: server.get("/streams/1")["state"] == "ended")
    server.end()


def pictures_in(path):
    """(PTS in s, whether it is a random access point) of the pictures that begin in a transport stream of one program."""
    data = pathlib.Path(path).read_bytes()
    found = []
    for packet in (data[at:at + 188] for at in range(0, len(data) - 187, 188)):
        at = 5 + packet[4] if packet[3] & 0x20 else 4
        if not packet[1] & 0x40 or packet[at:at + 3] != b"\0\0\1" or packet[at + 3] >> 4 != 0xe or not packet[at + 7] & 0x80:
            continue
        pts = packet[at + 9:at + 14]
        ticks = (pts[0] & 0xe) << 29 | pts[1] << 22 | (pts[2] & 0xfe) << 14 | pts[3] << 7 | pts[4] >> 1
        found.append((ticks / 90000, bool(packet[3] & 0x20 and packet[4] and packet[5] & 0x40)))
    return found


def a_seek_lands_at_the_key_picture_before(program, folder, movie):
    """There is one every 5 s. Forward, back to the beginning, and behind the end; what the server says is what comes."""
    server = Server(program, folder)
    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/received.ts"
        receiver = Receiver()
        receiver.pipeline.set_state(Gst.State.NULL)
        receiver.pipeline = Gst.parse_launch(f"tfrcsrc name=source address=127.0.0.1 port=0 ! filesink buffer-mode=unbuffered location={path}")
        receiver.pipeline.set_state(Gst.State.PLAYING)
        status, stream = server.play(movie, receiver.pipeline.get_by_name("source").get_property("port"))
        assert status == 201 and stream["position"] == 0, stream
        stream_path = f"/streams/{stream['id']}"
        wait_until("the beginning", lambda: server.get(stream_path)["position"] > 0 and len(pictures_in(path)) > 0)
        first = pictures_in(path)[0][0]
        for wanted, landing in (103, 100), (7.2, 5), (2 * LENGTH_S, LENGTH_S - 5), (0, 0):
            count = len(pictures_in(path))
            status, stream = server.request("PATCH", stream_path, {"position": wanted, "paused": False})
            assert status == 200 and (stream["seeking"] or landing <= stream["position"] < landing + 5), stream
            wait_until("the landing", lambda: not server.get(stream_path)["seeking"])

            def comes(landing=landing, count=count):
                return [shown for shown in pictures_in(path)[count:] if abs(shown[0] - first - landing) < 0.01]
            found = wait_until(f"{movie}: {wanted} s", comes)
            assert found[0][1], (movie, wanted, found)
            # The movie goes on from there.
            stream = server.get(stream_path)
            assert landing <= stream["position"] < landing + 5 and abs(stream["duration"] - LENGTH_S) < 1, (wanted, stream)
            server.request("PATCH", stream_path, {"paused": True})
            paused = [server.get(stream_path)["position"] for _ in range(2)]
            assert paused[0] == paused[1] >= landing, paused
        receiver.pipeline.set_state(Gst.State.NULL)
    server.end()


def small_disk(folder):
    """What has to stand before a command for which this folder has 4 MB, in a name space of its own"""
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", f'mount -t tmpfs -o size=4m none {folder} && exec "$@"', "sh"]


def unwatched_movies_make_room_on_a_full_disk(program):
    """The disk is full long before the cache has its 10 GB. A movie has 2.7 MB in there."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        if subprocess.run([*small_disk(cache), "true"], capture_output=True, timeout=LIMIT_S, check=False).returncode != 0:
            print("a full disk is not tested: no name spaces")
            return
        make_tiny_pictures(f"{folder}/first.mp4")
        shutil.copy(f"{folder}/first.mp4", f"{folder}/second.mp4")
        server = Server(*small_disk(cache), program, "--cache", cache, folder)
        for movie in ("first.mp4", "second.mp4"):
            plays_to_the_end(server, movie)
        server.end()


def a_playlist_says_how_long_the_movie_is(program, folder):
    """The clock of the second segment begins where that of the first one did."""
    with tempfile.TemporaryDirectory() as movies:
        os.mkdir(f"{movies}/film")
        for name in "a", "b":
            shutil.copy(f"{folder}/long.ts", f"{movies}/film/{name}.ts")
        pathlib.Path(movies, "film", "index.m3u8").write_text(
            f"#EXTM3U\n#EXTINF:{LENGTH_S},\na.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:{LENGTH_S}.5,\nb.ts\n#EXT-X-ENDLIST\n")
        server = Server(program, movies)
        receiver = Receiver()
        status, stream = server.play("film", receiver.port)
        assert status == 201 and stream["duration"] == 2 * LENGTH_S + 0.5, stream
        path = f"/streams/{stream['id']}"
        wait_until("data", lambda: receiver.packets() > 0)
        server.request("PATCH", path, {"position": 1.5 * LENGTH_S})
        wait_until("the landing", lambda: not server.get(path)["seeking"])
        stream = server.get(path)
        assert 1.5 * LENGTH_S - 5 <= stream["position"] <= 1.5 * LENGTH_S and stream["duration"] == 2 * LENGTH_S + 0.5, stream
        receiver.pipeline.set_state(Gst.State.NULL)
        server.end()


def a_viewer_goes_back_in_the_last_seconds(program):
    """The movie has run ahead: the server has read and sent all of it when the viewer is in its middle."""
    with tempfile.TemporaryDirectory() as folder:
        pipeline = Gst.parse_launch(
            "videotestsrc num-buffers=200 ! video/x-raw,width=32,height=32,framerate=20/1 ! x264enc key-int-max=20 "
            f"speed-preset=ultrafast ! h264parse ! mpegtsmux ! filesink location={folder}/short.ts")
        pipeline.set_state(Gst.State.PLAYING)
        assert pipeline.get_bus().timed_pop_filtered(LIMIT_S * Gst.SECOND, Gst.MessageType.EOS), "the movie"
        pipeline.set_state(Gst.State.NULL)
        packets = math.ceil(os.path.getsize(f"{folder}/short.ts") / 1316)
        server = Server(program, folder)
        receiver = Receiver(**{"tell-latency": "true"})
        path = f"/streams/{server.play('short.ts', receiver.port)[1]['id']}"
        wait_until("all has left", lambda: server.get(path)["stats"]["packets-sent"] == packets)
        status, stream = server.request("PATCH", path, {"position": 0})
        assert status == 200, stream
        wait_until("the end", lambda: server.get(path)["state"] == "ended")
        # The first packet may be a short one.
        assert server.get(path)["stats"]["packets-sent"] in (2 * packets, 2 * packets + 1), server.get(path)
        receiver.wait_for_end()
        receiver.pipeline.set_state(Gst.State.NULL)
        server.end()


def movies_are_remuxed_once(program, folder):
    """Two viewers of an mp4 file have one file in the cache, which has no name; a folder that is not there any more and too little
    room are errors that say what to do. Without the folder the server does not start."""
    with tempfile.TemporaryDirectory() as cache:
        server = Server(program, "--cache", cache, folder)
        receivers = [Receiver(), Receiver()]
        for receiver in receivers:
            assert server.play("long.mp4", receiver.port)[0] == 201
        wait_until("data", lambda: all(receiver.packets() for receiver in receivers))
        files = [os.readlink(link) for link in pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir() if link.is_symlink()]
        assert len([name for name in files if name.startswith(cache)]) == 1 and not os.listdir(cache), files
        server.end()
        for receiver in receivers:
            receiver.pipeline.set_state(Gst.State.NULL)
    run = subprocess.run([program, "--port", "0", "--media-port", "0", "--cache", cache, folder], capture_output=True, text=True,
                         timeout=LIMIT_S, check=False)
    assert run.returncode == 1 and run.stderr == f"tfrc-server: --cache: {cache} is no folder\n", run
    for options, expected in (["--cache", cache], "--cache names another folder"), (["--cache-size", "1"], "--cache-size"):
        os.makedirs(cache, exist_ok=True)
        server = Server(program, *options, folder)
        os.rmdir(cache)
        status, answer = server.play("long.mp4", 9)
        assert status == 422 and expected in answer["error"], answer
        assert server.play("long.ts", 9)[0] == 201
        server.end()


def make_tiny_pictures(path):
    """A movie whose transport stream has 2.7 MB, while the server expects 1.3 MB"""
    pipeline = Gst.parse_launch(
        "videotestsrc pattern=black num-buffers=12000 ! video/x-raw,width=32,height=32,framerate=100/1 ! "
        f"x264enc key-int-max=50 speed-preset=ultrafast bitrate=32 ! h264parse ! mp4mux ! filesink location={path}")
    pipeline.set_state(Gst.State.PLAYING)
    assert pipeline.get_bus().timed_pop_filtered(LIMIT_S * Gst.SECOND, Gst.MessageType.EOS), "the movie"
    pipeline.set_state(Gst.State.NULL)


def plays_to_the_end(server, movie):
    receiver = Receiver()
    status, stream = server.play(movie, receiver.port)
    assert status == 201, stream
    path = f"/streams/{stream['id']}"
    wait_until("data", lambda: receiver.packets() > 0)
    server.request("PATCH", path, {"position": 1000})
    wait_until("the end", lambda: server.get(path)["state"] != "playing")
    assert server.get(path)["state"] == "ended", (movie, server.get(path)["error"])
    receiver.pipeline.set_state(Gst.State.NULL)


def unwatched_movies_make_room_for_one_that_is_larger_than_expected(program):
    """Two fit into 5 MB at first."""
    with tempfile.TemporaryDirectory() as folder:
        make_tiny_pictures(f"{folder}/first.mp4")
        shutil.copy(f"{folder}/first.mp4", f"{folder}/second.mp4")
        server = Server(program, "--cache-size", "5", folder)
        for movie in ("first.mp4", "second.mp4"):
            plays_to_the_end(server, movie)
        server.end()


def more_streams_play_than_the_usual_limit_of_descriptors_has(program, folder):
    """No stream can do with less than one of 64."""
    usual, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, most))
    server = Server(program, folder)
    resource.setrlimit(resource.RLIMIT_NOFILE, (usual, most))
    for port in range(1, 65):
        status, answer = server.play("long.ts", port)
        assert status == 201, (port, answer)
    server.process.kill()
    server.process.communicate()


def wrong_arguments_end_with_status_2(program, folder):
    for arguments, expected in ((["--allow", "192.0.2.0/33"], "--allow: "), (["--allow-unresponsive", "here"], "--allow-unresponsive: "),
                                (["--port", "65536"], "--port"), ([], "one folder")):
        run = subprocess.run([program, "--port", "0", "--media-port", "0", *arguments, *([folder] if arguments else [])],
                             capture_output=True, text=True, timeout=LIMIT_S, check=False)
        assert run.returncode == 2 and run.stderr.startswith(f"tfrc-server: {expected}"), run


def receivers_are_told_when_the_terminal_closes(program, folder):
    """SIGHUP has the file of passphrases read again, if there is one."""
    server = Server(program, folder)
    receiver = Receiver()
    assert server.play("long.ts", receiver.port)[0] == 201
    wait_until("data", lambda: receiver.packets() > 0)
    server.end(signal.SIGHUP)
    receiver.wait_for_end()
    receiver.pipeline.set_state(Gst.State.NULL)


def a_caller_of_another_network_is_refused(program, folder):
    server = Server(program, "--allow", "192.0.2.0/24", folder)
    Receiver.calling(server, "long.ts").wait_for_refusal("this server does not play to this host")
    assert server.get("/streams") == []
    server.end()


def main(program, folder, grafana):
    Gst.init(None)
    receivers = [Receiver() for _ in range(RECEIVERS)] + [Receiver(passphrase=PASSPHRASE)]
    server = Server(program, "--max-streams", str(RECEIVERS + 1), "--keep-number", "1", "--allow", "127.0.0.0/8",
                    folder)
    with contextlib.ExitStack() as stack:
        stack.callback(server.process.kill)
        assert [movie["name"] for movie in server.get("/movies")] == ["long.mkv", "long.mp4", "long.ts", "zeros.ts"]
        all_play_at_once(server, receivers)
        status_and_metrics_agree(server)
        dashboard_has_metrics_of_the_server(server, grafana)
        a_stream_pauses_and_seeks(server, receivers[1])
        a_stream_is_stopped(server, receivers[0])
        wrong_requests_are_refused(server, receivers[1].port)
        a_stream_that_fails_ends_alone(server, receivers[0].port)
        printed = server.end()
        for receiver in receivers[1:]:
            receiver.wait_for_end()
    assert printed == f"stream {RECEIVERS + 2}: {NO_MOVIE}\n", printed
    for receiver in receivers:
        receiver.pipeline.set_state(Gst.State.NULL)
    callers_on_one_port_have_streams_of_their_own(program, folder)
    a_paused_stream_ends_when_its_caller_leaves(program, folder)
    wrong_arguments_end_with_status_2(program, folder)
    receivers_are_told_when_the_terminal_closes(program, folder)
    a_caller_of_another_network_is_refused(program, folder)
    more_streams_play_than_the_usual_limit_of_descriptors_has(program, folder)
    for movie in ("long.ts", "long.mp4", "long.mkv"):
        a_seek_lands_at_the_key_picture_before(program, folder, movie)
    a_playlist_says_how_long_the_movie_is(program, folder)
    a_viewer_goes_back_in_the_last_seconds(program)
    movies_are_remuxed_once(program, folder)
    unwatched_movies_make_room_for_one_that_is_larger_than_expected(program)
    unwatched_movies_make_room_on_a_full_disk(program)
    a_path_with_room_gets_the_larger_rendition(program, folder)
    receivers_that_stay_away_end_their_streams(program, folder)
    the_status_of_an_ended_stream_is_kept_for_a_day(program, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
