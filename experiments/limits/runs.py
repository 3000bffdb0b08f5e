# SPDX-License-Identifier: LGPL-2.1-or-later
"""The results of the limits experiment as tables: one row for each flow, and one row for each run.
The row of a run has the means of its TFRC and TCP flows, and the rates that the throughput equation
gives for their losses."""

import math

import pandas

from batch.jobs import frame

from .analytic import difference_ratio

# Columns of flows.csv that are averaged over the flows of a kind
STATISTICS = ("mean_interval", "var_interval", "mean_predictor", "var_predictor", "covariance", "mean_inverse_predictor",
              "predicted_gap", "reported_p")
WIRE_BYTES = 1000
# Parameters that only some jobs have, with the program's default for the other jobs.
DEFAULTS = {"history_length": 8, "min_rto_s": 1.0}


def flows_of(result):
    """The flows of one run."""
    flows = result.table("flows")
    flows["loss_event_rate"] = flows["loss_events"] / flows["packets"]
    flows["packet_loss_rate"] = flows["drops"] / flows["packets"]
    return flows


def kind_of(flows, kind, rate_scale=1):
    """One row for all flows of a kind: means of rates, times and statistics, and the sum of
    losses."""
    chosen = flows[(flows["kind"] == kind) & (flows["rate_scale"] == rate_scale)]
    packets = chosen["packets"].sum()
    means = chosen[["rate_bps", "rtt_s", "rto_s", *STATISTICS]].mean()
    indications = chosen["fast_recoveries"].sum() + chosen["timeout_series"].sum()
    return {**means, "loss_event_rate": chosen["loss_events"].sum() / packets,
            "packet_loss_rate": chosen["drops"].sum() / packets, "indication_rate": indications / packets}


def equation_bps(equation, values, p):
    return 8 * equation.rate_Bps(WIRE_BYTES, values["rtt_s"], values["rto_s"], min(p, 1)) if p > 0 else math.nan


def run_row(result, equation):
    """One run: TFRC (rate scale 1) beside TCP. The names are the paper's. f_tcp is f(p_tcp) with
    TCP's RTT and RTO, where p_tcp counts TCP's loss indications. f_tfrc is f(1/E[theta]) and
    f_bound is f(E[1/theta^]), both with TFRC's RTT and t_RTO."""
    flows = flows_of(result)
    tfrc, tcp = kind_of(flows, "tfrc"), kind_of(flows, "tcp")
    row = {"p": result.measures["packet_loss_rate"], "ratio": tfrc["rate_bps"] / tcp["rate_bps"],
           "difference_ratio": difference_ratio(tfrc["rate_bps"], tcp["rate_bps"]),
           "loss_difference_ratio": difference_ratio(tfrc["loss_event_rate"], tcp["loss_event_rate"]),
           "f_tcp_bps": equation_bps(equation, tcp, tcp["indication_rate"]),
           "f_tfrc_bps": equation_bps(equation, tfrc, 1 / tfrc["mean_interval"]),
           "f_bound_bps": equation_bps(equation, tfrc, tfrc["mean_inverse_predictor"])}
    for name, values in (("tfrc", tfrc), ("tcp", tcp)):
        row |= {f"{name}_{column}": values[column]
                for column in ("rate_bps", "loss_event_rate", "packet_loss_rate", "rtt_s", "rto_s")}
    row["tcp_indication_rate"] = tcp["indication_rate"]
    return row | {name: tfrc[name] for name in STATISTICS}


def runs(results, equation):
    """One row for each run: its parameters, the bottleneck's measures and run_row()."""
    rows = pandas.DataFrame([run_row(result, equation) for result in results])
    every = pandas.concat([frame(results).drop(columns=["tfrc_bps", "tcp_bps"]), rows], axis=1)
    for name, value in DEFAULTS.items():
        every[name] = every[name].fillna(value) if name in every else value
    return every
