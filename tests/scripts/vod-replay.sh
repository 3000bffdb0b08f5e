#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tools/vod-replay: the transport stream has the trace's frames, exact to the byte and to the tick,
# and plays; packets leave when they are due.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

REPLAY=$(build_directory)/tools/vod-replay/vod-replay
[ -x "$REPLAY" ] || skip "vod-replay is not built"
have gst-inspect-1.0 || skip "there is no gst-inspect-1.0"
use_built_plugin
for element in mpegtsmux tsdemux h264parse; do
  gst-inspect-1.0 --exists $element || skip "GStreamer has no $element"
done
"$PYTHON" "$ROOT/tests/scripts/stream-options.py" "$(dirname "$REPLAY")" "$ROOT" vod-replay || fail "the options, see above"
! have man || [ -z "$(man --warnings=w -l "$ROOT/man/vod-replay.1" 2>&1 >/dev/null)" ] || fail "man/vod-replay.1 has mistakes"
CHECK=("$PYTHON" "$(dirname "$0")/vod-replay.py")
cd "$SCRATCH"

# Sizes around those where a part of an access unit, of a TS packet or of a message begins; one frame was skipped.
"$PYTHON" - >movie.csv <<'PYTHON'
smallest = {"I": 51, "P": 15, "B": 15}
print("# movie of a test\nframe,type,time_ms,bytes")
for frame in range(120):
    kind = "IBBPBBPBBPBB"[frame % 12]
    size = 0 if frame == 50 else smallest[kind] + (frame % 12 * 311 if frame % 24 < 12 else frame)
    if frame % 30 == 29:
        size += 5 * 256 * (frame % 7)
    print(f"{frame},{kind},{frame * 40},{size}")
PYTHON
cut -d, -f4 movie.csv | grep -c '^[1-9]' >frames
equals "frames that are not skipped" 119 "$(cat frames)"

# ---- the stream in every detail
"$REPLAY" movie.csv --output movie.ts --log movie.log --frames movie.log.frames
"${CHECK[@]}" stream movie.csv movie.ts movie.log
"$REPLAY" movie.csv --output loop.ts --log loop.log --frames loop.log.frames --loop --duration 14.4
"${CHECK[@]}" stream movie.csv loop.ts loop.log loops=3
"$REPLAY" movie.csv --output burst.ts --log burst.log --frames burst.log.frames --burst
"${CHECK[@]}" stream movie.csv burst.ts burst.log burst
cmp movie.ts burst.ts || fail "bursts have changed the stream"
"$REPLAY" movie.csv --output seed.ts --seed 2
cmp -s movie.ts seed.ts && fail "another seed made the same stream"

# ---- the same movie in another format, unit and order
"$PYTHON" - <<'PYTHON'
rows = [line.strip().split(",") for line in open("movie.csv")][2:]
with open("coding.trace", "w") as file:
    print("Frame Type Time[ms] Size[bit] PSNR", file=file)
    waiting = []
    for row in rows:
        waiting.append(row)
        if row[1] != "B" or row is rows[-1]:
            for number, kind, time, size in waiting[-1:] + waiting[:-1] if row[1] != "B" else waiting:
                print(f"{number}\t{kind}\t{time}\t{int(size) * 8}\t40.0", file=file)
            waiting = []
PYTHON
"$REPLAY" coding.trace --output coding.ts
cmp movie.ts coding.ts || fail "coding order, in bits, makes another stream"
# Times that always grow do not tell the order of display. In that case B frames at the end, which
# no frame follows, cannot be distinguished from the B frames before them. So they are removed.
head -n -2 movie.csv >closed.csv
head -n -2 coding.trace | awk 'NR > 1 { $3 = (NR - 2) * 40 } { print }' >untold.trace
"$REPLAY" closed.csv --output closed.ts
"$REPLAY" untold.trace --order coding --output untold.ts
cmp closed.ts untold.ts || fail "coding order that is told makes another stream"
# Lines in the order I B B P that are said to be in coding order are sent as they stand.
sed 's/^50,B,2000,0$/50,B,2000,60/' movie.csv >lines.csv
"$REPLAY" lines.csv --order coding --output lines.ts --log lines.log --frames lines.log.frames
"${CHECK[@]}" stream lines.csv lines.ts lines.log coding

# ---- GStreamer's demuxer and parser see the same sizes, and a decoder every frame, all grey
buffer_sizes() {
  gst-launch-1.0 -v filesrc location="$1" ! tsdemux ! "${@:2}" ! identity name=seen silent=false ! fakesink |
    sed -n 's/.*chain .*(seen:sink) (\([0-9]*\) bytes.*/\1/p'
}
"$PYTHON" - >sizes.expected <<'PYTHON'
waiting = []
for line in list(open("movie.csv"))[2:]:
    number, kind, time, size = line.strip().split(",")
    waiting.append(size)
    if kind != "B":
        waiting = waiting[-1:] + waiting[:-1]
    if kind != "B" or number == "119" or number == "118":
        for size in waiting:
            if size != "0":
                print(size)
        waiting = []
