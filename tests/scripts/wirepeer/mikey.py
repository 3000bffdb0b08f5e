# SPDX-License-Identifier: LGPL-2.1-or-later
"""Key messages, from docs/wire-format.md and RFC 3830: offers of the modes PSK and RSA, and their
verification. An offer is written for PSK alone."""
import base64
import dataclasses
import hashlib
import hmac
import os
import struct
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

PSK_OFFER, PSK_VERIFICATION, RSA_OFFER, RSA_VERIFICATION, REFUSAL = 0, 1, 2, 3, 6
LAST, KEMAC, PKE, SIGN, T, ID, CERT, V, SP, RAND, KEY_DATA, EXTENSION = 0, 1, 2, 4, 5, 6, 7, 9, 10, 11, 20, 21
TEK, SALTING = 0x2AD01C64, 0x39A2C14B  # RFC 3830, 4.1.3
ENCRYPTION, AUTHENTICATION, SALT = 0x150533E1, 0x2D22AC75, 0x29B88916  # 4.1.4
UNIX_TO_NTP = 2208988800
SHA1_BYTES = 20
FIXED = {T: 8, V: SHA1_BYTES}  # bytes of content, behind two others
# Where the length is, its bytes, its bits, and what is behind the content
LENGTHS = {KEMAC: (2, 2, 0xFFFF, 1 + SHA1_BYTES), PKE: (1, 2, 0x3FFF, 0), SIGN: (0, 2, 0xFFF, 0), ID: (2, 2, 0xFFFF, 0),
           CERT: (2, 2, 0xFFFF, 0), SP: (3, 2, 0xFFFF, 0), RAND: (1, 1, 0xFF, 0), KEY_DATA: (2, 2, 0xFFFF, 0),
           EXTENSION: (2, 2, 0xFFFF, 0)}
AES_GCM = bytes((0, 1, 6, 1, 1, 16, 4, 1, 12, 20, 1, 16))  # cipher, lengths of key, salt and tag


class Bad(Exception):
    """The message is malformed, or authenticated by other keys."""


def key_of_passphrase(passphrase):
    return hashlib.scrypt(passphrase.encode(), salt=b"gst-tfrc passphrase 1", n=16384, r=8, p=1, dklen=32)


def sha1(key, text):
    return hmac.digest(key, text, "sha1")


def prf(inkey, label, size):
    """RFC 3830, 4.1.2; size in bytes."""
    out = bytes(size)
    for at in range(0, len(inkey), 32):
        a, block = label, b""
        while len(block) < size:
            a = sha1(inkey[at:at + 32], a)
            block += sha1(inkey[at:at + 32], a + label)
        out = bytes(x ^ y for x, y in zip(out, block))
    return out


def message_key(key, constant, csb_id, rand, size):
    """A key that protects a message; key is the pre-shared key or the envelope key."""
    return prf(key, struct.pack("!IB", constant, 0xFF) + csb_id + rand, size)


def encrypted(key, csb_id, rand, time_stamp, text):
    """AES in counter mode (4.2.3), which decrypts as well."""
    salt = message_key(key, SALT, csb_id, rand, 14)
    start = bytes(x ^ y for x, y in zip(salt, b"\0\0" + csb_id + time_stamp)) + b"\0\0"
    return Cipher(algorithms.AES(message_key(key, ENCRYPTION, csb_id, rand, 16)), modes.CTR(start)).encryptor().update(text)


@dataclasses.dataclass
class Offer:
    """What both ends know of an offer. `key` authenticates its verification."""
    is_rsa: bool
    csb_id: bytes
    ssrc: bytes
    rollover: int
    time_stamp: bytes
    rand: bytes
    tgk: bytes
    key: bytes
    identities: bytes = b""  # RSA: IDi and IDr
    rollover_of_repairs: int = 0

    def stream_keys(self, session, answer_rand=b""):
        """Master key and master salt of a crypto session: provisional, or with the RAND of the
        verification message agreed."""
        rand = self.rand
        if answer_rand:
            rand = bytes((len(rand),)) + rand + bytes((len(answer_rand),)) + answer_rand
        label = bytes((session,)) + self.csb_id + rand
        return (prf(self.tgk, TEK.to_bytes(4, "big") + label, 16),
                prf(self.tgk, SALTING.to_bytes(4, "big") + label, 12))

    def header(self, data_type, verify=False):
        return bytes((1, data_type, T, 0x80 if verify else 0)) + self.csb_id + b"\2\0" + \
            b"\0" + self.ssrc + struct.pack("!I", self.rollover) + bytes(9)

    def mac(self, text):
        return sha1(message_key(self.key, AUTHENTICATION, self.csb_id, self.rand, SHA1_BYTES), text)


def ssrc_of_repairs(ssrc):
    return ((int.from_bytes(ssrc, "big") + 1) % 2 ** 32).to_bytes(4, "big")


def session_of_repairs(ssrc, rollover):
    """The content of the general extension: a vendor's ID."""
    return b"TFRC\0" + ssrc_of_repairs(ssrc) + struct.pack("!I", rollover)


