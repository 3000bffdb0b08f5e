# SPDX-License-Identifier: LGPL-2.1-or-later
"""Means over seeds with 95 % confidence intervals by Student's t, and differences from classic TFRC
in percent, paired by seed."""

import math

from batch import tables
from batch.formats import number
from vod import benchmark  # noqa: F401 (the search path of metrics)

import metrics


def _bounds(values):
    """The mean and the ends of its confidence interval; NaN if there are too few values."""
    values = [float(value) for value in values if not math.isnan(value)]
    if not values:
        return math.nan, math.nan, math.nan
    found = metrics.summarise(values)
    half = math.nan if found["ci95"] is None else found["ci95"]
    return found["mean"], found["mean"] - half, found["mean"] + half


def means(frame, by, measures):
    """A row for each combination of the columns 'by': the mean of each measure over the rows, and
    the ends of the interval as _min and _max."""
    import pandas

    rows = []
    by = list(by)
    # Versions of pandas give different keys for a list of one column.
    for _, group in frame.groupby(by if len(by) > 1 else by[0], sort=False):
        row = {name: group[name].iloc[0] for name in by} | {"seeds": len(group)}
        for measure in measures:
            row[measure], row[measure + "_min"], row[measure + "_max"] = _bounds(group[measure])
        rows.append(row)
    return pandas.DataFrame(rows)


def per_seed(frame, variant, measures):
    """The means of the measures over all runs of a variant that have the same seed."""
    return frame[frame["variant"] == variant].groupby("seed")[list(measures)].mean()


def difference(frame, variant, base, measure):
    """(mean, low, high) of the difference of a variant from the base in percent of the base. Seeds
    with a base of 0 do not count."""
    pair = per_seed(frame, variant, [measure]).join(per_seed(frame, base, [measure]), lsuffix="", rsuffix="_base",
                                                    how="inner")
    pair = pair[pair[measure + "_base"] > 0]
    return _bounds(list(100 * (pair[measure] / pair[measure + "_base"] - 1)))


def told(mean, low, high, sign=False):
    """A mean and its interval in a table."""
    if math.isnan(mean):
        return number(math.nan)
    text = f"{mean:+.3g}" if sign else number(mean)
    if math.isnan(low):
        return text
    return f"{text} ({low:+.3g} – {high:+.3g})" if sign else f"{text} ({number(low)} – {number(high)})"


def cell(row, measure, scale=1):
    return told(*(scale * row[measure + suffix] for suffix in ("", "_min", "_max")))


def write(out, name, frame):
    tables.write_csv(out / f"{name}.csv", frame)
