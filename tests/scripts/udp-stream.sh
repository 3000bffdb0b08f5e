#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The example of libtfrc alone sends packets to itself at TFRC's rate, and the receiver takes them until the sender's BYE.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
program=$(build_directory)/examples/udp-stream
[ -x "$program" ] || skip "the examples are not built"

timeout 60 "$program" receive 0 >"$SCRATCH/receiver" 2>&1 &
receiver=$!
port() {
  sed -n 's/^receiving on port //p' "$SCRATCH/receiver" | grep .
}
wait_until 30 port >/dev/null || fail "the receiver does not start: $(cat "$SCRATCH/receiver")"
timeout 60 "$program" send 127.0.0.1 "$(port)" 500 >"$SCRATCH/sender" 2>&1 || fail "the sender: $(cat "$SCRATCH/sender")"
wait $receiver || fail "the receiver: $(cat "$SCRATCH/receiver")"
contains "$SCRATCH/sender" "500 packets sent, RTT "
grep -q "^[1-9][0-9]* packets received" "$SCRATCH/receiver" || fail "nothing came: $(cat "$SCRATCH/receiver")"

# Bad arguments are refused.
status=0
"$program" send no-address 5004 1 2>"$SCRATCH/errors" || status=$?
equals "status for a bad address" 2 $status
contains "$SCRATCH/errors" "no-address is no IPv4 address"
