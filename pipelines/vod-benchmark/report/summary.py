"""The figures a report shows, computed from an experiment's CSV alone: medians and ranges over seeds, and how many movies
meet the targets."""

import pandas

import metrics
import paper

SEED_COLUMNS = ["movie", "transport", "d2_ms", "queue", "movies", "tcp", "sack"]


def _cell_columns(frame):
    return SEED_COLUMNS + (["condition"] if "condition" in frame else [])


def load(path):
    return pandas.read_csv(path)


def over_seeds(frame, measures):
    """One row for each cell: median, least and most of each measure over seeds (and movies), and the loss of all
    seeds together, which is that of the whole trace when the seeds cover it."""
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


def over_runs(frame, measures):
    """One row for each cell with several movies: the median over seeds, least and most of a run's mean over its movies,
    and of how many of its movies met both targets."""
    met = (frame["iptd_mean"] <= paper.IPTD_TARGET_S) & (frame["iplr"] <= paper.IPLR_TARGET)
    present = [measure for measure in measures if measure in frame]
    runs = frame.assign(movies_meeting=met).groupby([*SEED_COLUMNS, "seed"], sort=False)
    means = runs[present].mean().join(runs["movies_meeting"].sum())
    return over_seeds(means.reset_index(), (*present, "movies_meeting"))


def seeds_text(cells):
    """How many seeds the cells have: one number, or from the fewest to the most."""
    fewest, most = cells["seeds"].min(), cells["seeds"].max()
    return str(fewest) if fewest == most else f"{fewest} – {most}"


def over_movies(frame, measures):
    """One row for each cell: mean over its movies and half of its 95 % interval, and how many movies met both targets
    (a mean over seeds)."""
    rows = []
    for cell, group in frame.groupby(SEED_COLUMNS, sort=False):
        row = dict(zip(SEED_COLUMNS, cell)) | {"seeds": group["seed"].nunique()}
        for measure in measures:
            total = metrics.summarise(group[measure].dropna())
            row |= {measure: total["mean"], measure + "_ci": total["ci95"]}
        met = (group["iptd_mean"] <= paper.IPTD_TARGET_S) & (group["iplr"] <= paper.IPLR_TARGET)
        row["movies_meeting"] = met.sum() / row["seeds"]
        rows.append(row)
    return pandas.DataFrame(rows)


def most_movies(cells):
    """For each movie, queue and transport the largest number of movies up to which every number tried meets the
    targets in the mean over movies (0: not even the smallest; of several seeds the median counts), the largest tried, and the most movies that met the
    targets one by one."""
    rows = []
    for cell, group in cells.groupby(["movie", "queue", "transport"], sort=False):
        group = group.sort_values("movies")
        met = (group["iptd_mean"] <= paper.IPTD_TARGET_S) & (group["iplr"] <= paper.IPLR_TARGET)
        largest = 0
        for movies, good in zip(group["movies"], met):
            if not good:
                break
            largest = movies
        rows.append(dict(zip(("movie", "queue", "transport"), cell)) |
                    {"most": int(largest), "least_tried": int(group["movies"].min()),
                     "most_tried": int(group["movies"].max()), "one_by_one": group["movies_meeting"].max()})
    return pandas.DataFrame(rows)
