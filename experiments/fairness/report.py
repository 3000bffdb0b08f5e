# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables and figures of the fairness experiment: TFRC's rate over TCP's, the reasons for it, and
the losses of movies."""

import math

from batch import figures, style, tables
from batch.jobs import frame
from common.sink_settings import TFRCSINK_TEXT

FAIR = (0.5, 2)
BY = ("part", "settings", "first", "source", "rtt_ms", "queue", "flows", "tcp", "min_rto_s", "rto_policy", "variant")
MEASURES = ("ratio", "jain", "tcp_share", "utilisation", "queue_delay_mean_s", "missed", "tfrc_p", "tcp_p",
            "event_ratio", "tcp_timeouts_per_event", "tfrc_rtt_s", "tcp_rtt_s")
NAMES = {"reno": "Reno", "cubic": "CUBIC", "ns3-cubic": "ns-3's CUBIC"}
SHORT_BDP = 2  # the goal holds for drop-tail queues up to this length


VARIANTS = {"tcp_paced": "TCP paced", "tfrc_burst": "TFRC's packets leave in pairs",
            "history_length": "TFRC's loss intervals: {}"}


def variant_name(parameters):
    """The settings of a run that differ from the usual ones."""
    return ", ".join(text.format(parameters[name]) for name, text in VARIANTS.items() if name in parameters)


# Queues as a picture names them
QUEUE_TITLES = {"red": "RED", "codel": "CoDel", "fq_codel": "FQ-CoDel"}


def queue_name(parameters):
    return f"drop-tail {parameters['queue_bdp']:g} BDP" if parameters["queue"] == "droptail" else parameters["queue"]


def flows_of(result):
    """The losses of the two kinds of flows, and how TCP noticed its losses."""
    flows = result.table("flows")
    kinds = {kind: flows[flows["kind"] == kind] for kind in ("tfrc", "tcp")}
    row = {}
    for kind, rows in kinds.items():
        row[f"{kind}_p"] = rows["loss_events"].sum() / max(1, rows["packets"].sum())
        row[f"{kind}_rtt_s"] = rows["rtt_s"].mean()
        row[f"{kind}_events_per_flow"] = rows["loss_events"].mean()
    row["event_ratio"] = row["tcp_p"] / row["tfrc_p"] if row["tfrc_p"] else math.nan
    timeouts = kinds["tcp"]["timeout_series"].sum()
    row["tcp_timeouts_per_event"] = timeouts / max(1, kinds["tcp"]["fast_recoveries"].sum() + timeouts)
    return row


def runs(results):
    """One row for each run."""
    import pandas

    found = frame(results).drop(columns=["queue"])
    found["queue"] = [queue_name(result.parameters) for result in results]
    found["flows"] = [f"{result.parameters['tfrc_flows']}+{result.parameters['tcp_flows']}" for result in results]
    found["source"] = ["movie" if "playlist" in result.parameters else "greedy" for result in results]
    found["min_rto_s"] = [result.parameters.get("min_rto_s", 0.2) for result in results]
    found["variant"] = [variant_name(result.parameters) for result in results]
    found["first"] = [result.parameters.get("first", "tfrc") for result in results]
    if "missed" not in found:
        found["missed"] = math.nan
    found = found.drop(columns=["playlist", *VARIANTS], errors="ignore")
    return pandas.concat([found, pandas.DataFrame([flows_of(result) for result in results])], axis=1)


def report(results, out, quick):
    every = runs(results)
    cells = tables.over_seeds(every, BY, MEASURES)
    tables.write_csv(out / "runs.csv", every.drop(columns="cpu_s"))
    tables.write_csv(out / "cells.csv", cells)
    pairs, crowds, movies, standard, long, late, spacing = (
        cells[cells["part"] == part] for part in ("pairs", "crowds", "movies", "standard RTO", "long", "late", "spacing"))
    for settings in pairs["settings"].unique():
        _draw(out / f"pairs-{settings}.svg", pairs[pairs["settings"] == settings], _settings(settings))
    tables.write_report(
        out, "TFRC beside today's TCP", *_introduction(every, quick),
        "## One flow of each kind, t_RTO balanced", *_pairs(pairs),
        "## More flows, and every t_RTO", *_crowds(crowds),
        "## Outside of 0.5 to 2 with short queues", *_unfair(cells[cells["part"].isin(("pairs", "crowds", "standard RTO"))]),
        "## Movies", *_movies(movies),
        "## Short queues and TCP's least RTO", _standard(standard),
        "## The long path, for long", _long(long),
        "## TCP comes later", *_late(late),
        "## How packets are spaced", *_spacing(spacing))


def _settings(name):
    return {"default": TFRCSINK_TEXT, "rfc": "RFC 5348 as it is"}[name]


def _introduction(every, quick):
    times = every[every["part"] == "pairs"].groupby("rtt_ms")[["warmup_s", "duration_s"]].first()
    told = "; ".join(f"{rtt_ms:g} ms: {row['duration_s']:g} s after {row['warmup_s']:g} s" for rtt_ms, row in times.iterrows())
    return (
        f"One bottleneck of 10 Mbit/s in ns-3{'; a quick run' if quick else ''}. Measured are ({told}). Seeds "
        f"{', '.join(map(str, sorted(every['seed'].unique())))}; medians, and in brackets the least and the most. All flows "
        "start within the first second.",
        "Ratio: mean rate of a TFRC flow over mean rate of a TCP flow, delivered, with all headers (1368 bytes a packet, TCP "
        "1500). TCP has SACK, initial window 10, ACKs delayed by 40 ms, and Linux's RTO, SRTT + max(200 ms, 4 RTTVAR). RED is "
        "adaptive, with thresholds of a quarter and three quarters of the bandwidth-delay product (BDP); CoDel and FQ-CoDel "
        "have their defaults. **Bold**: not within 0.5 to 2.",
    )


def fair(ratio):
    return FAIR[0] <= ratio <= FAIR[1]


def _told(row, measure):
    text = tables.spread(row, measure)
    return text if measure != "ratio" or fair(row[measure]) else f"**{text}**"


def _grid(cells, measure, down, across):
    """A table with a row for each value of the columns 'down' and a column for each value of
    'across'."""
    columns = [tuple(row) for row in cells[list(across)].drop_duplicates().to_numpy().tolist()]
    rows = []
    for key, here in cells.groupby(list(down), sort=False):
        values = {tuple(row[name] for name in across): _told(row, measure) for _, row in here.iterrows()}
        rows.append([*key, *(values.get(column, "") for column in columns)])
    return tables.markdown([*down, *(", ".join(map(str, column)) for column in columns)], rows)


def _pairs(cells):
    for settings in cells["settings"].unique():
        chosen = cells[cells["settings"] == settings]
        yield f"{_settings(settings)}:"
        yield _grid(chosen, "ratio", ("queue", "rtt_ms"), ("tcp",))
        yield f"![{_settings(settings)}](pairs-{settings}.svg)"
    yield _summary(cells)


def _crowds(cells):
    yield f"{_settings('default')}. Columns: round-trip time in ms, t_RTO."
    yield _grid(cells, "ratio", ("queue", "flows", "tcp"), ("rtt_ms", "rto_policy"))
    yield "Jain's index:"
    yield _grid(cells, "jain", ("queue", "flows", "tcp"), ("rtt_ms", "rto_policy"))


def is_short(cells):
    """Cells whose queue is not a drop-tail queue of more than SHORT_BDP."""
    return ~cells["queue"].isin([name for name in cells["queue"].unique()
                                 if name.startswith("drop-tail") and float(name.split()[1]) > SHORT_BDP])


def _summary(cells):
    rows = []
    short = cells[is_short(cells)]
    for (settings, tcp, flows, policy), here in short.groupby(["settings", "tcp", "flows", "rto_policy"], sort=False):
        rows.append([settings, NAMES[tcp], flows, policy, here["ratio"].min(), here["ratio"].median(), here["ratio"].max(),
                     f"{sum(map(fair, here['ratio']))} of {len(here)}", here["jain"].median(),
                     here["utilisation"].median()])
    return tables.markdown(["settings", "TCP", "flows", "t_RTO", "least ratio", "median", "most", "within 0.5 to 2",
                            "Jain's index, median", "utilisation, median"], rows)


def _unfair(cells):
    """A table of the reasons. If timeouts are rare, the equation gives a ratio of rates that is the
    square root of the ratio of the loss event rates."""
    rows = []
    short = cells[is_short(cells) & (cells["rto_policy"] == "balanced")]
    short = short[(short["first"] == "tfrc") & (short["min_rto_s"] == 0.2)].drop_duplicates(
        ["settings", "rtt_ms", "queue", "flows", "tcp"])
    for _, row in short[~short["ratio"].map(fair)].iterrows():
        rows.append([row["settings"], row["rtt_ms"], row["queue"], row["flows"], NAMES[row["tcp"]], tables.spread(row, "ratio"),
                     row["tfrc_p"], row["tcp_p"], math.sqrt(row["event_ratio"]), row["tcp_timeouts_per_event"],
                     row["tfrc_rtt_s"], row["tcp_rtt_s"]])
    return ("t_RTO `balanced`, queues of at most 2 BDP. p: loss events of the network per packet (what is dropped of a flow "
            "within one round-trip time is one event). Their square root's ratio is what the equation makes of the difference "
            "where timeouts do not count.",
            tables.markdown(["settings", "RTT, ms", "queue", "flows", "TCP", "ratio", "p of TFRC", "p of TCP",
                             "sqrt(p of TCP / p of TFRC)", "TCP's timeouts / its loss indications", "R of TFRC, s",
                             "R of TCP, s"], rows))


def _movies(cells):
    yield ("V for Vendetta (traces/, 640 kbit/s, played as if live: what has waited for 2 s is dropped). Share of its packets "
           "that come 2.5 s late or not at all:")
    yield _grid(cells, "missed", ("queue", "flows", "tcp"), ("rtt_ms",))
    yield "What TCP gets, of an equal share of the link:"
    yield _grid(cells, "tcp_share", ("queue", "flows", "tcp"), ("rtt_ms",))


def _standard(cells):
    rows = [[row["queue"], row["flows"], NAMES[row["tcp"]], row["rto_policy"], f"{row['min_rto_s']:g} s", _told(row, "ratio"),
             row["tcp_timeouts_per_event"]] for _, row in cells.sort_values(["queue", "flows", "tcp", "rto_policy"]).iterrows()]
    return tables.markdown(["queue", "flows", "TCP", "t_RTO", "TCP's least RTO", "ratio",
                            "TCP's timeouts / its loss indications"], rows)


def _long(cells):
    rows = [[NAMES[row["tcp"]], row["rto_policy"], _told(row, "ratio"), row["tfrc_p"], row["tcp_p"],
             math.sqrt(row["event_ratio"]), row["tfrc_rtt_s"], row["queue_delay_mean_s"], row["utilisation"]]
            for _, row in cells.iterrows()]
    return tables.markdown(["TCP", "t_RTO", "ratio", "p of TFRC", "p of TCP", "sqrt(p of TCP / p of TFRC)", "R of TFRC, s",
                            "mean queue, s", "utilisation"], rows)


def _late(cells):
    rows = []
    for _, row in cells.iterrows():
        name = NAMES[row["tcp"]]
        tfrc = ", ".join(filter(None, ("TFRC", row["rto_policy"], row["settings"], row["variant"])))
        first = name if row["first"] == "tcp" else tfrc
        rows.append([row["rtt_ms"], first, name, _told(row, "ratio"), row["tfrc_p"], row["tcp_p"], row["queue_delay_mean_s"]])
    yield ("A flow has had the path, drop-tail of 1 BDP, for itself for two minutes; measured is the first minute from when "
           "TCP starts. Ratio: the first flow's rate over the other's.")
    yield tables.markdown(["RTT, ms", "first", "then", "ratio", "p of the first", "p of the other", "mean queue, s"], rows)


def _spacing(cells):
    rows = [[row["rtt_ms"], row["queue"], row["variant"] or "as usual", _told(row, "ratio"), row["tfrc_p"], row["tcp_p"],
             row["utilisation"]] for _, row in cells.iterrows()]
    yield ("Beside Reno, RFC 5348 as it is, t_RTO `balanced`. As usual TFRC spaces its packets evenly, and TCP sends two or "
           "three at once for each delayed acknowledgement.")
    yield tables.markdown(["RTT, ms", "queue", "variant", "ratio", "p of TFRC", "p of TCP", "utilisation"], rows)


def _draw(path, cells, title):
    every, queues, times = (list(cells[name].unique()) for name in ("tcp", "queue", "rtt_ms"))
    figure, axes = figures.row_panels([QUEUE_TITLES.get(name, name) for name in queues], len(times), columns=len(every),
                                      sharex=True)
    for axis, tcp in zip(axes, every):
        for index, (rtt_ms, look) in enumerate(zip(times, style.scale(len(times)))):
            rows = cells[(cells["tcp"] == tcp) & (cells["rtt_ms"] == rtt_ms)]
            figures.points(axis, rows, "ratio", rows["queue"].map(queues.index), look, (index, len(times)),
                           label=f"round-trip time {rtt_ms:g} ms")
        style.fair_band(axis, FAIR, across=True)
        axis.set(xscale="log", title=f"beside {NAMES[tcp]}", xlabel="TFRC's rate over TCP's")
        style.plain_digits(axis.xaxis)
    style.legend(figure)
    figure.suptitle(title)
    figures.save(figure, path)
