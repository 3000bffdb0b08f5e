# SPDX-License-Identifier: LGPL-2.1-or-later
"""How the benchmark's figures name transports, and the axes that several of them share."""

import transports
from batch import figures


def title_of(transport):
    """The name of a transport for readers."""
    known = transports.TRANSPORTS.get(transport)
    return known.title if known else transport


def loss_bars(axis, cells, names=None):
    """Bars of IPLR for each transport, with 0 at the place of a bar without height."""
    places, values = figures.transport_bars(axis, cells, "iplr", names)
    figures.loss_axis(axis, bars=True)
    figures.mark_zeros(axis, places, values)
    axis.set_ylabel("IPLR")


def lines(axis, cells, x, y, scale=1):
    """One line for each transport; the range over seeds as error bars."""
    figures.transport_lines(axis, cells, x, y, title_of, scale)
