#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the traces of tfrcsink and tfrcsrc (trace-location, TFRC_TRACE) over time.

    TFRC_TRACE=stream.trace gst-launch-1.0 ... ! tfrcsink ...
    pipelines/trace-plot.py stream.trace

Files may have traces of one element or of several; the first sender is drawn with the first receiver,
and so on. docs/trace.md says what a trace has.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]  # for the packages 'traceplot' and 'batch'

from traceplot import events, picture  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE", help="of traces")
    parser.add_argument("--output", type=pathlib.Path, metavar="PNG", help="the picture (the first file's name with .png)")
    parser.add_argument("--title", default="", help="of the picture (the names of the elements)")
    parser.add_argument("--capacity", type=float, default=0, metavar="BPS", help="a line at this rate, bit/s")
    options = parser.parse_args()
    try:
        traces = [trace for file in options.files for trace in events.read(file)]
    except (OSError, events.BadTrace) as error:
        sys.exit(f"trace-plot: {error}")
    output = options.output or options.files[0].with_suffix(".png")
    title = options.title or ", ".join(trace.name for trace in traces)
    picture.draw(output, picture.pairs(traces), options.capacity, title)
    print(f"Picture: {output}")


if __name__ == "__main__":
    main()