PYTHON
buffer_sizes movie.ts queue >sizes.demuxed
cmp sizes.expected sizes.demuxed || fail "tsdemux sees other sizes"
buffer_sizes movie.ts h264parse ! video/x-h264,stream-format=byte-stream,alignment=au >sizes.parsed
equals "access units that h264parse sees" 119 "$(wc -l <sizes.parsed)"
if gst-inspect-1.0 --exists avdec_h264; then
  for stream in movie lines; do
    gst-launch-1.0 -q filesrc location=$stream.ts ! tsdemux ! h264parse ! avdec_h264 ! filesink location=$stream.yuv
    # 32 x 32 pixels of 4:2:0
    equals "bytes of decoded frames of $stream" $(($(grep -c '^[0-9].*,[1-9][0-9]*$' $stream.csv) * 1536)) "$(stat -c %s $stream.yuv)"
    equals "values of decoded pixels of $stream" 128 "$(od -An -v -tu1 -w1 $stream.yuv | sort -u | tr -d ' ')"
  done
fi

# ---- a mean rate, of TS packets without those that complete the last datagram
"$REPLAY" movie.csv --output rate.ts --bitrate 640000
"$PYTHON" - <<'PYTHON'
data = open("rate.ts", "rb").read()
packets = [data[at : at + 188] for at in range(0, len(data), 188)]
rate_bps = sum(packet[1:3] != b"\x1f\xff" for packet in packets) * 188 * 8 / 4.8
assert 640000 <= rate_bps <= 640000 * 1.005, rate_bps
PYTHON

# ---- wrong input is refused with a message that names the error
refused() {
  local status=0
  "$REPLAY" "${@:2}" >refused.out 2>&1 || status=$?
  equals "status of vod-replay ${*:2}" 2 "$status"
  contains refused.out "$1"
}
printf 'frame,type,time_ms,bytes\n0,I,0,1000\n1,P,40,14\n' >small.csv
sed 's/^7,B/7,Q/' movie.csv >bad.csv
refused 'bad.csv:10: frame type "Q" is none of I, P, B' bad.csv --output refused.ts
refused 'small.csv:3: P frame of 14 bytes; the smallest possible has 15' small.csv --output refused.ts
printf '0 I 80 1000\n1 B 0 100\n2 B 40 100\n' >early.trace
refused 'early.trace:1: 2 frames are displayed before the first I frame' early.trace --order coding --output refused.ts
refused 'one of --to, --sink and --output is wanted' movie.csv
refused '--unit kg is none of auto, bytes, bits' movie.csv --output refused.ts --unit kg
refused '--fps 0/1 is not a frame rate' movie.csv --output refused.ts --fps 0/1
refused 'movie.csv: no I frame at or after 1000 s' movie.csv --output refused.ts --offset 1000
[ ! -e refused.ts ] || fail "a file for wrong options"
refused '--stats-interval must be more than nothing' movie.csv --output refused.ts --stats-interval 0

# ---- in real time: no packet is early, an interrupt ends cleanly
gst-inspect-1.0 --exists udpsink || skip "GStreamer has no udpsink (the rest has passed)"
"${CHECK[@]}" receive udp.log "$REPLAY" movie.csv --loop --to 'udp://127.0.0.1:{port}' --log udp.log

# ---- to tfrcsrc, which gets the same stream
port=$("$PYTHON" -c 'import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
timeout 60 gst-launch-1.0 -q tfrcsrc address=127.0.0.1 port="$port" ! filesink location=received.ts &
"$REPLAY" movie.csv --duration 2 --to "tfrc://127.0.0.1:$port?max-queue-time=20000" --stats stats.jsonl --stats-interval 100
wait $! || fail "tfrcsrc has not seen the end"
"$REPLAY" movie.csv --duration 2 --output sent.ts
cmp sent.ts received.ts || fail "tfrcsrc got another stream"

# ---- the log of statistics ends with the sink's last statistics
"$PYTHON" - <<'PYTHON'
import json
import os

rows = [row for row in map(json.loads, open("stats.jsonl")) if row["factory"] == "tfrcsink"]
times = [row["time_ns"] for row in rows]
assert times == sorted(times) and rows[-1]["stats"]["packets-sent"] == -(-os.path.getsize("sent.ts") // 1316), rows[-1]
PYTHON
