# SPDX-License-Identifier: LGPL-2.1-or-later
"""The throughput equation of libtfrc, called from the built library. It has b = 1."""

import ctypes
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def build_directory():
    """The build directory of libtfrc: BUILD_DIR, or the one that experiments/run builds."""
    return pathlib.Path(os.environ.get("BUILD_DIR") or ROOT / "build" / "experiments")


class Equation:
    """The throughput equation of RFC 5348 section 3.1 (RFC 3448's, the paper's Eq. 1)."""

    def __init__(self, build=None):
        library = ctypes.CDLL(str(pathlib.Path(build or build_directory()) / "lib/tfrc/libtfrc.so.0"))
        self._rate = library.tfrc_equation_rate_Bps
        self._rate.argtypes = [ctypes.c_double] * 4
        self._rate.restype = ctypes.c_double

    def rate_Bps(self, size_bytes, rtt_s, rto_s, p):
        return self._rate(size_bytes, rtt_s, rto_s, p)

    def packets_per_s(self, p, rtt_s, rto_s):
        """The paper's F(p, t_RTT, t_0)."""
        return self._rate(1, rtt_s, rto_s, p)

    def ratio(self, p, rtt_s, rto_s, other_rto_s):
        """F with one t_RTO over F with another."""
        return self.packets_per_s(p, rtt_s, rto_s) / self.packets_per_s(p, rtt_s, other_rto_s)
