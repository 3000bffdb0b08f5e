# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays one movie in all forms, see server-forms.sh: server-forms.py SERVER FOLDER"""

import contextlib
import pathlib
import select
import socket
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

from server import LIMIT_S, Receiver, Server, wait_until

FORMS = ("movie.ts", "movie.mp4", "movie.mkv", "segments")
PICTURES, PICTURE_NS = 75, 40 * Gst.MSECOND
SOUND_FRAMES = 129
REFUSED = {"picture.webm": "video/x-vp8", "sound.mkv": "audio/x-vorbis"}
# What names other files and hosts, under the name of a movie
LISTS = {
    "hls.mp4": "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:3,\nhttp://{host}/segment.ts\n#EXT-X-ENDLIST\n",
    "dash.mkv": '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT3S" '
                'profiles="urn:mpeg:dash:profile:isoff-main:2011"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" '
                'bandwidth="1"><BaseURL>http://{host}/movie.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>',
    "sdp.webm": "v=0\no=- 0 0 IN IP4 {host}\ns=-\na=control:rtsp://{host}/\nm=video 0 RTP/AVP 33\na=control:rtsp://{host}/1\n",
}


def run_to_end(pipeline):
    message = pipeline.get_bus().timed_pop_filtered(LIMIT_S * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    assert message is not None and message.type == Gst.MessageType.EOS, message and message.parse_error()
    pipeline.set_state(Gst.State.NULL)


class Recorder:
    def __init__(self, path):
        self.path = path
        self.pipeline = Gst.parse_launch("tfrcsrc name=source address=127.0.0.1 port=0 ! filesink name=file")
        self.pipeline.get_by_name("file").set_property("location", path)
        self.pipeline.set_state(Gst.State.PLAYING)
        self.port = self.pipeline.get_by_name("source").get_property("port")

    def wait_for_end(self):
        run_to_end(self.pipeline)


def keep_times(_sink, buffer, _pad, times):
    times.append((buffer.dts, buffer.pts))


def times_in(path):
    """(DTS, PTS) of the pictures and of the sound in a transport stream."""
    pipeline = Gst.parse_launch(
        "filesrc name=file ! tsdemux name=demux "
        "demux. ! queue ! h264parse ! video/x-h264,alignment=au ! fakesink name=picture sync=false signal-handoffs=true "
        "demux. ! queue ! aacparse ! fakesink name=sound sync=false signal-handoffs=true")
    pipeline.get_by_name("file").set_property("location", path)
    found = [], []
    for name, times in zip(("picture", "sound"), found):
        pipeline.get_by_name(name).connect("handoff", keep_times, times)
    pipeline.set_state(Gst.State.PLAYING)
    run_to_end(pipeline)
    return found


def check_pictures(form, times):
    """Each picture has a time of its own, and comes in the order of decoding."""
    shown = sorted(pts for _, pts in times)
    assert len(shown) == PICTURES, f"{form}: {len(shown)} pictures"
    steps = [later - earlier for earlier, later in zip(shown, shown[1:])]
    assert all(abs(step - PICTURE_NS) < Gst.MSECOND for step in steps), f"{form}: {steps}"
    decoded = [dts for dts, _ in times]
    assert decoded == sorted(decoded) and all(dts <= pts for dts, pts in times), f"{form}: {times}"


def all_forms_play(server):
    recorders = [(form, Recorder(f"{form}.received")) for form in FORMS]
    for form, recorder in recorders:
        status, stream = server.play(form, recorder.port)
        assert status == 201, (form, stream)
    for form, recorder in recorders:
        recorder.wait_for_end()
        pictures, sound = times_in(recorder.path)
        check_pictures(form, pictures)
        assert abs(len(sound) - SOUND_FRAMES) <= 2, f"{form}: {len(sound)} frames of sound"
        print(f"{form}: {len(pictures)} pictures, {len(sound)} frames of sound")


def what_cannot_be_carried_is_an_error(server):
    for movie, media_type in REFUSED.items():
        status, stream = server.play(movie, 9)
        assert status == 201, (movie, stream)
        path = f"/streams/{stream['id']}"
        wait_until("failed", lambda path=path: server.get(path)["state"] == "failed")
        error = server.get(path)["error"]
        assert media_type in error and "ffmpeg" in error, error


def a_list_is_no_movie(server, folder):
    """Nothing is read from where it points to."""
    with socket.create_server(("127.0.0.1", 0)) as host:
        for movie, text in LISTS.items():
            pathlib.Path(folder, movie).write_text(text.format(host=f"127.0.0.1:{host.getsockname()[1]}"))
            status, stream = server.play(movie, 9)
            assert status == 201, (movie, stream)
            path = f"/streams/{stream['id']}"

            def is_asked():
                return select.select([host], [], [], 0)[0]
            wait_until(f"{movie} fails", lambda path=path: is_asked() or server.get(path)["state"] == "failed")
            assert not is_asked(), f"{movie}: the server reads from elsewhere"
            error = server.get(path)["error"]
            assert "The file is no MP4, Matroska or WebM" in error, error


def a_caller_of_a_broken_movie_hears_why(server, folder):
    """The call is accepted before the server knows; the next one is refused."""
    pathlib.Path(folder, "broken.mp4").write_bytes(b"\0\0\0\x18ftypisom\0\0\2\0isomiso2" + bytes(20000))
    Receiver.calling(server, "broken.mp4").wait_for_refusal("This file is invalid")
    streams = [stream for stream in server.get("/streams") if stream["movie"] == "broken.mp4"]
    assert [stream["state"] for stream in streams] == ["failed"], streams


def main(program, folder):
    Gst.init(None)
    server = Server(program, folder)
    with contextlib.ExitStack() as stack:
        stack.callback(server.process.kill)
        assert {movie["name"] for movie in server.get("/movies")} == {*FORMS, *REFUSED}
        all_forms_play(server)
        what_cannot_be_carried_is_an_error(server)
        a_list_is_no_movie(server, folder)
        a_caller_of_a_broken_movie_hears_why(server, folder)
        server.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
