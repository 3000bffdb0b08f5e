# SPDX-License-Identifier: LGPL-2.1-or-later
"""Numbers of the limits paper, and of ns-2 where figures of the paper were repeated.

The figures themselves are not available as data; these are the numbers in the text of sections 4 to
6.
"""

PAPER = {
    "fig2": "lower CBR rates see higher loss event rates; 195 kbit/s about the same as TCP, whose rate is 30 to 200 kbit/s",
    "fig4": "loss events: TFRC > CBR of TCP's rate > TCP; TFRC gets 2 to 4 times less throughput than TCP",
    "fig5": "scale factor 4: almost four times the rate, and fewer loss events than TCP below 8 %",
    "fig6": "f(E[1/theta^]) below TFRC's throughput under low loss, above it and nearer than f(1/E[theta]) under high",
    "fig8": "the difference falls a little from L = 8 to L = 16",
    "fig9": "f(p_tcp) above TCP's throughput, the more the higher the loss; p_tcp to 0.11, p_tfrc to 0.16",
    "fig14": {10: "more than 20 (at about 5 % loss events), falling as loss grows", 500: "to -9.8 under high loss"},
    "fig15": {10: "-0.6 at about 5 %", 500: "to 0.5 under high loss"},
}

# From ns-2.35: TFRC's throughput over TCP's with t_RTO = 4R, from the lightest to the heaviest
# load.
NS2_RATIO = {10: (4, 10), 110: (1.1, 1.5), 500: (1.2, 0.75)}

# From ns-2.35, for CBR: the packet loss rate; then rate in bit/s: loss event rate.
NS2_CBR_LOSS = 0.083
NS2_CBR = {80_000: 0.080, 1_000_000: 0.038}

# Eq. 1 with b = 1: p, F(.1, .4) in packets per second, F(.01, .04)/F(.01, 1), F(.5, 1)/F(.5, 2)
EQUATION = (
    (0.01, 112.3, 2.99, 1.04),
    (0.05, 36.9, 8.85, 1.20),
    (0.10, 17.7, 14.0, 1.37),
    (0.15, 9.52, 17.8, 1.54),
    (0.20, 5.37, 20.3, 1.67),
)
