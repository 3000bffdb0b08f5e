#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reference numbers for RFC 5348 and enhanced TFRC, computed independently of the library.

Owns every .csv file of the tests: throughput equation and inverse (sections 3.1 and 8.1), weights and
average loss interval (5.4), history discounting (5.5), first loss interval (6.3.1); and of enhanced
TFRC the round-trip time, t_RTO and loss intervals (enhanced.py), and the adaptive TTL (equation 11);
the keys of key messages, RFC 3830 (mikey.py); and packets of repairs, RFC 4585, RFC 4588 and ST 2022-1 (repairs.py).

Usage: generate.py [--anchors] DIRECTORY

The build generates the files. With --anchors, which writes tests/vectors/anchors, a file has its header and eight
rows of it, and SHA256SUMS has the sums of the whole files.

Everything is computed with 60 decimal digits from the definitions as the RFC writes them. No code
is shared with the library, and no formula is rearranged. Before a file is written, the results are
compared with published values; a difference ends the program. Each input in a row is a double, and
the results beside it were computed from exactly that double.
"""

import hashlib
import math
import os
import sys
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import enhanced
import mikey
import repairs
from losshistory import EXACT, SEQUENCES, THRESHOLD, LossHistory, same, weights

HISTORY_LENGTHS = (2, 4, 8, 16, 32)


def double(x):
    """The double nearest to x, as an exact number again."""
    return Decimal(float(x))


# ---- throughput equation, sections 3.1 and 8.1 ----


def f(p):
    p = Decimal(p)
    return (2 * p / 3).sqrt() + 12 * (3 * p / 8).sqrt() * p * (1 + 32 * p ** 2)


def rate(s, R, rto, p, b=1):
    s, R, rto, p = Decimal(s), Decimal(R), Decimal(rto), Decimal(p)
    return s / (R * (2 * b * p / 3).sqrt() + rto * (3 * (3 * b * p / 8).sqrt() * p * (1 + 32 * p ** 2)))


def cubic_spacing(R, p, c="0.4", beta="0.7"):
    """Seconds from packet to packet of CUBIC (RFC 9438 section 4.1 and 5.2) when one packet of 1/p is lost, by integration of
    W(t) = C (t - K)^3 + W_max over the time K from a loss to the next, with W(0) = beta W_max."""
    R, p, c, beta = map(Decimal, (R, p, c, beta))
    # W_max = C K^3 / (1 - beta). W_max K - C K^4 / 4, which is the integral, is R times the 1/p packets of that time.
    k = (R / p / (c * (1 / (1 - beta) - Decimal(1) / 4))).sqrt().sqrt()
    return p * k


def cubic_rate(s, R, rto, p):
    """Never less than Reno's, as CUBIC has its window then (RFC 9438 section 4.3); timeouts as in rate()."""
    s, R, rto, p = map(Decimal, (s, R, rto, p))
    spacing = min(R * (2 * p / 3).sqrt(), cubic_spacing(R, p))
    return s / (spacing + rto * (3 * (3 * p / 8).sqrt() * p * (1 + 32 * p ** 2)))


def inverse(s, R, rto, x, rate=rate):
    """The p that gives x, by bisection; 1 where even p = 1 gives more."""
    if x <= rate(s, R, rto, 1):
        return Decimal(1)
    low, high = Decimal(0), Decimal(1)
    while high - low > EXACT * high / 1000:
        middle = (low + high) / 2
        if rate(s, R, rto, middle) > x:
            low = middle
        else:
            high = middle
    return high


# p, floor(1e6 f(p)), X rounded to 10 byte/s for s = 1316 byte, R = 0.1 s, t_RTO = 4 R
PUBLISHED_F = (
    ("0.0001", 8172, 1610310), ("0.001", 26052, 505140), ("0.01", 89021, 147830), ("0.03", 180704, 72830),
    ("0.1", 564939, 23290), ("0.2", 1863717, None),
)
# p, F(R = 0.1, t_RTO = 0.4) in packet/s, F(0.01, 0.04) / F(0.01, 1), F(0.5, 1) / F(0.5, 2)
PUBLISHED_RTO = (
    ("0.01", "112.3", "2.99", "1.04"), ("0.05", "36.9", "8.85", "1.20"), ("0.10", "17.7", "14.0", "1.37"),
    ("0.15", "9.52", "17.8", "1.54"), ("0.20", "5.37", "20.3", "1.67"),
)


