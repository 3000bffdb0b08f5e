#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/demo/tscompare.py finds missing packets, foreign packets, and the end of a stream that
# was stopped.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$ROOT/pipelines/demo "$PYTHON" - <<'PYTHON'
import random
from tscompare import RTP_PACKET, TS_PACKET, compare

random.seed(1)
padding = b"\x47\x1f\xff\x10" + b"\xff" * (TS_PACKET - 4)
packets = [padding if n % 5 == 0 else b"\x47" + random.randbytes(TS_PACKET - 1) for n in range(700)]
sent = b"".join(packets)


def without(*lost):
    """The stream without these RTP packets."""
    return b"".join(packet for n, packet in enumerate(packets) if n // RTP_PACKET not in lost)


def check(what, received, expected, **options):
    result = compare(sent, received, **options)
    found = (result.identical, result.missing, result.foreign)
    assert found == expected, f"{what}: {found} instead of {expected}"
    return result


check("all", sent, (True, 0, 0))
check("nothing", b"", (False, 700, 0))
check("one lost", without(50), (False, 7, 0))
check("first and last lost", without(0, 99), (False, 14, 0))
check("every second lost", without(*range(1, 100, 2)), (False, 350, 0))
check("a run lost", without(*range(20, 70)), (False, 350, 0))
check("garbage between", sent[: 30 * TS_PACKET] + b"\x47" + b"g" * 187 + sent[30 * TS_PACKET :], (False, 0, 1))
check("another stream", b"\x47" + bytes(187) + b"\x47" + b"z" * 187, (False, 700, 2))
half = check("stopped half way", sent[: 350 * TS_PACKET], (True, 0, 0), cut=True)
assert half.end == 350 * TS_PACKET
check("stopped half way, one lost", without(3, *range(50, 100)), (False, 7, 0), cut=True)
check("the end is missing", sent[: 350 * TS_PACKET], (False, 350, 0))
PYTHON
