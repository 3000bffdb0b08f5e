# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables and figures of enhanced TFRC: the paper's claims, each mechanism beside RFC 5348, TCP's
share, the classifiers' errors, and movies."""

import math

from batch import figures, style, tables
from batch.jobs import frame
from common.sink_settings import TFRCSINK_TEXT

from . import estimates, paper, variants

PATH_MEASURES = (*paper.CLAIMS, "delay_from_source_s", "queue_loss_ratio", "p", "rtt_s", "rto_s")
MOVIE_MEASURES = ("iplr", "iptd_mean_s", "iptd_max_s")
COUNTS = ("judged_link_errors", "judged_queue_drops")
LOOKS = {variants.CLASSIC: style.Look(style.SKY, "v", "--"), variants.PAPER: style.Look(style.VIOLET, "D", "-."),
         variants.ENHANCED: style.Look(style.BLUE, "o")}
DRAWN = {variants.CLASSIC: "RFC 5348", variants.PAPER: "enhanced as in the paper", variants.ENHANCED: "enhanced"}
# Factor and unit of a figure's axis
AXES = {"throughput_bps": (1e-6, "throughput, Mbit/s"), "loss_ratio": (100, "packets lost, %"),
        "delay_s": (1e3, "mean delay in the network, ms"), "delivery_ratio": (1, "delivered / generated"),
        "jitter_s": (1e3, "mean jitter, ms")}
TCP_NAMES = {"none": "nobody", "reno": "Reno", "cubic": "CUBIC"}


def runs(results):
    """A row for each variant of each run."""
    import pandas

    plain = frame(results)
    rows = [{**row, "variant": name} for result, row in zip(results, plain.to_dict("records"))
            for name in variants.names_of(result.parameters)]
    found = pandas.DataFrame(rows).drop(columns=[*variants.OPTIONS, "playlist"], errors="ignore")
    if "tcp" not in found:
        found["tcp"] = math.nan
    found["tcp"] = found["tcp"].fillna("none")
    order = list(variants.VARIANTS)
    return found.sort_values("variant", key=lambda column: column.map(order.index), kind="stable")


def report(results, out, quick):
    every = runs(results)
    alone, tcp, queues, movies = (every[every["part"] == part].dropna(axis=1, how="all")
                                  for part in ("alone", "tcp", "queues", "movie"))
    for name, part in (("alone", alone), ("tcp", tcp), ("queues", queues), ("movies", movies)):
        tables.write_csv(out / f"{name}.csv", part.drop(columns="cpu_s"))
    for name, measure in paper.FIGURES.items():
        _draw(out / f"{name}.svg", alone, measure)
    tables.write_report(
        out, "Enhanced TFRC", *_introduction(alone, tcp, movies, quick),
        "## The paper's claims", *_claims(alone),
        "## Figures 3 to 7", "\n".join(f"![{name}]({name}.svg)" for name in paper.FIGURES),
        "## Each mechanism, alone on the path", *_mechanisms(alone),
        "## Beside one TCP flow", *_beside_tcp(tcp),
        "## Queues that drop early, and a short one", *_queues(queues),
        "## Telling link errors from congestion", *_classifiers(every),
        "## Movies", *_movies(movies))


def _introduction(alone, tcp, movies, quick):
    return (
        f"One TFRC flow over four bottlenecks of 5, 4, 10 and 2 Mbit/s in ns-3{'; a quick run' if quick else ''}, with 10 ms "
        "each, drop-tail queues of one bandwidth-delay product, packets of 1000 bytes with all headers, a base round-trip time "
        "of 84 ms, and plain UDP of 0.5 Mbit/s across each bottleneck: 1.5 Mbit/s are left. A source of a constant rate (the "
        "offered rate) fills TFRC's send queue, which has no limit. Random losses are on the last link. "
        f"{alone['duration_s'].max():g} s, all of which count, {alone['seed'].nunique()} seed(s); beside TCP "
        f"{tcp['duration_s'].max() - tcp['warmup_s'].max():g} s after {tcp['warmup_s'].max():g} s, {tcp['seed'].nunique()} "
        f"seed(s); movies {movies['duration_s'].max():g} s, {movies['seed'].nunique()} seed(s). Means, and in brackets 95 % "
        "confidence intervals (Student's t over seeds); differences are paired by seed.",
        tables.markdown(["variant", "meaning"], [[name, variants.MEANINGS.get(name, "") or _options(name)]
                                                 for name in variants.VARIANTS]),
    )


def _options(name):
    return ", ".join(f"`{option}={value}`" for option, value in variants.VARIANTS[name].items()) or "RFC 5348"


