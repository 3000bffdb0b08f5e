# SPDX-License-Identifier: LGPL-2.1-or-later
"""The policies for TFRC's t_RTO: their words in the programs' options, and their names for
readers."""

TITLES = {"4r": "4R, as in RFC 5348", "tcp": "as the standard's TCP", "linux": "as Linux's TCP", "balanced": "balanced"}
POLICIES = tuple(TITLES)
