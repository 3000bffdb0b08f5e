# SPDX-License-Identifier: LGPL-2.1-or-later
"""The claims of the enhanced-TFRC paper (Reddy, Reddy and Padmavathamma 2017, section 5).

Owns these numbers. The paper gives its Figs 3 to 7 as pictures only, and names neither the traffic
nor the number of runs behind the percentages.
"""

# The program's measure: the difference of enhanced from classic TFRC in percent
CLAIMS = {"throughput_bps": 22, "loss_ratio": -20, "delay_s": -20, "delivery_ratio": 22, "jitter_s": -18}
NAMES = {"throughput_bps": "throughput", "loss_ratio": "packet loss ratio", "delay_s": "end-to-end delay",
         "delivery_ratio": "packet delivery ratio", "jitter_s": "jitter"}
FIGURES = {"fig3": "throughput_bps", "fig4": "loss_ratio", "fig5": "delay_s", "fig6": "delivery_ratio", "fig7": "jitter_s"}
