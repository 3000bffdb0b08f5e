#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tshark dissects a stream from tfrcsink to tfrcsrc without a complaint: RTP with MPEG-TS inside,
# and RTCP of every kind. Needs root, for a network namespace without other traffic.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin

have tshark || skip "tshark is not installed"
[ "$(id -u)" = 0 ] || skip "not root"
if [ "${IN_NAMESPACE:-}" != yes ]; then
  unshare -n true 2>/dev/null || skip "no network namespaces"
  rm -rf "$SCRATCH"
  IN_NAMESPACE=yes exec unshare -n "$0"
fi
for element in videotestsrc x264enc mpegtsmux; do
  gst-inspect-1.0 --exists "$element" || skip "there is no element $element"
done
ip link set lo up

movie=$SCRATCH/movie.ts
gst-launch-1.0 -q videotestsrc num-buffers=50 pattern=snow ! video/x-raw,width=320,height=240 ! \
  x264enc tune=zerolatency bitrate=1000 ! mpegtsmux alignment=7 ! filesink location="$movie"

tshark -q -i lo -w "$SCRATCH/capture.pcapng" 2>"$SCRATCH/tshark.log" &
capture=$!
wait_until 60 grep -q "^Capturing on\|Capture started" "$SCRATCH/tshark.log" || fail "$(cat "$SCRATCH/tshark.log")"
# tshark prints this a little before it captures.
captures() {
  printf x >/dev/udp/127.0.0.1/9 || true
  [ -n "$(tshark -r "$SCRATCH/capture.pcapng" -c 1 2>/dev/null)" ]
}
wait_until 60 captures || fail "nothing is captured: $(cat "$SCRATCH/tshark.log")"

gst-launch-1.0 -m tfrcsrc uri=tfrc://127.0.0.1:5004 ! filesink location="$SCRATCH/received.ts" >"$SCRATCH/receiver.log" 2>&1 &
receiver=$!
wait_until 60 grep -q "Setting pipeline to PLAYING\|Pipeline is live" "$SCRATCH/receiver.log" \
  || fail "$(cat "$SCRATCH/receiver.log")"
gst-launch-1.0 -q filesrc location="$movie" ! tfrcsink uri=tfrc://127.0.0.1:5004?max-bitrate=4000000 sync=false
wait $receiver
cmp "$movie" "$SCRATCH/received.ts" || fail "the movie has changed on its way"

# The BYE is the last packet.
dissect() {
  tshark -r "$SCRATCH/capture.pcapng" -d udp.port==5004,rtp --enable-heuristic rtcp_udp "$@" 2>/dev/null
}
said_bye() {
  [ -n "$(dissect -Y 'rtcp.pt == 203')" ]
}
wait_until 60 said_bye || fail "no BYE was captured"
kill $capture
wait $capture || true

# count FILTER
count() {
  dissect -Y "udp.port == 5004 && !icmp && ($1)" | wc -l
}
# some WHAT FILTER
some() {
  [ "$(count "$2")" -gt 0 ] || fail "tshark sees no $1"
}
equals "packets that tshark calls malformed" 0 "$(count _ws.malformed)"
complaints=$(dissect -Y '_ws.expert.severity >= 6291456 && udp.port == 5004 && !icmp' -T fields -e frame.number -e _ws.expert.message)
equals "warnings and errors of tshark" "" "$complaints"
equals "packets that are neither RTP nor RTCP" 0 "$(count '!rtp && !rtcp')"
packets=$((($(stat -c %s "$movie") + 1315) / 1316))
equals "RTP packets of payload type 33" $packets "$(count 'rtp.p_type == 33')"
equals "RTP packets with MPEG-TS" $packets "$(count 'rtp && mp2t')"
equals "RTP packets with the header extension" $packets "$(count 'rtp.ext.profile == 0xbede && rtp.ext.rfc5285.id == 1')"
some "feedback" "rtcp.pt == 205 && rtcp.rtpfb.fmt == 2"
some "state" 'rtcp.app.name == "TFRC"'
some "sender report" "rtcp.pt == 200"
some "receiver report" "rtcp.pt == 201"
some "CNAME" "rtcp.sdes.type == 1"