def check_published():
    def printed_as(value, text):
        assert value.quantize(Decimal(text), ROUND_HALF_UP) == Decimal(text), (value, text)

    for p, f_millionths, x in PUBLISHED_F:
        assert math.floor(10 ** 6 * f(p)) == f_millionths, p
        assert same(rate(1316, "0.1", "0.4", p), 1316 / (Decimal("0.1") * f(p))), p
        if x is not None:
            assert (rate(1316, "0.1", "0.4", p) / 10).quantize(Decimal(1), ROUND_HALF_UP) * 10 == x, p
    for p, packets, short_rtt, long_rtt in PUBLISHED_RTO:
        printed_as(rate(1, "0.1", "0.4", p), packets)
        printed_as(rate(1, "0.01", "0.04", p) / rate(1, "0.01", 1, p), short_rtt)
        printed_as(rate(1, "0.5", 1, p) / rate(1, "0.5", 2, p), long_rtt)
    # RFC 9438 section 5.2: a mean window of 1.054 R^0.75 / p^0.75 packets
    printed_as(Decimal(1) / cubic_spacing(1, 1), "1.054")
    for R, p in (("0.02", "0.001"), ("0.3", "0.00001")):
        window = Decimal(R) / cubic_spacing(R, p)
        assert same(window ** 4 * Decimal(p) ** 3 / Decimal(R) ** 3, 1 / cubic_spacing(1, 1) ** 4), (R, p)
    assert [float(w) for w in weights(8)] == [1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2]


# ---- the files ----


def equation_rows():
    ps = [Decimal(10) ** (Decimal(i) / 8) for i in range(-96, 1)]
    ps += [Decimal(text) for text in ("0.0001", "0.001", "0.01", "0.03", "0.05", "0.1", "0.15", "0.2")]
    for p in sorted({double(p) for p in ps}):
        yield p, f(p)


PATHS = [(R, rto) for R in (1e-4, 1e-3, 0.01, 0.054, 0.1, 0.5, 1.0, 10.0) for rto in (0.0, R, 4 * R, 1.0)]
PATHS += [(1e-4, 60.0), (10.0, 0.2)]
SIZES = (1316, 40, 1460, 1, 65535)


def paths():
    """s, R, rto; every R with every rto, the sizes in turn."""
    for i, (R, rto) in enumerate(dict.fromkeys(PATHS)):
        yield Decimal(SIZES[i % len(SIZES)]), Decimal(R), Decimal(rto)


def rate_rows():
    inputs = [(1316, 0.1, 0.4, float(p)) for p, _, x in PUBLISHED_F if x is not None]
    inputs += [(1, R, rto, float(row[0])) for row in PUBLISHED_RTO
               for R, rto in ((0.1, 0.4), (0.01, 0.04), (0.01, 1.0), (0.5, 1.0), (0.5, 2.0))]
    inputs += [(s, R, rto, p) for s, R, rto in paths() for p in (1e-10, 1e-4, 0.003, 0.02, 0.1, 0.7, 1.0)]
    for row in inputs:
        yield (*map(Decimal, row), rate(*row))


def inverse_rows():
    for s, R, rto in paths():
        xs = [rate(s, R, rto, Decimal(p)) for p in (
            1e-20, 1e-16, 1e-12, 1e-9, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.2, 0.5, 0.9, 0.9999, 1.0)]
        xs += [xs[-1] * Decimal(part) for part in (0.999, 0.5, 1e-6)]    # less than p = 1 gives
        xs += [s / 64, Decimal(10) ** 6, Decimal(125) * 10 ** 9]         # slowest, usual, fastest
        for x in map(double, xs):
            p = inverse(s, R, rto, x)
            assert p == 1 or same(rate(s, R, rto, p), x)
            yield s, R, rto, x, p


def cubic_rows():
    for s, R, rto in paths():
        for p in (1e-10, 1e-7, 1e-6, 1e-5, 1e-4, 0.001, 0.003, 0.01, 0.02, 0.1, 0.7, 1.0):
            yield (*map(Decimal, (s, R, rto, p)), cubic_rate(s, R, rto, p))


def cubic_inverse_rows():
    for s, R, rto in paths():
        xs = [cubic_rate(s, R, rto, Decimal(p)) for p in (1e-16, 1e-9, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.2, 0.9, 1.0)]
        for x in map(double, (*xs, xs[-1] / 2, Decimal(125) * 10 ** 9)):
            yield s, R, rto, x, inverse(s, R, rto, x, cubic_rate)


def weights_rows():
    for n in range(2, 33):
        for i, w in enumerate(weights(n)):
            yield n, i, w


def intervals_rows():
    between = at_threshold = accumulated = 0
    for n in HISTORY_LENGTHS:
        for discounting in (0, 1):
            for name, sequence in SEQUENCES:
                case = "n%d_%s_%s" % (n, "discounted" if discounting else "plain", name)
                assert len(case) < 32
                for op, arg in sequence(n):
                    if op == "first":
                        history = LossHistory(n, discounting, Decimal(arg))
                    else:
                        getattr(history, op)(Decimal(arg))
                    between += THRESHOLD < history.DF < 1
                    at_threshold += history.DF == THRESHOLD
                    accumulated += min(history.DF_i) < THRESHOLD
                    yield case, n, discounting, op, Decimal(arg), history.mean()
    assert min(between, at_threshold, accumulated) > 50, (between, at_threshold, accumulated)


def first_interval_rows():
    for s in (1316, 40, 1460):
        for R in (1e-4, 1e-3, 0.01, 0.054, 0.1, 0.5, 1.0, 10.0):
            s, R = Decimal(s), Decimal(R)
            # 0.5 packets per RTT is the null interval and the least that X_target can be.
            for packets_per_rtt in ("0.5", "0.75", "1", "1.5", "2", "3", "4", "10", "33", "87", "1000", "1e5"):
                x = double(Decimal(packets_per_rtt) * s / R)
                yield s, R, 4 * R, x, 1 / inverse(s, R, 4 * R, x)


