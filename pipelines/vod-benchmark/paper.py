# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reference results as data, each with its source: the VoD paper (ns-2, its own traces), and the
ideal queue.

For Figs 3 to 6 the paper's text has statements but no numbers; they are quoted as claims. The
second source is the exact drop-tail queue with which the synthetic traces were calibrated (20
waiting, 1 in service, no headers, 20 ms). It gives only the columns of plain UDP.
"""

PAPER = "VoD paper, Table 1 (ns-2, its own traces)"
IDEAL = "ideal queue without headers, 3600 s (what the traces were calibrated to)"

# (movie, transport, d2_ms, queue) -> measures. The paper's "none" for losses is 0 here.
TABLE1 = {
    ("cinderella-man", "tfrc", 20, 20): {"iplr": 0.0, "iptd_mean": 0.027, "iptd_max": 0.19},
    ("cinderella-man", "udp", 20, 20): {"iplr": 1.13e-3, "iptd_mean": 0.025, "iptd_max": 0.13},
    ("cinderella-man", "tfrc", 60, 20): {"iplr": 0.0, "iptd_mean": 0.122, "iptd_max": 0.82},
    ("cinderella-man", "udp", 60, 20): {"iplr": 1.13e-3, "iptd_mean": 0.075, "iptd_max": 0.18},
    ("v-for-vendetta", "tfrc", 20, 20): {"iplr": 8.59e-3, "iptd_mean": 0.079, "iptd_max": 0.73},
    ("v-for-vendetta", "udp", 20, 20): {"iplr": 2.28e-2, "iptd_mean": 0.039, "iptd_max": 0.13},
    ("v-for-vendetta", "tfrc", 60, 20): {"iplr": 4.30e-3, "iptd_mean": 0.26, "iptd_max": 1.69},
    ("v-for-vendetta", "udp", 60, 20): {"iplr": 2.28e-2, "iptd_mean": 0.079, "iptd_max": 0.18},
}

IDEAL_QUEUE = {
    ("cinderella-man", "udp", 20, 20): {"iplr": 1.151e-3, "iptd_mean": 0.02543, "iptd_max": 0.1305},
    ("v-for-vendetta", "udp", 20, 20): {"iplr": 2.262e-2, "iptd_mean": 0.03931, "iptd_max": 0.1305},
    ("cinderella-man", "udp", 20, 100): {"iplr": 0.0},
    ("v-for-vendetta", "udp", 20, 100): {"iplr": 0.0},
}

# The targets of ITU-T Y.1541 as the paper uses them
IPTD_TARGET_S = 1.0
IPLR_TARGET = 1e-3

CLAIMS = {
    "table1": "TFRC loses less than UDP and delays more; the longer the way, the more so.",
    "levers": "The limit of twice the receive rate delays a bursty movie even where the network has room; a higher limit "
              "loses more.",
    "fig3": "With room for one stream TFRC loses less than UDP at every buffer size shown (20 and 100 packets).",
    "fig4": "TFRC's mean IPTD is always higher than UDP's, more for the movie with quicker changes, and more movies "
            "meet IPTD <= 1 s and IPLR <= 1e-3; the gain shrinks as the buffer grows.",
    "fig5": "TFRC loses less than UDP and delays up to 0.6 s more; it allows one more TCP flow than UDP before the "
            "targets are missed, two for TCP Reno.",
    "fig6": "TCP flows beside a movie over TFRC have slightly higher loss and lower throughput than beside UDP; the "
            "difference is negligible.",
    "conditions": "None of these networks is in the paper.",
    "ccid3": "The kernel's own TFRC, DCCP's CCID 3, on the same links: ours must fill the link at least as well and "
             "lose no more.",
}