# ---- the paper's claims ---------------------------------------------------------------------------------------------


def _verdict(claim, low, high):
    """The paper's difference beside the interval of ours."""
    if math.isnan(low):
        return "no interval"
    if low <= 0 <= high:
        return "not confirmed: no difference shown"
    if (low > 0) != (claim > 0):
        return "refuted: the other direction"
    if low <= claim <= high:
        return "confirmed"
    return "confirmed, more" if min(abs(low), abs(high)) > abs(claim) else "direction confirmed, less"


def _claims(alone):
    yield ("Enhanced TFRC as in the paper against classic TFRC. Ours: the difference in percent of the means over all offered "
           "rates of the figures. Delay is that in the network, from the time of sending; ns-2's TFRC has no send queue, so this "
           "is what the paper can have measured.")
    rates = sorted(alone[alone["variant"] == variants.PAPER]["offered_bps"].unique())
    swept = alone[alone["offered_bps"].isin(rates)]
    for name in (variants.PAPER, variants.ENHANCED):
        rows = []
        for measure, claim in paper.CLAIMS.items():
            row = [paper.NAMES[measure], f"{claim:+d}"]
            for _, group in _by_loss(swept, 2):
                found = estimates.difference(group, name, variants.CLASSIC, measure)
                row += [estimates.told(*found, sign=True), _verdict(claim, *found[1:])]
            rows.append(row)
        losses = [f"{100 * loss:g} % random loss" for loss, _ in _by_loss(swept, 2)]
        yield f"{name}:"
        yield tables.markdown(["difference, %", "the paper", *(text for loss in losses for text in (loss, ""))], rows)


def _by_loss(rows, count=None):
    """Pairs of loss rate and rows, for the loss rates that classic and the paper's variant have at
    every offered rate."""
    every = rows.groupby("link_loss")["offered_bps"].nunique()
    full = [loss for loss in sorted(every.index) if every[loss] == every.max()]
    return [(loss, rows[rows["link_loss"] == loss]) for loss in full[:count]]


def _draw(path, alone, measure):
    scale, label = AXES[measure]
    parts = _by_loss(alone)
    figure, axes = figures.panels(len(parts), sharey=True)
    for axis, (loss, group) in zip(axes, parts):
        group = group[group["variant"].isin(LOOKS)].copy()
        group["offered_mbps"] = group["offered_bps"] / 1e6
        group[measure] *= scale
        # One seed has no interval to draw.
        cells = estimates.means(group, ("variant", "offered_mbps"), [measure]).dropna(axis=1, how="all")
        for name, look in LOOKS.items():
            figures.line(axis, cells[cells["variant"] == name], "offered_mbps", measure, look, label=DRAWN[name])
        axis.set_title("congestion alone" if loss == 0 else f"{100 * loss:g} % random loss besides")
        axis.set_xlabel("offered rate, Mbit/s")
    axes[0].set_ylabel(label)
    # After all panels, because a limit keeps the others from growing with what is drawn later.
    axes[0].set_ylim(bottom=0)
    style.legend(figure)
    figures.save(figure, path)


# ---- each mechanism -------------------------------------------------------------------------------------------------


def _mechanisms(alone):
    rates = alone[alone["variant"] == "R and RTO"]["offered_bps"].unique()
    yield "Classic: the mean. Others: the difference from classic in percent."
    for loss, group in _by_loss(alone[alone["offered_bps"].isin(rates)]):
        for offered, here in group.groupby("offered_bps"):
            yield f"### {offered / 1e6:g} Mbit/s offered, {100 * loss:g} % random loss"
            yield _differences(here, [*paper.CLAIMS, "p", "rtt_s"],
                               [*(f"{paper.NAMES[measure]}{_unit(measure)}" for measure in paper.CLAIMS), "p", "R, s"])


def _unit(measure):
    return {"throughput_bps": ", bit/s", "delay_s": ", s", "jitter_s": ", s"}.get(measure, "")


def _differences(rows, measures, headings):
    cells = estimates.means(rows, ("variant",), measures)
    classic = cells[cells["variant"] == variants.CLASSIC]
    table = [[variants.CLASSIC, *(estimates.cell(row, measure) for measure in measures)] for _, row in classic.iterrows()]
    for name in cells["variant"]:
        if name != variants.CLASSIC:
            table.append([name, *(estimates.told(*estimates.difference(rows, name, variants.CLASSIC, measure), sign=True)
                                  for measure in measures)])
    return tables.markdown(["variant", *headings], table)


