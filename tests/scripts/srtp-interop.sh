#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# GStreamer's srtpdec decrypts what gst/security/srtp.c protects, and srtp.c unprotects what srtpenc
# encrypts: data and RTCP, with each cipher, over a wrap of the sequence number.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

helper=$(build_directory)/tests/srtp-interop
[ -x "$helper" ] || skip "the helper is not built"
export GST_REGISTRY_1_0="$SCRATCH/registry.bin"

status=0
"$helper" >"$SCRATCH/result" || status=$?
[ $status != 77 ] || skip "there is no srtpdec or srtpenc (gstreamer1.0-plugins-bad)"
[ $status = 0 ] || fail "the helper ends with status $status: $(cat "$SCRATCH/result")"
for cipher in aes-128-gcm aes-256-gcm aes-128-icm aes-256-icm; do
  for kind in SRTP SRTCP; do
    contains "$SCRATCH/result" "$cipher $kind: srtpdec 100, from srtpenc 100"
  done
done
