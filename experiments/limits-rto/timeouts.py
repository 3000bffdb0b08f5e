#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The retransmission timeouts that TFRC and TCP would have with measured round-trip times.

    experiments/limits-rto/timeouts.py --samples=FILE --output=DIRECTORY

FILE has a row for each site: its number, and samples in ms. Writes sites.csv: a row for each site, in
seconds.
"""

import argparse
import csv
import json
import pathlib
import time

Q = 0.9  # RFC 5348, 4.3
ALPHA, BETA = 1 / 8, 1 / 4  # RFC 6298, 2.3
COLUMNS = ("site", "rtt_s", "variation_s", "tfrc_s", "linux_s", "standard_s", "balanced_s")


def read(path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    return [(int(row[0]), [float(value) / 1e3 for value in row[1:]]) for row in rows[1:]]


def timeouts(samples):
    """R of RFC 5348, and SRTT and RTTVAR of RFC 6298, after these samples; and the timeouts of each
    rule."""
    rtt = smoothed = samples[0]
    variation = samples[0] / 2
    for sample in samples[1:]:
        rtt = Q * rtt + (1 - Q) * sample
        variation = (1 - BETA) * variation + BETA * abs(smoothed - sample)
        smoothed = (1 - ALPHA) * smoothed + ALPHA * sample
    return {"rtt_s": rtt, "variation_s": variation, "tfrc_s": 4 * rtt, "linux_s": smoothed + max(0.2, 4 * variation),
            "standard_s": max(1, smoothed + 4 * variation), "balanced_s": max(0.2, 2 * rtt)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    rows = [{"site": site, **timeouts(samples)} for site, samples in read(options.samples)]
    options.output.mkdir(parents=True, exist_ok=True)
    with open(options.output / "sites.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    # The runner tells the time of every job; here none is simulated.
    measures = {"sites": len(rows), "simulated_s": 0, "cpu_s": time.process_time()}
    (options.output / "measures.json").write_text(json.dumps(measures) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
