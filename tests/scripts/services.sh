#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The services of examples/ are units that systemd understands, and confine their programs.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
have systemd-analyze || skip "systemd-analyze is not installed"
tools=$(build_directory)/tools/server
[ -x "$tools/tfrc-server" ] || skip "tfrc-server is not built"
# Its man page is in the package, with the program.
for unit in "$ROOT"/examples/*.service; do
  copy=$SCRATCH/${unit##*/}
  sed "s,/usr/bin/tfrc,$tools/tfrc,; s,/usr/local/bin/,$ROOT/examples/,; /^Documentation=man:/d" "$unit" >"$copy"
  systemd-analyze verify "$copy" >"$SCRATCH/log" 2>&1 || { cat "$SCRATCH/log" >&2 && fail "${unit##*/}"; }
  equals "what systemd says of ${unit##*/}" "" "$(cat "$SCRATCH/log")"
  # On its scale of 0 (all that can be is forbidden) to 10, on which a service with the defaults has 9.6; the option is of systemd 250
  status=0
  systemd-analyze security --offline=true --threshold=25 "$copy" >"$SCRATCH/log" 2>&1 || status=$?
  [ $status = 0 ] || grep -q 'unrecognized option' "$SCRATCH/log" || { cat "$SCRATCH/log" >&2 && fail "${unit##*/} may do too much"; }
done
