# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables in reports and CSV files: medians and ranges over seeds, and our numbers beside the
paper's."""

import math

from . import report
from .formats import spread
from .store import write_table


def over_seeds(frame, by, measures):
    """A pandas DataFrame with a row for each combination of the columns 'by', in the order of their
    first appearance. Its columns: by, the number of rows as 'seeds', and for each measure the
    median, the least (_min) and the most (_max)."""
    # Imported here, as in jobs.py, because loading takes longer than writing a table.
    import numpy
    import pandas

    by = list(by)
    rows = []
    # Versions of pandas give different keys for a list of one column.
    for _, group in frame.groupby(by if len(by) > 1 else by[0], sort=False, dropna=False):
        row = {name: group[name].iloc[0] for name in by} | {"seeds": len(group)}
        for measure in measures:
            values = group[measure].dropna().to_numpy()
            low, middle, high = numpy.quantile(values, [0, 0.5, 1]) if len(values) else [math.nan] * 3
            row |= {measure: middle, measure + "_min": low, measure + "_max": high}
        rows.append(row)
    return pandas.DataFrame(rows)


def write_csv(path, frame):
    """Writes a DataFrame as a tidy CSV file; NaN becomes an empty field."""
    write_table(path, frame.astype(object).where(frame.notna(), None).to_dict("records"))


def markdown(headings, rows):
    """A Markdown table. rows: lists of texts and numbers."""
    return report.markdown([report.Table(headings, rows)])


def beside_paper(cells, by, measure, theirs, heading=None):
    """A Markdown table of a measure: our median (least – most), the paper's value, and our median
    divided by that value.
    cells: from over_seeds. theirs: the paper's value for the tuple of a row's 'by' values, or
    None."""
    rows = []
    for _, row in cells.iterrows():
        value = theirs.get(tuple(row[name] for name in by))
        ratio = row[measure] / value if value else None
        rows.append([row[name] for name in by] + [spread(row, measure), value, ratio])
    return markdown([*by, heading or measure, "paper", "ours / paper"], rows)


def write_report(out, title, *blocks):
    """Writes report.md with the title and the blocks (see report.py)."""
    report.write_markdown(out / "report.md", title, blocks)
