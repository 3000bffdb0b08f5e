#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The VoD benchmark with --short, in the testbed's guest: movies alone and beside TCP are played and
# measured, and a second call plays nothing. Time in the guest is virtual, so that other tests may run
# meanwhile. Nearly all of a run's time goes into the boot of its guest, so that five runs are played:
# four transports alone, TFRC, TCP, UDP and shaped UDP, and TFRC beside TCP.
#   VOD_BENCHMARK=all  plays every transport and every experiment, and the judge. .ci/long does so, and
#                      plays UDP in Figs 4 to 6, and the judge without TCP, too.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import jinja2, matplotlib, numpy, pandas, yaml' 2>/dev/null ||
  skip "Python's jinja2, matplotlib, numpy, pandas and yaml are not installed"
BUILD_DIR=$(build_directory)
export BUILD_DIR
for program in gst/libgsttfrc.so tools/vod-replay/vod-replay tools/meter/vod-receive tools/meter/wire-meter \
  tools/dccp-flow/dccp-flow; do
  [ -e "$BUILD_DIR/$program" ] || skip "$program is not built"
done
"$PYTHON" "$ROOT/pipelines/testbed" available guest 2>"$SCRATCH/available" || skip "$(sed 's/^testbed: //' "$SCRATCH/available")"

out=$SCRATCH/out
benchmark() {
  "$PYTHON" "$ROOT/pipelines/vod-benchmark" "$@" --backend guest --output "$out" >"$SCRATCH/said" 2>&1 ||
    { cat "$SCRATCH/said" "$out"/failed/*/{reason.txt,raw/jobs/*.err} >&2 || true; fail "$* failed"; }
}

# played: how many runs the program was about to play
played() {
  sed -n 's|^\[[0-9]*/\([0-9]*\)\].*|\1|p' "$SCRATCH/said" | head -n 1
}

# play COMMAND...: a second call of the same command plays no run.
play() {
  benchmark "$@"
  cp "$SCRATCH/said" "$SCRATCH/first"
  benchmark "$@"
  equals "runs of $* played the second time" 0 "$(grep -c '^\[' "$SCRATCH/said" || true)"
  cp "$SCRATCH/first" "$SCRATCH/said"
}

if [ "${VOD_BENCHMARK:-}" = all ]; then
  names=(table1 levers fig3 fig4 fig5 fig6 conditions ccid3)
  play all --short
  # Nine transports, TFRC without its levers, a run of figure 4, one of figures 5 and 6, which is the same, and two conditions.
  # Figure 3 has runs of Table 1. Then the judge's.
  equals "runs played" 14 "$(played)"
else
  names=(table1 fig5)
  play table1 --short --transports tfrc,tcp,udp,udp-shaped-link
  equals "runs of Table 1" 4 "$(played)"
  play fig5 --short
  equals "runs of figure 5" 1 "$(played)"
fi

"$PYTHON" - "$out" "${names[@]}" <<'CHECK'
import sys

import pandas

out, names = sys.argv[1], sys.argv[2:]
everything = "conditions" in names
table = pandas.read_csv(f"{out}/table1.csv").set_index("transport")
assert len(table) == (9 if everything else 4) and (table["ambiguous"] == 0).all() and (table["foreign"] == 0).all(), table
# All transports got the same packets. Every delay contains the 20 ms of the link, whose rate is
# three times the movie's mean rate.
assert table["packets"].nunique() == 1 and table["packets"].iloc[0] > 200, table["packets"]
assert (table["iptd_mean"] > 0.025).all() and (table["iptd_mean"] < 0.2).all(), table["iptd_mean"]
assert table.loc["tcp", "iptd_from"] == "delivery" and (table.drop("tcp")["iptd_from"] == "wire").all()
# If the sender shapes to the link's rate, packets wait in the sender and not in the network.
# Otherwise they wait in the network.
for shaped in ("udp-shaped-link", *(("udp-shaped-peak", "srt-limited") if everything else ())):
    assert table.loc[shaped, "sender_max"] > 10 * table.loc["udp", "sender_max"], table["sender_max"]
    assert table.loc[shaped, "network_max"] < table.loc["udp", "network_max"] / 2, table["network_max"]
for name in {"fig5", "fig6"} & set(names):
    assert (pandas.read_csv(f"{out}/{name}.csv")["tcp_all_throughput_bps"] > 9e6).all(), name
for name in ("0.2", "0.5", "1", "2"):
    assert (table[f"missed_{name}"] - table["iplr"] - table[f"late_{name}"]).abs().max() < 1e-5, name
if everything:
    conditions = pandas.read_csv(f"{out}/conditions.csv").set_index("condition")
    assert set(conditions.index) == {"jitter-10", "red"}, conditions
    assert conditions.loc["red", "tcp_throughput_bps"] > 6e6, conditions["tcp_throughput_bps"]
    # 20 ms, 5 on average of jitter, and 2 of transmission; packets that wait for each other take longer.
    assert 0.025 < conditions.loc["jitter-10", "network_mean"] < 0.035, conditions["network_mean"]
    movies = pandas.read_csv(f"{out}/fig4.csv")
    assert (movies.groupby("transport").size() == 4).all(), movies
    assert set(pandas.read_csv(f"{out}/ccid3.csv")["flow"]) == {"ccid3", "tfrc"}
CHECK
for name in "${names[@]}"; do
  [ -s "$out/$name.png" ] || fail "no $name.png"
done
