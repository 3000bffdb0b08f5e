#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The services of examples/ are units that systemd understands, and confine their programs. The man page says how one is set.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

# Who has the package has the man page and not the documents: it names the file that the unit reads and each variable in that file.
unit=$ROOT/examples/tfrc-server.service
sed 's/\\-/-/g' "$ROOT/man/tfrc-server.1" >"$SCRATCH/page"
contains "$SCRATCH/page" "$(sed -n 's/^EnvironmentFile=-//p' "$unit")"
for variable in $(sed -n 's/^ExecStart=//p' "$unit" | grep -oE '[A-Z]{2,}'); do
  contains "$SCRATCH/page" ".B $variable"
done

have systemd-analyze || skip "systemd-analyze is not installed"
tools=$(build_directory)/tools/server
[ -x "$tools/tfrc-server" ] || skip "tfrc-server is not built"
# A command of a unit has no spaces in its path.
ln -s "$ROOT/examples" "$tools" "$SCRATCH"
# Its man page is in the package, with the program.
for unit in "$ROOT"/examples/*.service; do
  copy=$SCRATCH/${unit##*/}
  sed "s,/usr/bin/tfrc,$SCRATCH/server/tfrc,; s,/usr/local/bin/,$SCRATCH/examples/,; /^Documentation=man:/d" "$unit" >"$copy"
  systemd-analyze verify "$copy" >"$SCRATCH/log" 2>&1 || { cat "$SCRATCH/log" >&2 && fail "${unit##*/}"; }
  equals "what systemd says of ${unit##*/}" "" "$(cat "$SCRATCH/log")"
  # On its scale of 0 (all that can be is forbidden) to 10, on which a service with the defaults has 9.6; the option is of systemd 250
  status=0
  systemd-analyze security --offline=true --threshold=25 "$copy" >"$SCRATCH/log" 2>&1 || status=$?
  [ $status = 0 ] || grep -q 'unrecognized option' "$SCRATCH/log" || { cat "$SCRATCH/log" >&2 && fail "${unit##*/} may do too much"; }
done