def make_offer(psk, ssrc, rollover):
    """A PSK offer: (Offer, message)."""
    now = time.time()
    stamp = struct.pack("!II", int(now) + UNIX_TO_NTP, int(now % 1 * 2 ** 32))
    offer = Offer(False, os.urandom(4), ssrc, rollover, stamp, os.urandom(16), os.urandom(32), psk)
    key_data = struct.pack("!BBH", LAST, 0, len(offer.tgk)) + offer.tgk
    repairs = session_of_repairs(ssrc, offer.rollover_of_repairs)
    message = offer.header(PSK_OFFER, verify=True) + bytes((RAND, 0)) + stamp + bytes((SP, len(offer.rand))) + offer.rand + \
        struct.pack("!BBBH", EXTENSION, 0, 0, len(AES_GCM)) + AES_GCM + \
        struct.pack("!BBH", KEMAC, 0, len(repairs)) + repairs + struct.pack("!BBH", LAST, 1, len(key_data)) + \
        encrypted(psk, offer.csb_id, offer.rand, stamp, key_data) + b"\1"
    return offer, message + offer.mac(message)


def payloads(message, kind, at=28):
    """The payloads of a message, or of the content of its KEMAC: (kind, where it begins, content)."""
    while kind != LAST:
        if kind in FIXED:
            start, size, behind = at + 2, FIXED[kind], 0
        else:
            before, width, mask, behind = LENGTHS[kind]
            start = at + before + width
            size = int.from_bytes(message[at + before:start], "big") & mask
        if start + size + behind > len(message):
            raise Bad("a payload is too long")
        yield kind, at, message[start:start + size]
        kind, at = LAST if kind == SIGN else message[at], start + size + behind


def public_key_id(public_key):
    """RFC 6920 of the key's SubjectPublicKeyInfo."""
    info = public_key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return b"ni:///sha-256;" + base64.urlsafe_b64encode(hashlib.sha256(info).digest()).rstrip(b"=")


def read_offer(message, psk=None, private_key=None, sender_key=None):
    """Reads an offer of PSK (psk) or RSA (private_key, and the sender's public key)."""
    try:
        return _read_offer(message, psk, private_key, sender_key)
    except (struct.error, IndexError, KeyError, ValueError, InvalidSignature) as error:
        raise Bad(str(error)) from error


def _read_offer(message, psk, private_key, sender_key):
    is_rsa = message[1] == RSA_OFFER
    if message[0] != 1 or message[1] not in (PSK_OFFER, RSA_OFFER) or is_rsa != (private_key is not None) or message[8:10] != b"\2\0":
        raise Bad("no offer of this mode")
    found = list(payloads(message, message[2]))
    by_kind = {kind: content for kind, _, content in found}
    if dict(zip(by_kind[SP][::3], by_kind[SP][2::3])).get(0) != 6:
        raise Bad("another cipher")
    key = psk
    if is_rsa:
        sender_key.verify(by_kind[SIGN], message[:-len(by_kind[SIGN])],
                          padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.AUTO), hashes.SHA256())
        key = private_key.decrypt(by_kind[PKE], padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None))
    offer = Offer(is_rsa, message[4:8], message[11:15], int.from_bytes(message[15:19], "big"), by_kind[T], by_kind[RAND], b"", key)
    if by_kind.get(EXTENSION, b"")[:4] == b"TFRC":
        offer.rollover_of_repairs = int.from_bytes(by_kind[EXTENSION][-4:], "big")
        if by_kind[EXTENSION] != session_of_repairs(offer.ssrc, offer.rollover_of_repairs):
            raise Bad("the repairs are of another stream")
    start = next(at for kind, at, _ in found if kind == KEMAC)
    end = start + 5 + len(by_kind[KEMAC])
    covered = b"\0" + message[start + 1:end] if is_rsa else message[:end]
    if not hmac.compare_digest(offer.mac(covered), message[end:end + SHA1_BYTES]):
        raise Bad("MAC")
    text = encrypted(key, offer.csb_id, offer.rand, offer.time_stamp, by_kind[KEMAC])
    inner = {kind: content for kind, _, content in payloads(text, ID if is_rsa else KEY_DATA, 0)}
    offer.tgk = inner[KEY_DATA]
    if is_rsa:
        offer.identities = public_key_id(sender_key) + public_key_id(private_key.public_key())
    return offer


def verification(offer, rand):
    """The answer to an offer, with the receiver's RAND."""
    message = offer.header(RSA_VERIFICATION if offer.is_rsa else PSK_VERIFICATION) + bytes((RAND, 0)) + offer.time_stamp + \
        bytes((V, len(rand))) + rand + b"\0\1"
    return message + offer.mac(message + offer.identities + offer.time_stamp)


def read_verification(offer, message):
    """The receiver's RAND."""
    if message[1] == REFUSAL:
        raise Bad(f"refused: error {message[-3]}")
    rand = next(content for kind, _, content in payloads(message, message[2]) if kind == RAND)
    if message != verification(offer, rand):
        raise Bad("no verification of the offer")
    return rand
