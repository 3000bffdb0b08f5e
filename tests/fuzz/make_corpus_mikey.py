#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the seeds of tests/fuzz/fuzz_mikey.c to tests/fuzz/corpus/mikey: each kind of key message
(RFC 3830, RFC 4738), for the target to mend and as it is, and messages with one thing unusual. The
first byte says whether the target mends the message."""
import pathlib
import struct

AS_IT_IS, MENDED = b"\x00", b"\x01"
PSK, PSK_VER, RSA, RSA_VER, ERROR, REQUEST, GRANT = 0, 1, 2, 3, 6, 9, 10
KEMAC, PKE, SIGN, T, ID, CERT, V, SP, RAND, ERR, KEY_DATA, EXTENSION = 1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 20, 21
ID_BYTES, RSA_BYTES = 57, 256


def header(data_type, sessions=True, map_type=0, prf=0x80, ssrc=1):
    cs = struct.pack(">BIIBII", 0, ssrc, 2, 0, 0, 0) if sessions else b""
    return [struct.pack(">BB", 1, data_type), struct.pack(">BIBB", prf, 7, 2 if sessions else 0, map_type) + cs]


def message(head, *payloads):
    """payloads: (number, body without the field for the next payload)"""
    numbers = [number for number, _ in payloads] + [0]
    out = head[0] + bytes([numbers[0]]) + head[1]
    for (number, body), following in zip(payloads, numbers[1:]):
        out += (b"" if number == SIGN else bytes([following])) + body
    return out


def field(data, kind=b"\x00"):
    return kind + struct.pack(">H", len(data)) + data


def policy(*parameters):
    return SP, bytes([0, 0]) + field(b"".join(bytes([t, 1, v]) for t, v in parameters), b"")


GCM = policy((0, 6), (1, 16), (2, 0), (4, 12), (5, 0), (7, 1), (8, 1), (20, 16))
GCM_256 = policy((0, 6), (1, 32), (20, 16))
ICM = policy((0, 1), (1, 32), (2, 1), (3, 20), (4, 14), (5, 0), (7, 1), (8, 1), (10, 1), (11, 10))
REPAIRS = EXTENSION, field(b"TFRC" + struct.pack(">BII", 0, 3, 5))
TIME = T, b"\x00" + bytes(8)
NONCE = RAND, bytes([16]) + bytes(range(16))
OTHER_ID = ID, field(bytes(ID_BYTES), b"\x01")
TGK = b"\x00\x00" + struct.pack(">H", 32) + bytes(range(32))
ID_AND_TGK = bytes([KEY_DATA]) + field(bytes(ID_BYTES), b"\x01") + TGK
ENVELOPE = PKE, field(bytes(RSA_BYTES), b"")
SIGNATURE = SIGN, struct.pack(">H", 1 << 12 | RSA_BYTES) + bytes(RSA_BYTES)
VER = V, b"\x01" + bytes(20)


def kemac(data):
    return KEMAC, field(data, b"\x01") + b"\x01" + bytes(20)


PSK_OFFER = message(header(PSK), TIME, NONCE, GCM, kemac(TGK))
RSA_OFFER = message(header(RSA), TIME, NONCE, OTHER_ID, OTHER_ID, GCM, kemac(ID_AND_TGK), ENVELOPE, SIGNATURE)
RSA_R = message(header(REQUEST, False), TIME, NONCE, OTHER_ID, OTHER_ID, SIGNATURE)
GRANTED = message(header(GRANT), TIME, OTHER_ID, ICM, kemac(ID_AND_TGK), ENVELOPE, SIGNATURE)

SEEDS = {
    "psk": PSK_OFFER,
    "psk-256": message(header(PSK), TIME, NONCE, GCM_256, kemac(TGK)),
    "psk-icm": message(header(PSK), TIME, NONCE, ICM, kemac(TGK)),
    "psk-extension": message(header(PSK), TIME, (EXTENSION, field(b"vendor")), NONCE, ICM, kemac(TGK)),
    "psk-repairs": message(header(PSK, ssrc=2), TIME, NONCE, GCM, REPAIRS, kemac(TGK)),
    "psk-repairs-twice": message(header(PSK, ssrc=2), TIME, NONCE, GCM, REPAIRS, REPAIRS, kemac(TGK)),
    "grant-repairs": message(header(GRANT, ssrc=2), TIME, OTHER_ID, ICM, REPAIRS, kemac(ID_AND_TGK), ENVELOPE, SIGNATURE),
    "psk-two-keys": message(header(PSK), TIME, NONCE, ICM, kemac(bytes([KEY_DATA]) + TGK[1:] + TGK)),
    "psk-salt": message(header(PSK), TIME, NONCE, ICM, kemac(b"\x00\x10" + TGK[2:] + struct.pack(">H", 14) + bytes(14))),
    "psk-short-key": message(header(PSK), TIME, NONCE, ICM, kemac(b"\x00\x00\x00\x00")),
    "psk-verification": message(header(PSK_VER), TIME, NONCE, VER),
    "rsa": RSA_OFFER,
    "rsa-certificate": message(header(RSA), TIME, NONCE, (CERT, field(b"\x30\x82\x00\x10" + bytes(16))), OTHER_ID, GCM,
                               kemac(ID_AND_TGK), ENVELOPE, SIGNATURE),
    "rsa-verification": message(header(RSA_VER), TIME, NONCE, VER),
    "request": RSA_R,
    "grant": GRANTED,
    "error": message(header(ERROR, False), TIME, (ERR, b"\x01\x00\x00")),
    "bad-map": message(header(PSK, map_type=1), TIME, NONCE, GCM, kemac(TGK)),
    "bad-twice": message(header(PSK), TIME, TIME, NONCE, GCM, kemac(TGK)),
    "bad-length": PSK_OFFER[:-1],
    "bad-version": b"\x02" + PSK_OFFER[1:],
}

if __name__ == "__main__":
    corpus = pathlib.Path(__file__).parent / "corpus" / "mikey"
    corpus.mkdir(parents=True, exist_ok=True)
    for name, seed in SEEDS.items():
        (corpus / name).write_bytes(AS_IT_IS + seed)
        (corpus / (name + "-mended")).write_bytes(MENDED + seed)
