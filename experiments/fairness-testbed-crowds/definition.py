# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several TFRC flows beside several flows of the kernel's TCP: cells of the fairness experiment with
real pipelines on the testbed, and simulations of the same cells.

Owns the list of cells.
"""

from fairness import definition as fairness, kernel

TITLE = "Several flows of TFRC beside several of the kernel's TCP"
SEEDS = 3

POLICY = "balanced"
DROP_TAIL = {"queue": "droptail", "queue_bdp": 1}
# Flows, round-trip time in ms, queue, congestion control, settings of tfrcsink. Few, because a second
# of the testbed costs some seconds of CPU with this number of flows.
CELLS = (
    *(((8, 8), 50, DROP_TAIL, tcp, "default") for tcp in fairness.TCPS),
    # Where the simulation has TFRC starve
    ((8, 8), 20, DROP_TAIL, "reno", "rfc"),
)
QUICK_CELLS = (((2, 2), 20, DROP_TAIL, "reno", "default"),)
QUICK_TIMES_S = (2, 6)


def jobs(quick, seeds):
    found = []
    for (tfrc_flows, tcp_flows), rtt_ms, queue, tcp, settings in QUICK_CELLS if quick else CELLS:
        warmup_s, duration_s = QUICK_TIMES_S if quick else fairness.TIMES_S[rtt_ms]
        cell = {"rtt_ms": rtt_ms, **queue, "tfrc_flows": tfrc_flows, "tcp_flows": tcp_flows, "tcp": tcp, "rto_policy": POLICY,
                "settings": settings, "warmup_s": warmup_s, "duration_s": duration_s}
        found += [job for seed in seeds for job in kernel.both(cell | {"seed": seed})]
    return found


def report(results, out, quick):
    kernel.report(results, out, TITLE, quick)
