# SPDX-License-Identifier: LGPL-2.1-or-later
"""The variants of TFRC that are compared: RFC 5348, each mechanism of enhanced TFRC, and several
together.

Owns the names of the variants. Options have the names of the programs' options; an option that a
variant does not have is that of RFC 5348.
"""

CLASSIC = "classic"
PAPER = "enhanced-paper"
ENHANCED = "enhanced"


def _responds_to_congestion(classifier):
    return {"loss_response": "congestion-only", "loss_classifier": classifier}


_ADAPTIVE = {"rtt_method": "adaptive", "rto_policy": "adaptive"}

VARIANTS = {
    CLASSIC: {},
    "R bounded": {"rtt_method": "adaptive-bounded"},
    "R and RTO": _ADAPTIVE,
    "ci-replace": {"loss_interval_method": "ci-replace"},
    "ci-include": {"loss_interval_method": "ci-include"},
    "mean-replace": {"loss_interval_method": "mean-replace"},
    "mean-include": {"loss_interval_method": "mean-include"},
    "trend": _responds_to_congestion("trend"),
    "spike": _responds_to_congestion("spike"),
    "zigzag": _responds_to_congestion("zigzag"),
    "R and RTO, ci-replace": {**_ADAPTIVE, "loss_interval_method": "ci-replace"},
    "R and RTO, mean-replace": {**_ADAPTIVE, "loss_interval_method": "mean-replace"},
    PAPER: {**_ADAPTIVE, **_responds_to_congestion("trend"), "loss_interval_method": "ci-replace"},
    ENHANCED: {"rtt_method": "adaptive-bounded", **_responds_to_congestion("trend")},
}
MEANINGS = {
    CLASSIC: "RFC 5348",
    "R bounded": "adaptive R, but at most the longest recent sample",
    "R and RTO": "adaptive R and t_RTO (eq. 3 and 4); t_RTO is 4 R as in the RFC, so this is adaptive R alone, too",
    "ci-replace": "the confidence interval's bounds in place of the shortest and the longest loss interval (eq. 7)",
    "ci-include": "the bounds besides (eq. 8)",
    "mean-replace": "the mean in place of the shortest and the longest (eq. 9)",
    "mean-include": "the mean besides (eq. 10)",
    "trend": "no response to losses that the paper's rule calls link errors",
    "spike": "the same with Spike",
    "zigzag": "the same with ZigZag",
    PAPER: "the paper as a whole: adaptive R and t_RTO, trend, ci-replace",
}
# Variants that tell losses apart
CLASSIFYING = ("trend", "spike", "zigzag", PAPER, ENHANCED)
OPTIONS = tuple(dict.fromkeys(name for options in VARIANTS.values() for name in options))


def names_of(parameters):
    """The variants that a job with these parameters has played. One job serves all variants of the
    same options."""
    played = {name: parameters[name] for name in OPTIONS if name in parameters}
    return [name for name, options in VARIANTS.items() if options == played]
