# SPDX-License-Identifier: LGPL-2.1-or-later
"""Numbers as reports write them."""

import math


def number(value):
    """A number with three significant digits, and a whole number with all its digits. None and NaN
    become a dash; a text stays as it is."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, str):
        return value
    if value == 0:
        return "0"
    if isinstance(value, int) or float(value).is_integer() and abs(value) < 1e6:
        return str(int(value))
    if abs(value) < 0.01:
        return f"{value:.2e}"
    return f"{value:.3g}"


def spread(row, measure):
    """The median of a measure over seeds, and in brackets the least and the most if these
    differ."""
    middle, least, most = (row.get(measure + suffix) for suffix in ("", "_min", "_max"))
    text = number(middle)
    if middle is None or least == most or text == "–":
        return text
    return f"{text} ({number(least)} – {number(most)})"


def movie_title(name):
    """The title of the movie of a trace: V for Vendetta of v-for-vendetta."""
    return " ".join(word if word == "for" else word.capitalize() for word in name.split("-"))


def _percent(value):
    if value is None or math.isnan(value):
        return "–"
    return f"{100 * value:.2g}" if 100 * value < 99.5 else f"{100 * value:.0f}"


def percent_spread(row, measure):
    """The text of spread() for a ratio, in percent with two significant digits."""
    middle, least, most = (_percent(row.get(measure + suffix)) for suffix in ("", "_min", "_max"))
    return middle if least == most else f"{middle} ({least} – {most})"
