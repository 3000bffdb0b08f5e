# SPDX-License-Identifier: LGPL-2.1-or-later
"""Quantities as specs write them: times, rates and ratios. Each parser takes a value from YAML, and
raises ValueError with the reason if the value is not such a quantity."""

import math
import re

_TIME = {"us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
_RATE = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
# A limit of netem.
_LONGEST_DELAY_NS = 200 * 10**9
_LONGEST_TIME_NS = 365 * 24 * 3600 * 10**9
_HIGHEST_RATE_BPS = 10**12
_LARGEST_COUNT = 10**9
_QUANTITY = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?)([a-z]+)")


def _scaled(value, units, kind, example):
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if not match or match[2] not in units:
        hint = ""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            hint = f": it needs a unit, as {example} has"
        raise ValueError(f"{value!r} is not a {kind}{hint}")
    whole, _, fraction = match[1].partition(".")
    digits = int(whole + fraction) * units[match[2]]
    result, rest = divmod(digits, 10 ** len(fraction))
    if rest:
        raise ValueError(f"{value!r} is too fine")
    return result


def time_ns(value):
    """'20ms' -> 20000000. Zero needs no unit."""
    if value == 0 and not isinstance(value, bool):
        return 0
    time = _scaled(value, _TIME, "time", "20ms")
    if time > _LONGEST_TIME_NS:
        raise ValueError(f"{value!r} is more than a year")
    return time


def delay_ns(value):
    """A time for which netem can hold a packet, in ns."""
    delay = time_ns(value)
    if delay > _LONGEST_DELAY_NS:
        raise ValueError(f"{value!r} is more than {_LONGEST_DELAY_NS // 10**9} s")
    return delay


def rate_bps(value):
    """'2mbit' -> 2000000; 'unlimited' -> None. As for tc, 1 kbit is 1000 bit."""
    if value == "unlimited":
        return None
    rate = _scaled(value, _RATE, "rate", "2mbit")
    if rate < 8:
        raise ValueError(f"{value!r} is less than a byte per second")
    if rate > _HIGHEST_RATE_BPS:
        raise ValueError(f"{value!r} is more than {_HIGHEST_RATE_BPS // 10**9} gbit")
    return rate


def ratio(value):
    """0.01 or '1%' -> 0.01"""
    number = value
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,20}(\.[0-9]{1,20})?%", value):
        number = float(value[:-1]) / 100
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not math.isfinite(number):
        raise ValueError(f"{value!r} is not a ratio, such as 0.01 or 1%")
    if not 0 <= number <= 1:
        raise ValueError(f"{value!r} is not between 0 and 1")
    return float(number)


def flag(value):
    """true or false"""
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")
    return value


def count(value):
    """A whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{value!r} is not a whole number of at least 1")
    if value > _LARGEST_COUNT:
        raise ValueError(f"{value!r} is more than {_LARGEST_COUNT}")
    return value
