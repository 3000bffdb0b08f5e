# SPDX-License-Identifier: LGPL-2.1-or-later
"""The numbers of a report, computed from an experiment's CSV file alone: medians and ranges over
seeds, and how many movies meet the targets."""

import pandas

import metrics
import paper

SEED_COLUMNS = ["movie", "transport", "d2_ms", "queue", "movies", "tcp", "sack"]


def _cell_columns(frame):
    return SEED_COLUMNS + (["condition"] if "condition" in frame else [])


def load(path):
    return pandas.read_csv(path)


def over_seeds(frame, measures):
    """One row for each cell: median, least and most of each measure over seeds (and movies), and
    the loss of all seeds together. If the seeds cover the trace, this is the loss of the whole
    trace."""
    rows = []
    columns = _cell_columns(frame)
    for cell, group in frame.groupby(columns, sort=False):
        row = dict(zip(columns, cell)) | {"seeds": group["seed"].nunique()}
        for measure in measures:
            total = metrics.summarise(group[measure].dropna()) if measure in group else None
            if total:
                row |= {measure: total["median"], measure + "_min": total["min"], measure + "_max": total["max"]}
        if {"packets", "lost"} <= set(group.columns) and group["packets"].sum():
            row["iplr_pooled"] = group["lost"].sum() / group["packets"].sum()
        rows.append(row)
    return pandas.DataFrame(rows)


def seeds_text(cells):
    """How many seeds the cells have: one number, or from the fewest to the most."""
    fewest, most = cells["seeds"].min(), cells["seeds"].max()
    return str(fewest) if fewest == most else f"{fewest} – {most}"


def of_runs(frame, measures):
    """One row for each cell and seed: means over the movies that played together, and how many of
    these movies met both targets."""
    measures = [name for name in measures if name in frame]
    rows = []
    for run, group in frame.groupby(SEED_COLUMNS + ["seed"], sort=False):
        rows.append(dict(zip(SEED_COLUMNS + ["seed"], run)) | {name: group[name].mean() for name in measures} |
                    {"movies_meeting": int(_meets(group).sum())})
    return pandas.DataFrame(rows)


def _meets(rows):
    return (rows["iptd_mean"] <= paper.IPTD_TARGET_S) & (rows["iplr"] <= paper.IPLR_TARGET)


def most(runs, count="movies"):
    """For each cell (without its number of movies or TCP flows), the largest number for which it
    and every smaller number that was tried meet the targets in the mean over movies; 0 if the
    smallest does not. Each seed has such a number. The row has the median, _min and _max over
    seeds, the least and the most that were tried, and the largest number of movies of which each
    met the targets."""
    by = [name for name in SEED_COLUMNS if name not in ("movies", "tcp")] + (["tcp"] if count == "movies" else [])
    rows = []
    for cell, group in runs.groupby(by, sort=False):
        found = pandas.Series([_largest(one.sort_values(count), count) for _, one in group.groupby("seed")])
        rows.append(dict(zip(by, cell)) |
                    {"seeds": len(found), "most": found.median(), "most_min": found.min(), "most_max": found.max(),
                     "least_tried": int(group[count].min()), "most_tried": int(group[count].max()),
                     "one_by_one": int(group["movies_meeting"].max())})
    return pandas.DataFrame(rows)


def _largest(runs, count):
    largest = 0
    for number, met in zip(runs[count], _meets(runs)):
        if not met:
            break
        largest = number
    return largest


def most_in_words(row):
    """A text: median (least – most) over seeds. "< n": the smallest number tried did not meet the
    targets. "n+": all numbers tried met them."""
    def text(value):
        if value < row["least_tried"]:
            return f"< {row['least_tried']}"
        return f"{value:g}+" if value == row["most_tried"] else f"{value:g}"

    middle, least, largest = (text(row[name]) for name in ("most", "most_min", "most_max"))
    return middle if least == largest else f"{middle} ({least} – {largest})"
