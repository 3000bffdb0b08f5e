# SPDX-License-Identifier: LGPL-2.1-or-later
"""How the benchmark's figures name transports and networks, and what several of them draw."""

import transports
from batch import figures, style
from batch.formats import movie_title


def title_of(transport):
    """The name of a transport for readers."""
    known = transports.TRANSPORTS.get(transport)
    return known.title if known else transport


def network_title(movie, d2_ms, queue):
    """A movie and the network that it goes through."""
    return f"{movie_title(movie)}, {d2_ms} ms, queue {queue}"


def lines(axis, cells, x, y, scale=1):
    """One line for each transport; the range over seeds as error bars."""
    figures.transport_lines(axis, cells, x, y, title_of, scale)


def one_movie(cells, paper_of):
    """Draws loss and mean delay of each transport, the networks one below the other. cells: rows
    with movie, d2_ms, queue, transport, iplr and iptd_mean. paper_of: a function of movie, d2_ms, queue,
    transport and measure that gives the paper's value or None. Returns the figure."""
    networks = sorted(set(zip(cells["movie"], cells["d2_ms"], cells["queue"])))
    names = style.in_order(cells["transport"])
    rows = cells.apply(lambda row: networks.index((row["movie"], row["d2_ms"], row["queue"])), axis=1)
    figure, axes = figures.row_panels([network_title(*network) for network in networks], len(names))
    for axis, measure in zip(axes, ("iplr", "iptd_mean")):
        figures.transport_points(axis, cells, measure, rows, title_of, names)
        theirs = [(value, *figures.in_rows([row], (index, len(names)))) for row, network in enumerate(networks)
                  for index, name in enumerate(names) if (value := paper_of(*network, name, measure)) is not None]
        if theirs:
            figures.paper(axis, *zip(*theirs), "the paper", linestyle="none", markersize=6)
    figures.loss_axis(axes[0], across=True)
    axes[0].set_xlabel("packets lost (IPLR)")
    axes[1].set_xlim(left=0)
    axes[1].set_xlabel("mean delay, s (IPTD)")
    style.legend(figure)
    return figure