# ---- adaptive TTL, equation 11 of the paper on enhanced TFRC ----

TTL_HOPS = (1, 2, 3, 4, 5, 8, 13, 55, 64, 100, 128, 155, 200, 254, 255)
TTL_ALPHAS = ("0.5", "0.55", "0.6", "0.7", "0.75", "0.9", "0.99", "0.999")
TTL_LIMITS = ((1, 255), (1, 64), (32, 64), (8, 8))


def ttl_rt(alpha, estimate, previous):
    """As the paper writes the formula, in whole hops and at least both estimates."""
    exact = alpha * estimate + (1 - alpha) * previous + (estimate - previous)
    return max(math.ceil(exact), estimate, previous)


def ttl_rows():
    assert [ttl_rt(Fraction(1, 2), 13, 4), ttl_rt(Fraction(1, 2), 13, 13), ttl_rt(Fraction(1, 2), 4, 13)] == [18, 13, 13]
    at_min = at_max = between = 0
    for alpha in TTL_ALPHAS:
        for least, most in TTL_LIMITS:
            for estimate in TTL_HOPS:
                for previous in TTL_HOPS:
                    wanted = ttl_rt(Fraction(alpha), estimate, previous)
                    ttl = max(least, min(wanted, most))
                    at_min += wanted < ttl
                    at_max += wanted > ttl
                    between += wanted == ttl
                    yield estimate, previous, least, most, alpha, ttl
    assert min(at_min, at_max, between) > 500, (at_min, at_max, between)


FILES = (
    ("equation.csv", "p,f", equation_rows),
    ("rate.csv", "s,R,rto,p,X_Bps", rate_rows),
    ("inverse.csv", "s,R,rto,X_Bps,p", inverse_rows),
    ("cubic.csv", "s,R,rto,p,X_Bps", cubic_rows),
    ("cubic_inverse.csv", "s,R,rto,X_Bps,p", cubic_inverse_rows),
    ("weights.csv", "n,i,w", weights_rows),
    ("intervals.csv", "case,n,discounting,op,arg,mean", intervals_rows),
    ("first_interval.csv", "s,R,rto,x_target_Bps,interval", first_interval_rows),
    ("rtt.csv", "case,method,k,rise_ns,sample_ns,link_error,R,A,rto", enhanced.rtt_rows),
    ("loss_methods.csv", "case,method,n,discounting,op,arg,mean", enhanced.loss_method_rows),
    ("mikey_mac.csv", "key,message,mac", mikey.mac_rows),
    ("mikey_message_keys.csv", "inkey,csb_id,rand,encryption,authentication,salt", mikey.message_key_rows),
    ("mikey_prf.csv", "inkey,label,outkey", mikey.prf_rows),
    ("mikey_stream_keys.csv", "cipher,cs_id,tgk,csb_id,rand,answer_rand,key,salt", mikey.stream_key_rows),
    ("fec.csv",
     "seq,timestamp,movie,rtt_us,send_time_us,ttl,transport,first,length,pt,ts,is_row,offset,count,payload,packet",
     repairs.fec_rows),
    ("nack.csv", "ssrc,media,numbers,packet", repairs.nack_rows),
    ("repair.csv", "seq,timestamp,movie,rtt_us,send_time_us,ttl,transport,original,payload,packet", repairs.repair_rows),
    ("ttl.csv", "estimate,previous,min,max,alpha,ttl", ttl_rows),
)


def cell(value):
    return str(value) if isinstance(value, (int, str)) else "%.17g" % float(value)


ANCHORS_A_FILE = 8


def lines_of(header, rows):
    return [header] + [",".join(map(cell, row)) for row in rows()]


def anchors_of(lines):
    """The header and some rows, as far from each other as they can be, with the first and the last."""
    last = len(lines) - 2
    count = min(ANCHORS_A_FILE, last + 1)
    return lines[:1] + [lines[1 + i * last // (count - 1)] for i in range(count)]


def content(lines):
    return ("\n".join(lines) + "\n").encode("ascii")


def write(directory, name, data):
    with open(os.path.join(directory, name), "wb") as out:
        out.write(data)


def main():
    arguments = sys.argv[1:]
    anchors = arguments[:1] == ["--anchors"]
    if len(arguments) != 1 + anchors:
        sys.exit("usage: generate.py [--anchors] DIRECTORY")
    directory = arguments[-1]
    check_published()
    enhanced.check_by_hand()
    mikey.check_published()
    repairs.check_by_hand()
    sums = b""
    for name, header, rows in FILES:
        lines = lines_of(header, rows)
        write(directory, name, content(anchors_of(lines) if anchors else lines))
        sums += f"{hashlib.sha256(content(lines)).hexdigest()}  {name}\n".encode("ascii")
    if anchors:
        write(directory, "SHA256SUMS", sums)


if __name__ == "__main__":
    main()
