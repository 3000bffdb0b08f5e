# SPDX-License-Identifier: LGPL-2.1-or-later
"""Keys of key messages (RFC 3830), computed with Python's hashlib and hmac from the text of sections
4.1.2 to 4.1.4 and 4.2.4."""

import hashlib
import hmac


def sha1(key, text):
    return hmac.new(key, text, hashlib.sha1).digest()


def p(s, label, m):
    a, out = label, b""
    for _ in range(m):
        a = sha1(s, a)
        out += sha1(s, a + label)
    return out


def prf(inkey, label, outkey_bits):
    n = -(-8 * len(inkey) // 256)
    m = -(-outkey_bits // 160)
    blocks = [inkey[32 * i:32 * (i + 1)] for i in range(n)]
    out = bytes(20 * m)
    for s in blocks:
        out = bytes(x ^ y for x, y in zip(out, p(s, label, m)))
    return out[:outkey_bits // 8]


def label(constant, cs_id, csb_id, rand, answer_rand=b""):
    """answer_rand: of the verification message; with it both have their length in front
    (docs/wire-format.md)."""
    if answer_rand:
        rand = bytes([len(rand)]) + rand + bytes([len(answer_rand)]) + answer_rand
    return constant.to_bytes(4, "big") + bytes([cs_id]) + csb_id + rand


def bytes_of(name, size):
    """Bytes that look random and are always the same."""
    return hashlib.shake_128(name.encode()).digest(size)


# The constants are consecutive decimal digits of e behind the point, nine for each (section 4.1.3).
E_DIGITS = "718281828459045235360287471352662497757247093699959574966967627724076630353"
CONSTANTS = [int(E_DIGITS[i:i + 9]) for i in range(0, 72, 9)]
TEK, SALTING, ENVELOPE_ENCRYPTION, ENVELOPE_SALT, ENVELOPE_AUTHENTICATION = \
    0x2AD01C64, 0x39A2C14B, 0x150533E1, 0x29B88916, 0x2D22AC75


def check_published():
    assert {TEK, SALTING, ENVELOPE_ENCRYPTION, ENVELOPE_SALT, ENVELOPE_AUTHENTICATION} <= set(CONSTANTS)
    # RFC 2202, test cases 1 and 3 of HMAC-SHA-1
    assert sha1(b"\x0b" * 20, b"Hi There").hex() == "b617318655057264e28bc0b6fb378c8ef146be00"
    assert sha1(b"\xaa" * 20, b"\xdd" * 50).hex() == "125d7342b9ac11cd91a39af48aa17b4f63f175d3"
    # by hand: one block of key and one of output
    a1 = sha1(b"key", b"label")
    assert prf(b"key", b"label", 160) == sha1(b"key", a1 + b"label")


def prf_rows():
    for inkey_bytes in (16, 20, 31, 32, 33, 48, 64):
        for outkey_bytes in (1, 14, 16, 20, 21, 32):
            inkey = bytes_of("inkey %d %d" % (inkey_bytes, outkey_bytes), inkey_bytes)
            text = bytes_of("label %d %d" % (inkey_bytes, outkey_bytes), 25)
            yield inkey.hex(), text.hex(), prf(inkey, text, 8 * outkey_bytes).hex()


def message_key_rows():
    for i in range(8):
        inkey, csb_id, rand = bytes_of("psk %d" % i, 32), bytes_of("csb %d" % i, 4), bytes_of("rand %d" % i, 16)
        yield (inkey.hex(), csb_id.hex(), rand.hex(),
               prf(inkey, label(ENVELOPE_ENCRYPTION, 0xFF, csb_id, rand), 128).hex(),
               prf(inkey, label(ENVELOPE_AUTHENTICATION, 0xFF, csb_id, rand), 160).hex(),
               prf(inkey, label(ENVELOPE_SALT, 0xFF, csb_id, rand), 112).hex())


def stream_key_rows():
    for cipher, key_bytes, salt_bytes in ((0, 16, 12), (1, 32, 12), (2, 16, 14), (3, 32, 14)):
        for i in range(4):
            name = "%d %d" % (cipher, i)
            tgk, csb_id, rand = bytes_of("tgk " + name, 32), bytes_of("csb " + name, 4), bytes_of("rand " + name, 16)
            for answer_rand in (b"", bytes_of("answer " + name, 16)):
                for cs_id in (1, 2):
                    yield (cipher, cs_id, tgk.hex(), csb_id.hex(), rand.hex(), answer_rand.hex(),
                           prf(tgk, label(TEK, cs_id, csb_id, rand, answer_rand), 8 * key_bytes).hex(),
                           prf(tgk, label(SALTING, cs_id, csb_id, rand, answer_rand), 8 * salt_bytes).hex())


def mac_rows():
    for size in (0, 1, 19, 63, 64, 65, 80):
        key, message = bytes_of("mac key %d" % size, 20), bytes_of("message %d" % size, size)
        yield key.hex(), message.hex(), sha1(key, message).hex()
