# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays a movie with renditions over emulated links: tests/bench/renditions.sh FOLDER NAME

The server of movies plays FOLDER/NAME.<lines>p.ts to tfrcsrc on the testbed (docs/testbed.md), once for each
seed, which says where in the movie the run begins: over a link that is a little too slow for the largest rendition, with renditions and without, and over
one that becomes slow and fast again. Prints what the player missed and what it saw."""

import argparse
import json
import os
import pathlib
import re
import statistics
import sys

sys.dont_write_bytecode = True
_HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(_HERE.parents[1]))
sys.path.append(str(_HERE.parents[1] / "pipelines"))

import testbed  # noqa: E402 the paths come first
from batch.arguments import positive  # noqa: E402
from batch.command import end_of_check  # noqa: E402

PORT = 5004
LATENCY_MS = 900
READY_S = 1
GROUPS_APART = 12  # two seeds
TAIL_S = 15  # what has run ahead is played after the end of the stream
PACKET_BYTES, PAYLOAD_BYTES, HEADER_BYTES = 188, 1316, 52  # headers of IPv4, UDP and RTP with its extension
PTS_MASK = (1 << 33) - 1
CUT_TICKS = 90000
BUILT_UP_S = 5  # the lead counts from then on

# Of the link towards the player: a rate from a time on, as a part of the run; the queue in packets
LINKS = {
    "2": [(0, 2_000_000)],
    "4-1-4": [(0, 4_000_000), (1 / 3, 1_000_000), (2 / 3, 4_000_000)],
}
QUEUE = 20
DELAY_MS = 20

START = r"""
exec 3<>/dev/tcp/127.0.0.1/8080
body='{{"movie": "{movie}", "host": "'$ADDRESS_b'", "port": {port}}}'
printf 'POST /streams HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' ${{#body}} "$body" >&3
cat <&3
"""
STATUS = r"""
exec 3<>/dev/tcp/127.0.0.1/8080
printf '{method} /streams/1 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n' >&3
cat <&3 > $TESTBED_OUT/{name}
"""


class Failed(Exception):
    """A run has no figures."""


# ---- a run -----------------------------------------------------------------------------------------------------------


def spec_of(files, movie, link, seconds, ahead_ms):
    """The testbed's spec of a run."""
    (_, first), *changes = LINKS[link]
    links = "mkdir movies; " + "; ".join(f"ln {file.name} movies/" for file in files)
    viewer = "\n".join([
        START.format(movie=movie, port=PORT), f"sleep {seconds}", STATUS.format(method="GET", name="status"),
        STATUS.format(method="DELETE", name="stop"), f"sleep {TAIL_S}"])
    return {
        "limit": f"{READY_S + seconds + TAIL_S + 20}s",
        "nodes": {"a": {}, "r": {}, "b": {}},
        "links": {
            "access": {"ends": ["a", "r"], "delay": "1ms"},
            "bottleneck": {"ends": ["r", "b"], "forward": {"rate": f"{first}bit", "queue": QUEUE, "delay": f"{DELAY_MS}ms"},
                           "backward": {"delay": f"{DELAY_MS}ms"}},
        },
        "jobs": {
            "receiver": {"node": "b", "background": True,
                         "run": f"gst-launch-1.0 -m tfrcsrc port={PORT} latency={LATENCY_MS} tell-latency=true "
                                f"ahead-time={ahead_ms} stats-update-interval=1000 ! filesink buffer-mode=unbuffered location=$TESTBED_OUT/received.ts"},
            "server": {"node": "a", "background": True,
                       "run": f"{links}; GST_DEBUG=tfrcfeeder:5 GST_DEBUG_NO_COLOR=1 GST_DEBUG_FILE=$TESTBED_OUT/choices.log "
                              "./tfrc-server movies"},
            "viewer": {"node": "a", "at": f"{READY_S}s", "run": viewer},
        },
        "events": [{"at": f"{READY_S + part * seconds:.3f}s", "change": "bottleneck", "direction": "forward", "rate": f"{rate}bit"}
                   for part, rate in changes],
    }


def part_of(stream, group):
    """A transport stream from a random access point on, with the last tables in front."""
    packets = range(0, len(stream) - PACKET_BYTES + 1, PACKET_BYTES)
    points = [at for at in packets if stream[at + 3] & 0x20 and stream[at + 4] and stream[at + 5] & 0x40
              and read_pts(stream[at:at + PACKET_BYTES]) is not None]
    if group >= len(points):
        raise Failed("the movie is too short for so many seeds")
    tables = max(at for at in packets if at < points[group] and stream[at + 1] & 0x5F == 0x40 and stream[at + 2] == 0)
    return stream[tables:tables + 2 * PACKET_BYTES] + stream[points[group]:]


def play(options, movie, link, seed):
    """The directory of a run's results, and the bit rate of the largest rendition in it."""
    directory = options.output / f"{movie}-{link}-{seed}"
    parts = options.output / f"parts-{seed}"
    parts.mkdir(parents=True, exist_ok=True)
    for file in options.files:
        (parts / file.name).write_bytes(part_of(file.read_bytes(), (seed - 1) * GROUPS_APART))
    files = [parts / file.name for file in options.files]
    done = testbed.run(spec_of(files, movie, link, options.seconds, options.ahead), output=directory, backend="guest", seed=seed,
                       limit_s=3600, files=files + [options.server])
    if done.exit_status:
        raise Failed(f"{directory}: the testbed ended with status {done.exit_status}")
    seconds, _, _ = watch(files[-1].read_bytes())
    return directory, files[-1].stat().st_size * 8 / seconds


# ---- figures ---------------------------------------------------------------------------------------------------------


def read_pts(packet):
    """The PTS of the PES packet of video that begins in a packet of the transport stream; None."""
    start = 4 + (1 + packet[4] if packet[3] & 0x20 else 0)
    pes = packet[start:start + 14]
    if not packet[1] & 0x40 or len(pes) < 14 or pes[:3] != b"\0\0\1" or pes[3] & 0xF0 != 0xE0 or not pes[7] & 0x80:
        return None
    return (pes[9] & 0x0E) << 29 | pes[10] << 22 | (pes[11] & 0xFE) << 14 | pes[12] << 7 | pes[13] >> 1


def watch(stream):
    """What a player makes of the stream: (seconds, pictures that are not there, gaps of a counter)."""
    counters, times, gaps = {}, [], 0
    for at in range(0, len(stream) - PACKET_BYTES + 1, PACKET_BYTES):
        packet = stream[at:at + PACKET_BYTES]
        pid = (packet[1] & 0x1F) << 8 | packet[2]
        if not packet[3] & 0x10 or pid == 0x1FFF:
            continue
        gaps += pid in counters and packet[3] & 15 != (counters[pid] + 1) & 15
        counters[pid] = packet[3] & 15
        pts = read_pts(packet)
        if pts is not None:
            times.append(pts if not times else times[0] + ((pts - times[0]) & PTS_MASK))
    times.sort()
    if len(times) < 100:
        raise Failed("the player got no movie")
    step = statistics.median(b - a for a, b in zip(times, times[1:]))
    # The stream was stopped: of the last pictures those may be missing that come in another order.
    counted = [time for time in times if time < times[-1] - CUT_TICKS]
    return (times[-1] - times[0]) / 90000, round((counted[-1] - counted[0]) / step) + 1 - len(counted), gaps


def carried_bps(link, top_bps):
    """The payload that the link carries on average, of which the movie has no more than its largest rendition."""
    points = [*LINKS[link], (1, 0)]
    return sum(min(top_bps, rate * PAYLOAD_BYTES / (PAYLOAD_BYTES + HEADER_BYTES)) * (end - begin)
               for (begin, rate), (end, _) in zip(points, points[1:]))


def figures(options, link, directory, top_bps):
    body = (directory / "status").read_bytes().split(b"\r\n\r\n", 1)[1]
    stats = json.loads(body)["stats"]
    told = re.findall(r"packets-missing=\(guint64\)(\d+)", (directory / "jobs" / "receiver.out").read_text())
    received = (directory / "received.ts").read_bytes()
    seconds, pictures, gaps = watch(received)
    lost = stats["packets-past-deadline"] + stats["packets-dropped"] + int(told[-1])
    leads = [float(lead) for lead in re.findall(r"lead ([\d.]+) s", (directory / "choices.log").read_text())]
    return {
        "missed_percent": 100 * lost / (lost + len(received) / PAYLOAD_BYTES),
        "pictures_missed": pictures,
        "gaps": gaps,
        "switches_per_min": 60 * stats.get("switches", 0) / options.seconds,
        "mean_kbps": len(received) * 8 / seconds / 1e3,
        "part_of_link": len(received) * 8 / seconds / carried_bps(link, top_bps),
        "least_lead_s": min(leads[next((at for at, lead in enumerate(leads) if lead > BUILT_UP_S), 0):], default=0),
    }


def table(title, rows):
    """Prints the median and the range of each figure."""
    print(f"{title}, {len(rows)} runs: median (least - most)")
    for name in rows[0]:
        values = [row[name] for row in rows]
        print(f"  {name:18} {statistics.median(values):10.3f} ({min(values):.3f} - {max(values):.3f})")
    sys.stdout.flush()


# ---- the program -----------------------------------------------------------------------------------------------------


def options_of(arguments):
    made = argparse.ArgumentParser(prog="tests/bench/renditions.sh", description="What a player sees of a movie with renditions.")
    made.add_argument("folder", type=pathlib.Path, help="with the renditions, as scripts/make-renditions.sh makes them")
    made.add_argument("movie", help="its name")
    made.add_argument("--seeds", type=positive, default=3, metavar="N", help="runs of each case (%(default)s)")
    made.add_argument("--seconds", type=positive, default=120, metavar="S", help="of a run (%(default)s)")
    made.add_argument("--links", nargs="+", choices=LINKS, default=list(LINKS), help="Mbit/s (all)")
    made.add_argument("--ahead", type=int, default=10000, metavar="MS", help="what the receiver lets run ahead (%(default)s)")
    made.add_argument("--without", action="store_true", help="the largest rendition alone as well")
    made.add_argument("--output", type=pathlib.Path, default=pathlib.Path("build/renditions"), metavar="DIR", help="(%(default)s)")
    options = made.parse_args(arguments)
    options.files = sorted(options.folder.glob(f"{options.movie}.*p.ts"), key=lambda file: file.stat().st_size)
    if len(options.files) < 2:
        made.error(f"{options.folder} has no renditions {options.movie}.<lines>p.ts: scripts/make-renditions.sh makes them")
    build = pathlib.Path(os.environ.get("BUILD_DIR", _HERE.parents[1] / "build"))
    options.server = build / "tools/server/tfrc-server"
    return options


def main():
    options = options_of(sys.argv[1:])
    end_of_check()
    if not options.server.exists():
        raise Failed(f"{options.server} is not built")
    for link in options.links:
        for movie in [options.movie] + ([options.files[-1].name] if options.without else []):
            rows = []
            for seed in range(1, options.seeds + 1):
                rows.append(figures(options, link, *play(options, movie, link, seed)))
                print(f"  {movie} {link} {seed}: {rows[-1]}", flush=True)
            table(f"{movie} over {link} Mbit/s", rows)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, testbed.TestbedError) as error:
        sys.exit(f"renditions.py: {error}")
