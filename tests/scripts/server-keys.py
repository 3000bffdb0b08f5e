# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays movies with passphrases from a file: server-keys.py SERVER FOLDER FILE

FOLDER has secret.ts and free.ts, which last longer than the test. FILE is written.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

from server import LIMIT_S, PASSPHRASE, Receiver, Server, wait_until

SECOND_PASSPHRASE = "another one, from after the signal"


def write_keys(path, text, mode=0o600):
    pathlib.Path(path).write_text(text, encoding="utf-8")
    os.chmod(path, mode)


class Caller(Receiver):
    def __init__(self, server, movie, passphrase=None):
        self.pipeline = Gst.parse_launch(f"tfrcsrc name=source uri=tfrc://127.0.0.1:{server.media_port}/{movie} ! fakesink")
        self.source = self.pipeline.get_by_name("source")
        if passphrase:
            self.source.set_property("passphrase", passphrase)
        self.pipeline.set_state(Gst.State.PLAYING)
        self.port = self.source.get_property("port")

    def refusal(self):
        """Waits for the error that ends the call, and returns it."""
        message = self.pipeline.get_bus().timed_pop_filtered(LIMIT_S * Gst.SECOND, Gst.MessageType.ERROR)
        self.stop()
        return message.parse_error()[0].message

    def plays(self):
        wait_until("data", lambda: self.packets() > 0)

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)


def callers_need_the_passphrase(server):
    """The one without it has nothing when the one with it plays, which called later."""
    stranger, viewer = Caller(server, "secret.ts"), Caller(server, "secret.ts", PASSPHRASE)
    free = Caller(server, "free.ts")
    viewer.plays()
    free.plays()
    assert stranger.packets() == 0
    listed = server.get("/streams")
    assert [(stream["movie"], stream["stats"]["key-exchange"]) for stream in listed] == [
        ("secret.ts", "psk"), ("secret.ts", "psk"), ("free.ts", "none")], listed
    for caller in (stranger, viewer, free):
        caller.stop()


def requests_are_protected_as_well(server):
    """An empty passphrase is none, and one of the request comes first."""
    own = "a passphrase of the request"
    for properties, passphrase in [({}, PASSPHRASE), ({"passphrase": ""}, PASSPHRASE), ({"passphrase": own}, own)]:
        receiver = Receiver(passphrase=passphrase)
        status, stream = server.play("secret.ts", receiver.port, **properties)
        assert status == 201 and stream["stats"]["key-exchange"] == "psk", stream
        wait_until("data", lambda receiver=receiver: receiver.packets() > 0)
        receiver.pipeline.set_state(Gst.State.NULL)


def a_signal_reads_the_file_again(server, path):
    write_keys(path, f"secret.ts : {SECOND_PASSPHRASE}\nfree.ts\n")
    server.process.send_signal(signal.SIGHUP)
    line = server.process.stderr.readline()
    assert line.startswith(f"tfrc-server: {path}: line 2: "), line
    viewer = Caller(server, "secret.ts", PASSPHRASE)
    viewer.plays()
    write_keys(path, f"* : {SECOND_PASSPHRASE}\n")
    server.process.send_signal(signal.SIGHUP)
    assert server.process.stdout.readline() == "tfrc-server: the passphrases were read again\n"
    second = Caller(server, "free.ts", SECOND_PASSPHRASE)
    second.plays()
    before = viewer.packets()
    wait_until("a stream with the old passphrase goes on", lambda: viewer.packets() > before)
    assert all(movie["protected"] for movie in server.get("/movies"))
    viewer.stop()
    second.stop()


def users_have_passphrases_of_their_own(server, path):
    """A caller names its user, USER@MOVIE. Who may not have the movie is told why."""
    write_keys(path, f"anna@secret.ts : {PASSPHRASE}\nbob@* : {SECOND_PASSPHRASE}\nfree.ts : {PASSPHRASE}\n")
    server.process.send_signal(signal.SIGHUP)
    assert server.process.stdout.readline() == "tfrc-server: the passphrases were read again\n"
    movies = {movie["name"]: (movie["protected"], movie.get("needs-user", False)) for movie in server.get("/movies")}
    assert movies == {"secret.ts": (True, True), "free.ts": (True, False)}, movies
    callers = [Caller(server, "anna@secret.ts", PASSPHRASE), Caller(server, "bob@secret.ts", SECOND_PASSPHRASE),
               Caller(server, "bob@free.ts", SECOND_PASSPHRASE), Caller(server, "free.ts", PASSPHRASE)]
    for caller in callers:
        caller.plays()
    listed = [(stream["movie"], stream.get("user")) for stream in server.get("/streams") if stream["state"] == "playing"]
    assert sorted(listed[-4:], key=str) == [("free.ts", "bob"), ("free.ts", None), ("secret.ts", "anna"), ("secret.ts", "bob")], listed
    for caller in callers:
        caller.stop()
    for movie, passphrase, reason in [
            ("secret.ts", PASSPHRASE, "secret.ts is for its users: ask for USER@secret.ts"),
            ("carl@secret.ts", PASSPHRASE, "carl is no user of secret.ts"),
            ("anna@free.ts", PASSPHRASE, "anna is no user of free.ts"),
            ("anna@secret.ts", SECOND_PASSPHRASE, "The passphrases of the two ends differ")]:
        refusal = Caller(server, movie, passphrase).refusal()
        assert reason in refusal, (movie, refusal)
    for movie, expected in ("secret.ts", 403), ("carl@secret.ts", 403), ("anna@secret.ts", 201):
        assert server.play(movie, 9)[0] == expected, movie


def a_file_for_all_eyes_is_refused(program, folder, path):
    write_keys(path, f"* : {PASSPHRASE}\n", 0o644)
    run = subprocess.run([program, "--port", "0", "--media-port", "0", "--keys", path, folder], capture_output=True, text=True,
                         timeout=LIMIT_S, check=False)
    assert run.returncode == 1 and "chmod 600" in run.stderr, run


def main(program, folder, path):
    Gst.init(None)
    write_keys(path, f"# a comment\nsecret.ts : {PASSPHRASE}\n")
    server = Server(program, "--keys", path, "--max-per-host", "100", folder)
    with contextlib.ExitStack() as stack:
        stack.callback(server.process.kill)
        protected = {movie["name"]: movie.get("protected", False) for movie in server.get("/movies")}
        assert protected == {"secret.ts": True, "free.ts": False}, protected
        callers_need_the_passphrase(server)
        requests_are_protected_as_well(server)
        a_signal_reads_the_file_again(server, path)
        users_have_passphrases_of_their_own(server, path)
        printed = server.end()
        assert PASSPHRASE not in printed and SECOND_PASSPHRASE not in printed, printed
    a_file_for_all_eyes_is_refused(program, folder, path)


if __name__ == "__main__":
    main(*sys.argv[1:])
