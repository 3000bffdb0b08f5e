# SPDX-License-Identifier: LGPL-2.1-or-later
"""Greedy TFRC with the equations of Reno and of CUBIC beside the kernel's Reno and CUBIC.

Owns the list of cells and the table. fairness-models has more of them, in simulation and for longer.
"""

from batch import tables
from batch.jobs import Job
from common import testbed_run
from fairness.report import fair

TITLE = "Two equations beside the kernel's TCP"
SEEDS = 3

PROGRAM = "fairness-testbed/pair.py"
RTT_MS = 100
# Seconds before the measurement, and of it. CUBIC's loss events are 5 to 7 s apart here.
TIMES_S, QUICK_TIMES_S = (20, 100), (2, 6)
MODELS = {"rfc": "Reno", "cubic": "CUBIC"}
MEASURES = ("ratio", "utilisation", "tfrc_lost")


def jobs(quick, seeds):
    warmup_s, duration_s = QUICK_TIMES_S if quick else TIMES_S
    return [Job(PROGRAM, {"rtt_ms": RTT_MS, "queue": "droptail", "queue_bdp": 1, "tcp": tcp, "rto_policy": "4r",
                          "settings": settings, "warmup_s": warmup_s, "duration_s": duration_s, "seed": seed},
                cost=100 * (warmup_s + duration_s), depends=testbed_run.programs(), exact=False)
            for seed in seeds for tcp in ("cubic", "reno") for settings in MODELS]


def report(results, out, quick):
    import pandas

    every = pandas.DataFrame([{**result.parameters, **result.measures} for result in results])
    rows = []
    for _, row in tables.over_seeds(every, ("tcp", "settings"), MEASURES).iterrows():
        ratio = tables.spread(row, "ratio")
        rows.append([row["tcp"], MODELS[row["settings"]], row["seeds"], ratio if fair(row["ratio"]) else f"**{ratio}**",
                     *(tables.spread(row, name) for name in MEASURES[1:])])
    tables.write_report(
        out, TITLE,
        "One flow of TFRC (no queue guard and no burst limit, t_RTO of 4R) beside one of the kernel's TCP at 10 Mbit/s, RTT "
        f"{RTT_MS} ms, drop-tail of 1 BDP, on the testbed{'; a quick run' if quick else ''}. Ratio: TFRC's rate over TCP's, "
        "delivered, with all headers. Lost: of the packets that were sent. Medians, least and most; **bold**: not within 0.5 to 2.",
        tables.markdown(["the kernel's TCP", "TFRC's equation", "runs", "ratio", "utilisation", "lost of TFRC"], rows))
