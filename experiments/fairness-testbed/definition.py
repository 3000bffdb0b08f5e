# SPDX-License-Identifier: LGPL-2.1-or-later
"""Some cells of the fairness experiment with real pipelines and the kernel's own Reno and CUBIC,
one flow beside one, and simulations of the same cells.

Owns the list of cells.
"""

from fairness import definition as fairness, kernel

TITLE = "TFRC beside the kernel's TCP"
SEEDS = 3

POLICY = "balanced"
# Round-trip time, queue, congestion control. These are a selection, because a second of the testbed
# costs a second of CPU.
CELLS = (
    *((20, {"queue": "droptail", "queue_bdp": bdp}, "reno") for bdp in (0.5, 1, 2)),
    *((rtt_ms, {"queue": "droptail", "queue_bdp": 1}, "reno") for rtt_ms in (50, 100, 200)),
    *((rtt_ms, {"queue": "droptail", "queue_bdp": 1}, "cubic") for rtt_ms in (20, 200)),
    *((20, {"queue": queue}, "reno") for queue in fairness.MANAGED),
)
QUICK_CELLS = CELLS[:1]
# TCP starts on a path that TFRC has used alone.
LATE = {"rtt_ms": 200, "queue": "droptail", "queue_bdp": 1, "tcp": "reno", **fairness.LATE}
QUICK_TIMES_S = (2, 6)


def jobs(quick, seeds):
    found = []
    for rtt_ms, queue, tcp in QUICK_CELLS if quick else CELLS:
        warmup_s, duration_s = QUICK_TIMES_S if quick else fairness.TIMES_S[rtt_ms]
        cell = {"rtt_ms": rtt_ms, **queue, "tcp": tcp, "rto_policy": POLICY, "settings": "rfc", "warmup_s": warmup_s,
                "duration_s": duration_s}
        found += [job for seed in seeds for job in kernel.both(cell | {"seed": seed})]
    if not quick:
        found += [job for seed in seeds for job in kernel.both(LATE | {"rto_policy": POLICY, "settings": "rfc", "seed": seed})]
    return found


def report(results, out, quick):
    kernel.report(results, out, TITLE, quick)
