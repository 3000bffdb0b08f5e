#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/demo/report.py makes table, summary, CSV, picture and page from recorded logs. The
# figures equal those that were computed by hand from the logs.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
"$PYTHON" -c 'import jinja2, matplotlib' 2>/dev/null || skip "no jinja2 and matplotlib"
have gst-launch-1.0 || skip "no gst-launch-1.0"

run=$SCRATCH/run
mkdir "$run"

# Two streams of 20 s: the first receives 80 kbit/s and the second 40 kbit/s; the first loses one RTP packet of 100.
"$PYTHON" - "$run" <<'PYTHON'
import json
import sys

run = sys.argv[1]
packets = [b"\x47\x01\x00\x10" + n.to_bytes(4, "big") * 46 for n in range(700)]
with open(f"{run}/movie.ts", "wb") as file:
    file.write(b"".join(packets))
for stream, rate in ((1, 10000), (2, 5000)):
    with open(f"{run}/received-{stream}.ts", "wb") as file:
        file.write(b"".join(packets[:7] + packets[14:] if stream == 1 else packets))
    with open(f"{run}/sender-{stream}.log", "w") as log:
        log.write("Setting pipeline to PLAYING ...\n")
        for second in range(21):
            log.write(f'Got message #{second} from element "tfrcsink0" (element): tfrc-stats, '
                      f"time=(guint64){second * 10**9}, allowed-rate=(double){1e6 + second * 1e5}, "
                      f"send-rate=(double)80000, rtt=(guint64){0 if second == 0 else 30000000}, "
                      f"loss-event-rate=(double)0.0099999999999999, packets-sent=(guint64)100, bytes-sent=(guint64){second * rate}, "
                      "packets-dropped=(guint64)3, queue-packets=(guint64)2, queue-time=(guint64)5000000, "
                      "sender-delay-mean=(guint64)1000000, sender-delay-p99=(guint64)2000000, "
                      "sender-delay-max=(guint64)4000000, slow-start=(boolean)false, "
                      "peer-state=(string)connected;\n")
    for role, element in (("sender", "tfrcsink0"), ("receiver", "tfrcsrc0")):
        with open(f"{run}/{role}-{stream}.trace", "w") as trace:
            print(json.dumps({"qlog_version": "0.3", "trace": {
                "vantage_point": {"name": element, "type": role},
                "common_fields": {"group_id": element, "reference_time": 1e12}}}), file=trace)
            for second in range(21):
                data = {"X_Bps": 1e5, "X_recv_Bps": rate, "p": 0.01, "R_ms": 30, "packets_lost": second // 20}
                print(json.dumps({"time": second * 1e3, "group_id": element, "data": data,
                                  "name": "tfrc:feedback" if role == "sender" else "tfrc:report"}), file=trace)
    with open(f"{run}/receiver-{stream}.log", "w") as log:
        for second in range(21):
            log.write(f'Got message #{second} from element "tfrcsrc0" (element): tfrc-stats, '
                      f"time=(guint64){second * 10**9}, packets-received=(guint64)99, "
                      f"bytes-received=(guint64){second * rate}, packets-lost=(guint64)1, loss-ratio=(double)0.01, "
                      "receive-rate=(double)80000, clock-synchronised=(boolean)true, iptd-mean=(guint64)11000000, "
                      "iptd-p99=(guint64)12000000, iptd-max=(guint64)13000000, network-delay-mean=(guint64)10000000, "
                      "network-delay-p99=(guint64)10000000, network-delay-max=(guint64)10000000, "
                      "cipher=(string)aes-256-gcm, packets-refused-replay=(guint64)2, "
                      "packets-refused-no-key=(guint64)1;\n")
with open(f"{run}/bottleneck.csv", "w") as file:
    file.write("time,bytes,packets,dropped,queued\n1,1,1,0,0\n2,2,2,17,0\n")
with open(f"{run}/tcp.log", "w") as log:
    for second in range(25):
        log.write(f"[  5]  {second:.2f}-{second + 1:.2f}  sec  4.88 KBytes  40.0 Kbits/sec\n")
    log.write("[  5]   0.00-25.00  sec  122 KBytes  99.0 Kbits/sec    receiver\n")
with open(f"{run}/run.json", "w") as file:
    json.dump({"movie": f"{run}/movie.ts", "streams": 2, "tcp": True, "stopped": False, "capacity": 2000000.0,
               "secure": True, "network": "a <test>", "notes": ["noted"], "tcp_started_ns": 0}, file)
PYTHON

PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/pipelines/demo/report.py" "$run" >"$SCRATCH/table" ||
  fail "no report: $(cat "$SCRATCH/table")"
tr -s ' ' <"$SCRATCH/table" >"$SCRATCH/table.narrow"
for row in \
  "IPTD, ms (mean / p99 / max) 11.0 / 12.0 / 13.0 11.0 / 12.0 / 13.0" \
  "of it at the sender 1.0 / 2.0 / 4.0 1.0 / 2.0 / 4.0" \
  "of it in the network 10.0 / 10.0 / 10.0 10.0 / 10.0 / 10.0" \
  "IPLR (packets lost / sent) 0.01 0.01" \
  "X, the allowed rate, kbit/s (mean) 2000.0 2000.0" \
  "sent, kbit/s of payload (mean) 80.0 40.0" \
  "RTT, ms (mean) 30.0 30.0" \
  "loss event rate p (mean) 0.01 0.01" \
  "packets dropped by the sink's queue 3 3" \
  "cipher aes-256-gcm aes-256-gcm" \
  "packets refused by the sender 0 0" \
  "packets refused by the receiver 3 3" \
  "received file 7 of 700 TS packets missing identical" \
  "received, last minute, kbit/s of payload 80.0 40.0" \
  "share of all streams 0.667 0.333" \
  "TCP Reno beside it, kbit/s 40.0 40.0" \
  "stream / TCP 2.0 1.0" \
  "packets dropped at the bottleneck (all flows) 17 17" \
  "note: noted"; do
  contains "$SCRATCH/table.narrow" "$row"
done
equals "lines of sender-1.csv" 22 "$(wc -l <"$run/sender-1.csv")"
contains "$run/demo.html" "a &lt;test&gt;"
contains "$run/demo.html" "data:image/png;base64,"
! grep -q 'src="[^d]' "$run/demo.html" || fail "the page needs other files"
equals "picture" PNG "$(head -c 4 "$run/demo.png" | tail -c 3)"
"$PYTHON" - "$run/summary.json" <<'PYTHON'
import json, sys
summary = json.load(open(sys.argv[1]))
assert summary["shares"]["throughput_bps"] == [80000, 40000], summary["shares"]
assert summary["streams"][0]["comparison"]["missing"] == 7
PYTHON

# A run that left no statistics is an error that names the log.
: >"$run/sender-1.log"
! PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/pipelines/demo/report.py" "$run" >"$SCRATCH/empty" 2>&1 ||
  fail "reported a run without statistics"
contains "$SCRATCH/empty" "$run/sender-1.log"
