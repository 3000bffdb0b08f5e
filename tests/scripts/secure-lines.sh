#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The launch lines with keys in docs/tutorial.md and docs/howto/protect-a-stream.md, as they stand there but for the port,
# carry a movie. The keys are those of "How to make keys" in docs/security.md.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
have openssl || skip "openssl is not installed"
for element in x264enc mpegtsmux tsparse; do
  gst-inspect-1.0 --exists "$element" || skip "no $element"
done
cd "$SCRATCH"

gst-launch-1.0 -q videotestsrc num-buffers=50 ! video/x-raw,width=320,height=240,framerate=25/1 ! \
  x264enc key-int-max=25 speed-preset=ultrafast bitrate=400 ! mpegtsmux alignment=7 ! filesink location=movie.ts
awk '/^## / { is_here = /^## How to make keys$/ }
  /^```$/ { is_command = 0 }
  is_here && is_command
  /^```sh$/ { is_command = 1 }' "$ROOT/docs/security.md" >commands
bash -eu commands >output 2>&1 || fail "$(cat output)"

# The receiver's line stands before the sender's.
"$PYTHON" - "$ROOT/tests/scripts/launch-lines.py" "$ROOT/docs/tutorial.md" "$ROOT/docs/howto/protect-a-stream.md" >lines <<'PYTHON'
import importlib.util
import sys

spec = importlib.util.spec_from_file_location("launch_lines", sys.argv[1])
launch_lines = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launch_lines)
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        for command in launch_lines.commands(file.read(), "gst-launch-1.0"):
            if "passphrase=" in command or "private-key-file=" in command:
                print(command)
PYTHON
equals "lines with keys" 8 "$(wc -l <lines)"

# is_bound PORT: whether a socket of this host is
is_bound() {
  grep -qi ":$(printf '%04X' "$1") " /proc/net/udp /proc/net/udp6
}

# alignment=7 adds null packets near the end of the movie.
without_null_packets() {
  "$PYTHON" -c 'import sys
ts = open(sys.argv[1], "rb").read()
for at in range(0, len(ts), 188):
    if (ts[at + 1] & 31, ts[at + 2]) != (31, 255):
        sys.stdout.buffer.write(ts[at : at + 188])' "$1"
}

while read -r receiver && read -r sender; do
  port=$(free_port)
  rm -f received.ts
  bash -c "exec timeout 120 ${receiver//5004/$port}" >received.log 2>&1 </dev/null &
  process=$!
  wait_until 30 is_bound "$port" || fail "$receiver: $(cat received.log)"
  bash -c "exec timeout 120 ${sender//5004/$port}" >sent.log 2>&1 </dev/null || fail "$sender: $(cat sent.log)"
  wait $process || fail "$receiver: $(cat received.log)"
  cmp <(without_null_packets movie.ts) <(without_null_packets received.ts) || fail "the movie has changed: $sender"
done <lines
