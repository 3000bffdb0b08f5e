# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays many runs and reports their results. Pipelines and experiments both use this package.

runner     plays runs and skips those that already have a result
pool, cluster, elsewhere   where runs are played: here, or on the workers of a Dask scheduler
command    the options that all programs share: job list, one job by its number, interruption
rows       what a committed report is checked with: a row for each job
store      the files that make an interrupted program go on where it stopped
jobs, processes, origins   runs that are processes; the parameters and costs that reports name
formats, tables, report    numbers, tables, and reports in Markdown and HTML (Jinja2 templates)
style, figures             the look of every plot

The package depends on the standard library, NumPy, pandas, matplotlib and Jinja2, and on nothing
else in this project. Dask's distributed is needed for --scheduler alone. Importing the package itself loads none of these libraries.
"""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
