"""How numbers are written in reports."""

import math


def number(value):
    """A measure in as many digits as it is worth; 0 losses is 'none' elsewhere, a plain 0 here."""
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
    """Median (least – most)."""
    middle, least, most = (row.get(measure + suffix) for suffix in ("", "_min", "_max"))
    text = number(middle)
    if middle is None or least == most or text == "–":
        return text
    return f"{text} ({number(least)} – {number(most)})"


def _percent(value):
    if value is None or math.isnan(value):
        return "–"
    return f"{100 * value:.2g}" if 100 * value < 99.5 else f"{100 * value:.0f}"


def percent_spread(row, measure):
    """The same of parts in percent, with two digits."""
    middle, least, most = (_percent(row.get(measure + suffix)) for suffix in ("", "_min", "_max"))
    return middle if least == most else f"{middle} ({least} – {most})"
