# SPDX-License-Identifier: LGPL-2.1-or-later
"""Some points of the experiment with enhanced TFRC, with real pipelines on the testbed.

Owns the list of points, and their table. PLUGIN_BUILD_DIR (build/) names the build directory of the
pipelines, which has to be built before.
"""

from batch import tables
from batch.jobs import Job
from common import testbed_run
from enhanced import estimates, variants

TITLE = "Enhanced TFRC on the testbed"
SEEDS = 3

PROGRAM = "enhanced-testbed/flow.py"
PLAYED = (variants.CLASSIC, variants.PAPER, variants.ENHANCED)
LOSSES = (0, 0.01, 0.03)
QUICK_LOSSES = (0.03,)
TIMES = {"warmup_s": 6, "duration_s": 24}
QUICK_TIMES = {"warmup_s": 2, "duration_s": 8}
BY = ("link_loss", "variant")
MEASURES = {"throughput_bps": ("Mbit/s", 1e-6), "loss_ratio": ("lost, %", 100), "p": ("p, %", 100), "rtt_s": ("R, ms", 1e3)}
COUNTS = {"queue_drops": "queue drops", "link_errors": "link errors", "lost_told": "lost, as tfrcsrc says",
          "link_errors_told": "link errors, as tfrcsrc says"}


def jobs(quick, seeds):
    times = QUICK_TIMES if quick else TIMES
    return [Job(PROGRAM, {"link_loss": loss, **variants.VARIANTS[variant], **times, "seed": seed},
                cost=sum(times.values()), depends=testbed_run.programs(), exact=False)
            for loss in (QUICK_LOSSES if quick else LOSSES) for variant in PLAYED for seed in seeds]


def report(results, out, quick):
    import pandas

    every = pandas.DataFrame([
        {**result.parameters, **result.measures, "variant": name}
        for result in results for name in variants.names_of(result.parameters) if name in PLAYED])
    every = every.drop(columns=list(variants.OPTIONS), errors="ignore")
    tables.write_csv(out / "runs.csv", every.drop(columns="cpu_s"))
    cells = estimates.means(every, BY, [*MEASURES, *COUNTS])
    rows = []
    for _, row in cells.iterrows():
        here = every[every["link_loss"] == row["link_loss"]]
        found = estimates.difference(here, row["variant"], variants.CLASSIC, "throughput_bps")
        rows.append([f"{100 * row['link_loss']:g}", row["variant"], int(row["seeds"]),
                     *(estimates.cell(row, name, scale) for name, (_, scale) in MEASURES.items()),
                     None if row["variant"] == variants.CLASSIC else estimates.told(*found, sign=True), *(row[name] for name in COUNTS)])
    tables.write_report(
        out, TITLE,
        "One greedy TFRC flow (tfrcsink without queue guard and burst limit, tfrcsrc) over a bottleneck of 1.5 Mbit/s with a base "
        f"round-trip time of 84 ms and a queue of one bandwidth-delay product{'; a quick run' if quick else ''}. "
        f"{every['duration_s'].max()} s after {every['warmup_s'].max()} s. Means, and in brackets 95 % confidence intervals "
        "(Student's t over seeds); the difference from classic is paired by seed. Counts are means of whole runs; link errors "
        "are those of the testbed's line, queue drops those of its queue.",
        tables.markdown(["random loss, %", "variant", "runs", *(heading for heading, _ in MEASURES.values()),
                         "Mbit/s beside classic, %", *COUNTS.values()], rows))