def _beside_tcp(tcp):
    tcp = tcp.assign(share=tcp["throughput_bps"] / tcp["tcp_bps"], used=(tcp["throughput_bps"] + tcp["tcp_bps"]) / 1.5e6)
    yield ("The source has always data. Share: TFRC's throughput over TCP's. The last two columns are the differences of TFRC's "
           "and TCP's throughput from those with classic TFRC, in percent.")
    for (name, loss), here in tcp.groupby(["tcp", "link_loss"], sort=False):
        cells = estimates.means(here, ("variant",), ["throughput_bps", "tcp_bps", "share", "used", "loss_ratio", "delay_s"])
        rows = []
        for _, row in cells.iterrows():
            differences = [estimates.told(*estimates.difference(here, row["variant"], variants.CLASSIC, measure), sign=True)
                           if row["variant"] != variants.CLASSIC else None for measure in ("throughput_bps", "tcp_bps")]
            rows.append([row["variant"], estimates.cell(row, "throughput_bps", 1e-6), estimates.cell(row, "tcp_bps", 1e-6),
                         estimates.cell(row, "share"), estimates.cell(row, "used"), *differences])
        yield f"### {TCP_NAMES[name]}, {100 * loss:g} % random loss"
        yield tables.markdown(["variant", "TFRC, Mbit/s", "TCP, Mbit/s", "share", "utilisation", "TFRC's, %", "TCP's, %"], rows)


def _queues(queues):
    yield (f"A greedy flow beside one Reno flow at 10 Mbit/s with a round-trip time of {queues['rtt_ms'].max():g} ms "
           f"({queues['duration_s'].max():g} s, {queues['seed'].nunique()} seed(s)). Such queues drop packets while the delay is "
           "short, which a classifier may take for link errors. Share: TFRC's rate over TCP's.")
    queues = queues.assign(queue=[row["queue"] if row["queue"] != "droptail" else f"drop-tail {row['queue_bdp']:g} BDP"
                                  for _, row in queues.iterrows()])
    cells = estimates.means(queues, ("queue", "variant"), ["tfrc_bps", "tcp_bps", "ratio", "queue_delay_mean_s"])
    yield tables.markdown(
        ["queue", "variant", "TFRC, Mbit/s", "TCP, Mbit/s", "share", "mean delay in the queue, ms"],
        [[row["queue"], row["variant"], estimates.cell(row, "tfrc_bps", 1e-6), estimates.cell(row, "tcp_bps", 1e-6),
          estimates.cell(row, "ratio"), estimates.cell(row, "queue_delay_mean_s", 1e3)]
         for _, row in cells.sort_values("queue", kind="stable").iterrows()])


# ---- the classifiers ------------------------------------------------------------------------------------------------


def _classifiers(every):
    found = every[every["variant"].isin(variants.CLASSIFYING) & every["part"].isin(("alone", "tcp"))]
    found = found[found["offered_bps"] >= 3e6].copy()
    yield ("All losses of a greedy flow, of all seeds together. False congestion: link errors that the receiver calls "
           "congestion. False link error: drops of queues that the receiver calls link errors.")
    rows = []
    for (tcp, loss, offered, name), here in found.groupby(["tcp", "link_loss", "offered_bps", "variant"], sort=False):
        errors, drops = (here[count].sum() for count in COUNTS)
        rows.append([TCP_NAMES[tcp], f"{100 * loss:g}", offered / 1e6, name, int(errors),
                     _part(here, "false_congestion", COUNTS[0]), int(drops), _part(here, "false_link_error", COUNTS[1])])
    yield tables.markdown(["beside", "random loss, %", "offered, Mbit/s", "variant", "link errors", "false congestion, %",
                           "queue drops", "false link error, %"], rows)


def _part(rows, fraction, count):
    """The fraction over all runs in percent. A run without such losses has no fraction."""
    total = rows[count].sum()
    return 100 * (rows[fraction].fillna(0) * rows[count]).sum() / total if total else None


# ---- movies ---------------------------------------------------------------------------------------------------------


def _movies(movies):
    yield ("One movie alone in the network of the VoD paper's Table 1 (2 Mbit/s, 20 ms, 20 packets), each seed with another "
           f"movie of the kind. `tfrc-rfc`: RFC 5348 alone; `tfrc`: with {TFRCSINK_TEXT}.")
    cells = estimates.means(movies, ("movie", "link_loss", "transport", "variant"), MOVIE_MEASURES)
    rows = [[row["movie"], f"{100 * row['link_loss']:g}", row["transport"], row["variant"],
             *(estimates.cell(row, measure) for measure in MOVIE_MEASURES)] for _, row in cells.iterrows()]
    yield tables.markdown(["movie", "random loss, %", "transport", "variant", "IPLR", "mean IPTD, s", "longest IPTD, s"], rows)
