# SPDX-License-Identifier: LGPL-2.1-or-later
"""Some points of the multihop experiment with real pipelines and the kernel's own Reno, beside
simulations of the same points.

Owns the list of points, and the table that compares testbed and simulation. PLUGIN_BUILD_DIR
(build/) names the build directory of the pipelines, which has to be built before.
"""

from batch import tables
from batch.jobs import Job
from common import testbed_run
from multihop import definition as multihop

TITLE = "Several congested routers, on the testbed"
SEEDS = 1

POINTS = (("C1 TFRC in Reno", (1, 3, 5)), ("C1 Reno in TFRC", (1, 3, 5)))
BUFFER_PACKETS = 12
DURATION_S = 120
QUICK_HOPS = 1
QUICK_DURATION_S = 30
SIMULATIONS = 5  # for each of the testbed's seeds: they cost next to nothing

# tfrcsink's packets of transport stream: 1316 bytes and all headers. TCP is simulated as in the
# paper, and with the kernel's least RTO and delay of ACKs.
TFRC_PACKET_BYTES = 1368
TCPS = {"simulated": {"min_rto_s": 1, "delayed_ack_s": 0.1}, "simulated, RTO 200 ms": {"min_rto_s": 0.2, "delayed_ack_s": 0.04}}
TESTBED = "testbed"
BY = ("scenario", "hops", "by")
MEASURES = ("c1_kbps", "cross_kbps", "utilisation")


def jobs(quick, seeds):
    found = []
    for scenario, all_hops in POINTS:
        c1, cross = multihop.SCENARIOS[scenario]
        for hops in all_hops[:QUICK_HOPS] if quick else all_hops:
            point = {"hops": hops, "buffer_packets": BUFFER_PACKETS, "c1": c1, "cross": cross,
                     "duration_s": QUICK_DURATION_S if quick else DURATION_S}
            found += [Job("multihop-testbed/chain.py", {**point, "seed": seed}, cost=100 * hops,
                          depends=testbed_run.programs(), exact=False) for seed in seeds]
            found += [Job("multihop", {**point, **tcp, "tfrc_packet_bytes": TFRC_PACKET_BYTES, "seed": seed}, cost=hops)
                      for tcp in TCPS.values() for seed in range(1, SIMULATIONS * len(seeds) + 1)]
    return found


def _by(result):
    """The table's name for the program that played a run."""
    if result.program != "multihop":
        return TESTBED
    return next(name for name, tcp in TCPS.items() if tcp["min_rto_s"] == result.parameters["min_rto_s"])


def report(results, out, quick):
    every = multihop.runs(results)
    every.insert(1, "by", [_by(result) for result in results])
    every["cross_kbps"] = every["cross_bps"] / 1e3
    cells = tables.over_seeds(every, BY, MEASURES)
    tables.write_csv(out / "runs.csv", every.drop(columns="cpu_s"))
    tables.write_csv(out / "cells.csv", cells)
    rows = [[row["scenario"], row["hops"], row["by"], row["seeds"], *(tables.spread(row, name) for name in MEASURES)]
            for _, row in cells.iterrows()]
    headings = ["scenario", "N", "by", "runs", "C1, kbit/s", "mean of C2 .. C2N, kbit/s", "utilisation"]
    tables.write_report(
        out, TITLE,
        f"The same network and the same {every['duration_s'].max():g} s by real pipelines of tfrcsink and tfrcsrc and the "
        "kernel's own Reno on the testbed, and by simulation: with TCP's least RTO of 1 s as in the paper, and with the "
        f"kernel's 200 ms (and ACKs delayed by 40 ms). Buffers of {BUFFER_PACKETS} packets; TFRC's packets have "
        f"{TFRC_PACKET_BYTES} bytes, TCP's 1500. Goodput counts all headers; on the testbed what arrives twice counts "
        "twice. Medians, least and most.",
        tables.markdown(headings, rows))
