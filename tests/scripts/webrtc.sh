#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A call between two webrtcbin with the Python of docs/howto/webrtc.md: rtptfrcbwe hears the receiver's transport-wide
# feedback, and its estimate, which the encoder gets, rises above its start. And pipelines/webrtc measures no call whose
# estimator is not there or has another property: the encoder would stay at its first rate, and nobody would see why; nor
# one of which an end has failed.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
"$PYTHON" -c 'import gi; gi.require_version("Gst", "1.0"); gi.require_version("GstWebRTC", "1.0"); from gi.repository import GstWebRTC' 2>/dev/null ||
  skip "PyGObject with GStreamer's WebRTC library is not installed"
# libnice's plugin has the version of libnice, which is older than 1.0.
for element in webrtcbin nicesrc dtlsdec srtpdec x264enc rtph264pay; do
  gst-inspect-1.0 --exists --atleast-version=0.0 "$element" || skip "no $element"
done
refuses() {
  local text=$1 output
  shift
  output=$(timeout 60 "$PYTHON" "$ROOT/pipelines/webrtc/peer.py" "$@" </dev/null 2>&1) && fail "taken: $*"
  case $output in *"$text"*) ;; *) fail "$*: $output" ;; esac
}
refuses 'no element "no-such-estimator"' send no-such-estimator
refuses 'no element "no-such-estimator"' check no-such-estimator
refuses 'no property "pacin"' check rtptfrcbwe pacin=true
refuses 'could not set property "pacing"' check rtptfrcbwe pacing=maybe
"$PYTHON" "$ROOT/pipelines/webrtc/peer.py" check rtptfrcbwe pacing=true </dev/null || fail "an estimator that is there"

# An end whose pipeline fails ends as well: what it sends or takes from then on would count as that of a call.
output=$(PYTHONPATH=$ROOT/pipelines/webrtc PYTHONDONTWRITEBYTECODE=1 timeout 60 "$PYTHON" -c '
import peer
peer.RECEIVER += " fakesrc ! identity name=broken error-after=1 ! fakesink"
peer.main("receive")' </dev/null 2>&1) && fail "an end goes on after an error: $output"
case $output in *"broken: "*) ;; *) fail "an end with an error: $output" ;; esac

{ have ip && [ -n "$(ip -o address show up scope global)" ]; } || skip "the host has loopback alone, which libnice leaves out"
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/scripts/webrtc.py" "$ROOT/docs/howto/webrtc.md" || fail "the call, see above"
