# SPDX-License-Identifier: LGPL-2.1-or-later
"""C1's rate beside the throughput equation, and beside TCP in the same place at the same losses.

Both tables tell whether TFRC is too timid. If a flow sends what the equation gives for the flow's
own losses, the rate control is right, and only the equation's inputs can make the rate low.
"""

from batch import tables
from common.equation import Equation

WIRE_BYTES = 1500
STANDARD_RTO = "4r"
BY = ("scenario", "tfrc_rto", "buffer_packets", "hops")
MEASURES = ("c1_loss_event_rate", "c1_rtt_s", "c1_rto_s", "c1_sent_kbps", "of_equation", "reno_loss_event_rate",
            "reno_sent_kbps", "reno_of_equation", "reno_at_same_kbps", "of_reno_at_same")
# A run of TFRC and a run of Reno are in the same place if these agree. cross_rto: see with_place().
PLACE = ("buffer_packets", "hops", "cross", "cross_rto", "seed")


def with_place(every):
    """The rows with a column for the policy of the cross traffic, which only TFRC has."""
    return every.assign(cross_rto=every["tfrc_rto"].where(every["cross"] == "tfrc", ""))


def beside(every, equation=None):
    """One row for each run whose C1 is TFRC, with the columns of MEASURES. of_equation: C1's sent
    rate over the equation's rate for C1's loss event rate, mean R and mean t_RTO. reno_...: the
    same of the run with Reno in C1's place. reno_at_same_kbps: what that Reno would send at TFRC's
    loss event rate and R; its rate changes as the equation does with TCP's own timeout."""
    equation = equation or Equation()
    every = with_place(every).assign(c1_sent_kbps=every["c1_sent_bps"] / 1e3)
    every["of_equation"] = [row["c1_sent_kbps"] / _kbps(equation, row["c1_loss_event_rate"], row["c1_rtt_s"], row["c1_rto_s"])
                            for _, row in every.iterrows()]
    tfrc, reno = every[every["c1"] == "tfrc"], every[every["c1"] == "reno"]
    own = {"c1_loss_event_rate": "reno_loss_event_rate", "c1_sent_kbps": "reno_sent_kbps", "of_equation": "reno_of_equation",
           "c1_rto_s": "reno_rto_s"}
    pairs = tfrc.merge(reno[[*PLACE, *own]].rename(columns=own), how="left", on=list(PLACE))
    pairs["reno_at_same_kbps"] = [
        row["reno_of_equation"] * _kbps(equation, row["c1_loss_event_rate"], row["c1_rtt_s"], row["reno_rto_s"])
        for _, row in pairs.iterrows()]
    pairs["of_reno_at_same"] = pairs["c1_sent_kbps"] / pairs["reno_at_same_kbps"]
    return pairs


def _kbps(equation, p, rtt_s, rto_s):
    """NaN without a loss or without a sample of the round-trip time"""
    return 8 * equation.rate_Bps(WIRE_BYTES, rtt_s, rto_s, p) / 1e3 if p > 0 and rtt_s > 0 else float("nan")


def report(every, out):
    """The blocks of the report, and equation.csv. every: the rows of definition.runs()."""
    cells = tables.over_seeds(beside(every), BY, MEASURES)
    tables.write_csv(out / "equation.csv", cells)
    rows = [[row["scenario"], row["tfrc_rto"], row["buffer_packets"], row["hops"],
             *(row[name] for name in ("c1_loss_event_rate", "c1_rtt_s", "c1_rto_s")), tables.spread(row, "c1_sent_kbps"),
             tables.spread(row, "of_equation"),
             *(row[name] for name in ("reno_loss_event_rate", "reno_sent_kbps", "reno_of_equation", "reno_at_same_kbps")),
             tables.spread(row, "of_reno_at_same")] for _, row in cells.iterrows()]
    headings = ["scenario", "t_RTO", "buffer", "N", "p", "R, s", "t_RTO, s", "sent, kbit/s", "sent / equation",
                "Reno: p", "sent, kbit/s", "sent / equation", "at TFRC's p and R, kbit/s", "TFRC / Reno at the same"]
    return ("C1 = TFRC. Sent: all packets of C1, with all headers. p: C1's loss events in the queues for each packet sent, "
            "where all drops within one R are one event. R and t_RTO: means over the run of what C1's sender has. The "
            "equation is that of RFC 5348 with these three values. Reno: the run with the same seed and the same cross "
            "traffic that has Reno as C1, beside the equation with its own p, R and timeout. 'At TFRC's p and R': that "
            "Reno's rate times the change of the equation, which keeps Reno's own timeout, from Reno's p and R to TFRC's.",
            tables.markdown(headings, rows))
