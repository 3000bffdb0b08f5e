#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows TFRC's share of a simulation's work. The unit is instructions, which do not depend on the
# machine's load:
#   experiments/profile.sh [PROGRAM [ARGUMENT...]]
# PROGRAM is a program in BUILD_DIR/experiments (build/experiments of experiments/run by default).
# Without PROGRAM the script runs one greedy TFRC flow on 10 Mbit/s, the simulation with the largest
# share of TFRC. Needs valgrind; takes 50 times as long as the program alone. Ends with status 1 if
# the program's own part is more than MAX_PERCENT (20) of ns-3's part.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/../scripts/common.sh"

build=${BUILD_DIR:-$ROOT/build/experiments}
have valgrind || die "valgrind is not installed"
[ $# -gt 0 ] || set -- smoke --rate_bps=10e6 --delay_s=0.01 --packets=50 --duration_s=5
program=$build/experiments/$1
shift
[ -x "$program" ] || die "$program is not built; experiments/run builds it"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Counts the simulation only, without the building of its topology.
quietly "$scratch/log" valgrind --tool=callgrind --callgrind-out-file="$scratch/profile" \
  --toggle-collect='ns3::Simulator::Run()' "$program" "$@" --output="$scratch/results"

# The format is valgrind's "Callgrind Format Specification". A name stands in full the first time,
# "(id) name", and then as "(id)". The line after calls= is the cost of
# the callee. It is skipped here, as the callee's own lines have that cost.
awk -v max="${MAX_PERCENT:-20}" '
  function name_of(table, text,    id) {
    id = text
    sub(/\).*/, ")", id)
    sub(/^\([0-9]+\) ?/, "", text)
    if (text != "") names[table id] = text
    return names[table id]
  }
  /^c?ob=/ { text = $0; sub(/^c?ob=/, "", text); text = name_of("ob", text); if (/^ob=/) object = text; next }
  /^(fl|fi|fe|cfi|cfl)=/ { text = $0; sub(/^[a-z]+=/, "", text); text = name_of("fl", text); if (/^f/) file = text
    next }
  /^calls=/ { of_callee = 1; next }
  /^[0-9+*-]/ {
    if (of_callee) { of_callee = 0; next }
    all += $2
    if (file ~ /\/lib\/tfrc\//) library += $2
    else if (object ~ /\/experiments\/[^\/]*$/) shells += $2
    else if (object ~ /libns3/) ns3 += $2
  }
  END {
    if (ns3 == 0) { print "no simulation was profiled" > "/dev/stderr"; exit 1 }
    percent = 100 * (library + shells) / ns3
    printf "%-58s %12s %7s\n", "", "instructions", "of all"
    row("ns-3", ns3)
    row("the C and C++ libraries, for both", all - ns3 - library - shells)
    row("libtfrc", library)
    row("the rest of the program: shells, links, meters, templates", shells)
    printf "The program with libtfrc is %.1f %% of ns-3'\''s own; at most %s %% is wanted.\n", percent, max
    exit percent > max
  }
  function row(what, count) { printf "%-58s %12d %5.1f %%\n", what, count, 100 * count / all }
' "$scratch/profile"
