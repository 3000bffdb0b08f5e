# SPDX-License-Identifier: LGPL-2.1-or-later
"""The limits paper's Fig. 12: the retransmission timeouts of TFRC and of TCP to 28 sites on the
Internet, here from published round-trip times between PlanetLab's nodes.
"""

import pathlib

from batch import figures, style, tables
from batch.jobs import Job

TITLE = "t_RTO to 28 sites on the Internet"
SEEDS = 1  # nothing is random

SAMPLES = pathlib.Path(__file__).resolve().parent / "planetlab.csv"
RULES = {"tfrc_s": "TFRC: 4R", "linux_s": "Linux's TCP: R + max(200 ms, 4D)", "standard_s": "standard TCP: max(1 s, R + 4D)",
         "balanced_s": "TFRC, balanced: max(200 ms, 2R)"}


def jobs(quick, seeds):
    return [Job("limits-rto/timeouts.py", {"samples": SAMPLES})]


def report(results, out, quick):
    sites = results[0].table("sites").sort_values("rtt_s").reset_index(drop=True)
    tables.write_csv(out / "sites.csv", sites)
    _draw(out / "fig12.svg", sites)
    short, long = sites[sites["rtt_s"] < 0.05], sites[sites["rtt_s"] > 0.25]
    rows = [[row["site"], *(row[name] for name in ("rtt_s", "variation_s", *RULES))] for _, row in sites.iterrows()]
    told = [[name, len(here), *(f"{(here['tfrc_s'] / here[rule]).median():.2g}" for rule in ("linux_s", "standard_s"))]
            for name, here in (("R < 50 ms", short), ("50 to 250 ms", sites.drop(short.index).drop(long.index)),
                               ("R > 250 ms", long)) if len(here)]
    tables.write_report(
        out, TITLE,
        "From one PlanetLab node to 28 others, at evenly spaced ranks of the round-trip time (planetlab.csv names the "
        "source). R and D are the averages of RFC 5348 and RFC 6298 over the site's 18 samples. The samples are hours "
        "apart, so that D is the variation over days and not that within a connection: what D adds is more than a TCP "
        "would see. The paper read the values of its own connections from the kernel.",
        "![Fig. 12](fig12.svg)",
        "4R over TCP's timeout, medians:", tables.markdown(["sites", "number", "over Linux's", "over the standard's"], told),
        tables.markdown(["site", "R, s", "D, s", *RULES.values()], rows))


def _draw(path, sites):
    figure, (axis,) = figures.panels()
    for (rule, name), look in zip(RULES.items(), style.scale(len(RULES))):
        axis.plot(range(1, len(sites) + 1), sites[rule], label=name, **look.line_options())
    axis.set(xlabel="site, by round-trip time", ylabel="timeout, s", yscale="log")
    style.plain_ticks(axis.yaxis)
    style.legend(figure)
    figures.save(figure, path)
