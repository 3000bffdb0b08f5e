#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The tables of properties in README.md and docs agree with gst-inspect-1.0 about every property.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
have gst-inspect-1.0 || skip "no gst-inspect-1.0"

check() {
  "$PYTHON" "$ROOT/tests/scripts/properties.py" "$@"
}

documents=()
sources=()
while read -r file; do
  documents+=("$file")
done < <(find "$ROOT/README.md" "$ROOT/docs" -name '*.md' | sort)
while read -r file; do
  sources+=("$file")
done < <(find "$ROOT/gst" -name '*.c' | sort)
check "${documents[@]}" "${sources[@]}"

# The comparison itself is tested: it has to find each change of a correct table.
{
  check --print tfrcsink
  check --print tfrcsrc
  check --print rtptfrcbwe
} >"$SCRATCH/right.md"
check "$SCRATCH/right.md" >/dev/null || fail "the table as gst-inspect-1.0 has it is refused"

# finds WHAT SED_SCRIPT MESSAGE
finds() {
  sed "$2" "$SCRATCH/right.md" >"$SCRATCH/wrong.md"
  ! cmp -s "$SCRATCH/right.md" "$SCRATCH/wrong.md" || fail "$1: the script changes nothing"
  ! check "$SCRATCH/wrong.md" >"$SCRATCH/said" || fail "$1 was not found"
  contains "$SCRATCH/said" "$3"
}
finds "a missing row" '/`ttl`/d' "tfrcsink: ttl is not documented"
finds "an extra row" 's/^| `ttl`.*/&\n| `no-such` | int | 0 to 1 | `0` | READY | Nothing |/' \
  "tfrcsink: no-such is documented, but does not exist"
finds "a row twice" 's/^| `ttl`.*/&\n&/' "tfrcsink: ttl has two rows"
finds "another type" '/`ttl`/s/ int / uint /' "tfrcsink: ttl: type"
finds "another range" '/`ttl`/s/255/254/' "tfrcsink: ttl: range"
finds "another default" '/`ttl`/s/`-1`/`64`/' "tfrcsink: ttl: default"
finds "another state" '/`ttl`/s/PLAYING/READY/' "tfrcsink: ttl: when"
finds "a property that can be set" '/`estimated-bitrate`/s/read only/READY/' "tfrcsink: estimated-bitrate: when"
finds "another blurb" '/`ttl`/s/Time to live/Time to die/' "tfrcsink: ttl: meaning"
finds "another value of an enumeration" '/`leaky`/s/`upstream`/`up`/' "tfrcsink: leaky: range"
finds "other columns" 's/| range /| limits /' "tfrcsrc: the columns of the table"
finds "no table" '/properties tfrcsrc/d' "tfrcsrc: no document has"
printf ' * #GstTfrcSink:ttl and #GstTfrcSrc:no-such\n' >"$SCRATCH/source.c"
! check "$SCRATCH/right.md" "$SCRATCH/source.c" >"$SCRATCH/said" || fail "a reference to no property was not found"
contains "$SCRATCH/said" "there is no property no-such"

# The keys of experiment, and the comparison of these
check --print experiment >"$SCRATCH/keys.md"
check --experiment "$SCRATCH/keys.md" "${documents[@]}"
# finds_key WHAT SED_SCRIPT MESSAGE
finds_key() {
  sed "$2" "$SCRATCH/keys.md" >"$SCRATCH/wrong.md"
  ! cmp -s "$SCRATCH/keys.md" "$SCRATCH/wrong.md" || fail "$1: the script changes nothing"
  ! check --experiment "$SCRATCH/keys.md" "$SCRATCH/wrong.md" >"$SCRATCH/said" 2>&1 || fail "$1 was not found"
  contains "$SCRATCH/said" "$3"
}
finds_key "a missing key" '/^| `rate-scale`/d' "experiment: rate-scale"
finds_key "an extra key" 's/^| `rate-scale`.*/&\n| `no-such` | sink | 0 to 1 |/' "experiment: no-such"
finds_key "a key of another element" '/^| `rto-policy`/s/both/sink/' "experiment: rto-policy"
finds_key "another value" '/^| `rto-policy`/s/`4r`/`5r`/' "experiment: rto-policy"
finds_key "another range" '/^| `rate-scale`/s/100/200/' "experiment: rate-scale"
finds_key "no keys" '/^<!-- experiment -->/d' "0 documents have"
