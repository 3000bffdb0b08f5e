# SPDX-License-Identifier: LGPL-2.1-or-later
"""The error before any job runs: a bad spec, a missing program, a network that cannot be made."""

_LONGEST = 1500
_LONGEST_END = 500
_LEFT_OUT = " [...] "


class TestbedError(Exception):
    """The text is complete: it names the file and the key, or the program and its package. A text
    that is too long, as it quotes a long value, is shortened in its middle."""

    __test__ = False

    def __init__(self, text):
        if len(text) > _LONGEST:
            text = text[: _LONGEST - _LONGEST_END - len(_LEFT_OUT)] + _LEFT_OUT + text[-_LONGEST_END:]
        super().__init__(text)
