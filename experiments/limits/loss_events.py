# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figs 1 to 5: flows of different rates lose the same share of their packets, but see different
loss event rates."""

import numpy
import pandas

from batch import figures, style, tables

from . import paper
from .analytic import difference_ratio, renewal_loss_event_rate, theorem_loss_event_rate
from .runs import flows_of, kind_of

RATE_BPS = 20e6
# Figs 1 to 4 show standard TFRC; Fig. 5 adds TFRC whose rate is multiplied.
RATE_SCALES = ("1", "1,2,4")
SCALED = RATE_SCALES[-1]
PACKET_BITS = 8000
# Standard TFRC, and TFRC with its rate multiplied by 2 and by 4
SCALE_LOOKS = (style.transport("tfrc"), style.Look(style.SKY, "^", "--"), style.Look("#003f5c", "D", "-."))
DRAWN_CBR_BPS = (64e3, 165e3, 500e3, 1e6)


def kinds(results):
    """One row for each run and kind of flow: TFRC of each scale, TCP, and each CBR rate."""
    rows = []
    for result in results:
        flows = flows_of(result)
        about = {"seed": result.parameters["seed"], "background": result.parameters["background"],
                 "rate_scales": result.parameters["rate_scales"], "p": result.measures["packet_loss_rate"]}
        rtt_s = kind_of(flows, "tfrc")["rtt_s"]
        for name in ("tfrc", "tcp"):
            for scale in sorted(set(flows.loc[flows["kind"] == name, "rate_scale"])):
                values = kind_of(flows, name, scale)
                rows.append(about | {"kind": name, "scale": scale, "cbr_bps": None}
                            | {column: values[column] for column in ("rate_bps", "packet_loss_rate", "loss_event_rate")})
        for _, flow in flows[flows["kind"] == "cbr"].iterrows():
            w = flow["offered_bps"] / PACKET_BITS * rtt_s
            rows.append(about | {
                "kind": "cbr", "scale": 1, "cbr_bps": flow["offered_bps"], "rate_bps": flow["rate_bps"],
                "packet_loss_rate": flow["packet_loss_rate"], "loss_event_rate": flow["loss_event_rate"],
                "packets_per_rtt": w, "theorem": theorem_loss_event_rate(about["p"], w),
                "renewal": renewal_loss_event_rate(about["p"], w)})
    return pandas.DataFrame(rows)


def report(results, out):
    every = kinds(results)
    tables.write_csv(out / "loss_events.csv", every)
    plain = every[every["rate_scales"] != SCALED]
    scaled = every[every["rate_scales"] == SCALED]
    _draw_by_rate(out, plain)
    _draw_fig4(out / "fig4.svg", plain)
    _draw_fig5(out / "fig5.svg", scaled)
    return ("## Loss events of flows of different rates (Figs 1 to 5)",
            "14 CBR flows, 5 TFRC and 5 TCP on 20 Mbit/s; TFRC with TCP's t_RTO, as in the paper's section 5. "
            f"The paper: {paper.PAPER['fig2']}.",
            "![Fig. 1](fig1.svg)\n![Fig. 2](fig2.svg)\n![Fig. 3](fig3.svg)", *_cbr_table(plain),
            "TFRC, TCP and the CBR flow whose rate is nearest to TCP's (M1) and to TFRC's (M2), as difference ratios of "
            f"loss event rates. The paper: {paper.PAPER['fig4']}.", _fig4_table(plain), "![Fig. 4](fig4.svg)",
            f"TFRC with the equation's result multiplied. The paper: {paper.PAPER['fig5']}.", _fig5_table(scaled),
            "![Fig. 5](fig5.svg)")


def _mean(rows, by, columns):
    return rows.groupby(by, as_index=False)[columns].mean()


def _draw_by_rate(out, every):
    titles = {"fig1": ("packet_loss_rate", "packet loss rate of the flow"), "fig2": ("loss_event_rate", "loss event rate"),
              "fig3": ("rate_kbps", "rate, kbit/s")}
    every = every.assign(rate_kbps=every["rate_bps"] / 1e3)
    for name, (column, label) in titles.items():
        figure, (axis,) = figures.panels()
        for kind in ("tfrc", "tcp"):
            cells = _mean(every[every["kind"] == kind], "background", ["p", column])
            axis.plot(cells["p"], cells[column], label=kind.upper(), **style.transport(kind).line_options())
        for look, rate in zip(style.scale(len(DRAWN_CBR_BPS)), DRAWN_CBR_BPS):
            cells = _mean(every[every["cbr_bps"] == rate], "background", ["p", column, "theorem", "renewal"])
            axis.plot(cells["p"], cells[column], label=f"CBR {rate / 1e3:g} kbit/s", **look.line_options())
            if name == "fig2":
                axis.plot(cells["p"], cells["theorem"], linestyle=":", color=look.colour)
                axis.plot(cells["p"], cells["renewal"], linestyle="--", color=look.colour)
        if name == "fig2":
            axis.plot([], [], linestyle=":", color=style.BLACK, label="Theorem 4.1")
            axis.plot([], [], linestyle="--", color=style.BLACK, label="renewal form")
        axis.set(xlabel="packet loss rate of the bottleneck", ylabel=label)
        _loss_and_rate(axis, rate=name == "fig3")
        style.legend(figure)
        figures.save(figure, out / f"{name}.svg")


def _loss_and_rate(axis, rate):
    """The ticks of an axis of loss rates, and of one of rates in kbit/s or of loss rates, too."""
    style.percent(axis.xaxis)
    if rate:
        axis.set_yscale("log")
        style.plain_digits(axis.yaxis)
    else:
        style.percent(axis.yaxis)


def _cbr_table(every):
    """The CBR flows of the run whose packet loss is nearest to that of ns-2's numbers, and how well
    the two forms fit all runs."""
    cbr = every[every["kind"] == "cbr"]
    chosen = cbr[cbr["p"] == cbr["p"].iloc[(cbr["p"] - paper.NS2_CBR_LOSS).abs().argmin()]]
    rows = [[row["cbr_bps"] / 1e3, row["packets_per_rtt"], row["packet_loss_rate"], row["loss_event_rate"],
             row["theorem"], row["renewal"], paper.NS2_CBR.get(row["cbr_bps"])] for _, row in chosen.iterrows()]
    # Below 64 kbit/s the forms hardly differ, and a run has too few loss events to compare them.
    fast = cbr[cbr["cbr_bps"] >= 64e3]
    errors = {form: numpy.sqrt(((fast[form] / fast["loss_event_rate"] - 1) ** 2).mean()) for form in ("theorem", "renewal")}
    return (
        f"At a packet loss rate of {chosen['p'].iloc[0]:.3f} (ns-2: {paper.NS2_CBR_LOSS}):",
        tables.markdown(["kbit/s", "packets per RTT", "packet loss rate", "loss event rate", "Theorem 4.1",
                         "renewal form", "ns-2"], rows),
        "Over all runs and rates from 64 kbit/s on, the root mean square of the relative error is "
        f"{errors['theorem']:.3f} for Theorem 4.1 and {errors['renewal']:.3f} for the renewal form.",
    )


def matched(every):
    """For each run: TFRC, TCP, and the CBR flows nearest to their rates."""
    rows = []
    for _, run in every.groupby(["seed", "background"]):
        cbr = run[run["kind"] == "cbr"]
        tfrc, tcp = (run[run["kind"] == kind].iloc[0] for kind in ("tfrc", "tcp"))
        m1, m2 = (cbr.loc[(numpy.log(cbr["cbr_bps"] / flow["rate_bps"])).abs().idxmin()] for flow in (tcp, tfrc))
        rows.append({"p": tfrc["p"], "cbr_tcp": difference_ratio(m1["loss_event_rate"], tcp["loss_event_rate"]),
                     "cbr_tfrc": difference_ratio(m2["loss_event_rate"], tfrc["loss_event_rate"]),
                     "tfrc_tcp": difference_ratio(tfrc["loss_event_rate"], tcp["loss_event_rate"]),
                     "throughput": difference_ratio(tcp["rate_bps"], tfrc["rate_bps"])})
    return pandas.DataFrame(rows).sort_values("p")


def _fig4_table(every):
    return tables.markdown(["p", "CBR and TCP (M1)", "CBR and TFRC (M2)", "TFRC and TCP", "throughput: TCP and TFRC"],
                           matched(every)[["p", "cbr_tcp", "cbr_tfrc", "tfrc_tcp", "throughput"]].values.tolist())


def _draw_fig4(path, every):
    rows = matched(every)
    figure, (top, bottom) = figures.panels(columns=2)
    for column, label, look in (("cbr_tcp", "CBR of TCP's rate, over TCP (M1)", style.Look(style.RED, "s")),
                                ("cbr_tfrc", "CBR of TFRC's rate, over TFRC (M2)", style.transport("tfrc")),
                                ("tfrc_tcp", "TFRC over TCP", style.Look(style.VIOLET, "D"))):
        top.plot(rows["p"], rows[column], label=label, **look.line_options())
    top.set(xlabel="packet loss rate", ylabel="difference ratio", title="loss event rates")
    bottom.plot(rows["p"], rows["throughput"], label="TCP over TFRC", color=style.BLACK, marker="^")
    bottom.set(xlabel="packet loss rate", title="throughput")
    for axis in (top, bottom):
        style.percent(axis.xaxis)
    style.legend(figure)
    figures.save(figure, path)


def _scaled(every):
    return _mean(every[every["kind"] != "cbr"], ["kind", "scale", "background"], ["p", "rate_bps", "loss_event_rate"])


def _fig5_table(every):
    cells = _scaled(every)
    rows = []
    for background, run in cells.groupby("background"):
        tcp = run[run["kind"] == "tcp"].iloc[0]
        row = [background, tcp["p"], tcp["rate_bps"] / 1e3, tcp["loss_event_rate"]]
        for _, tfrc in run[run["kind"] == "tfrc"].sort_values("scale").iterrows():
            row += [tfrc["rate_bps"] / tcp["rate_bps"], tfrc["loss_event_rate"]]
        rows.append(row)
    scales = sorted(set(cells.loc[cells["kind"] == "tfrc", "scale"]))
    return tables.markdown(["background", "p", "TCP, kbit/s", "its loss event rate",
                            *(text for scale in scales for text in (f"x{scale:g}: rate / TCP's", "loss event rate"))], rows)


def _draw_fig5(path, every):
    figure, axes = figures.panels(columns=2)
    looks = iter(SCALE_LOOKS)
    for (kind, scale), cells in sorted(_scaled(every).groupby(["kind", "scale"]), key=lambda group: group[0][0] == "tcp"):
        if kind == "tcp":
            label, look = "TCP", style.transport("tcp")
        else:
            label, look = "TFRC" if scale == 1 else f"TFRC, rate times {scale:g}", next(looks)
        for axis, column, unit in zip(axes, ("loss_event_rate", "rate_bps"), (1, 1e-3)):
            axis.plot(cells["p"], cells[column] * unit, label=label, **look.line_options())
    for axis, label in zip(axes, ("loss event rate", "rate, kbit/s")):
        axis.set(xlabel="packet loss rate", ylabel=label)
        _loss_and_rate(axis, rate=axis is axes[1])
    style.legend(figure)
    figures.save(figure, path)
