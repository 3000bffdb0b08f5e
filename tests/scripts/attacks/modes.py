# SPDX-License-Identifier: LGPL-2.1-or-later
"""The ways of protection that an attack runs against. In a thread that runs an attack, the ends of
movie.py and peer.py have the keys of the attack's mode."""
import contextlib
import contextvars
import os
import subprocess
import sys
import threading

PLAIN, PASSPHRASE, RSA, RSA_R, RAISED_TTL = "plain", "passphrase", "RSA", "RSA-R", "raised-ttl"
ALL = PLAIN, PASSPHRASE, RSA, RSA_R, RAISED_TTL
PROTECTED = PASSPHRASE, RSA, RSA_R
OF_PEER = PASSPHRASE, RSA  # which the receiver in Python has
SECRET = "only-the-two-ends-know-it"

_scratch = os.environ.get("ATTACKS_SCRATCH", ".")
_making_keys = threading.Lock()
_current = contextvars.ContextVar("mode", default=PLAIN)


class Unavailable(Exception):
    """The machine lacks what the attack needs in this mode."""


@contextlib.contextmanager
def mode(name):
    token = _current.set(name)
    try:
        yield
    finally:
        _current.reset(token)


def current():
    return _current.get()


def is_protected():
    return _current.get() in PROTECTED


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=_scratch)


def key_files():
    """Makes the keys and the certificates of both ends once. Returns their names."""
    with _making_keys:
        if not os.path.exists(os.path.join(_scratch, "source.crt")):
            os.umask(0o077)
            for name in ("ca", "sink", "source"):
                openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", f"{name}.key")
                openssl("pkey", "-in", f"{name}.key", "-pubout", "-out", f"{name}.pub")
            openssl("req", "-x509", "-new", "-key", "ca.key", "-subj", "/CN=ca", "-days", "1", "-out", "ca.crt")
            for name in ("sink", "source"):
                openssl("req", "-new", "-key", f"{name}.key", "-subj", f"/CN={name}", "-out", f"{name}.csr")
                openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "1",
                        "-out", f"{name}.crt")
    return lambda name: os.path.join(_scratch, name)


def by_passphrase():
    return (f"passphrase={SECRET}",) * 2


def by_rsa():
    file = key_files()
    return (f"private-key-file={file('sink.key')} peer-public-key-file={file('source.pub')}",
            f"private-key-file={file('source.key')} peer-public-key-file={file('sink.pub')}")


def by_request():
    file = key_files()
    return tuple(f"private-key-file={file(end + '.key')} certificate-file={file(end + '.crt')} ca-file={file('ca.crt')}"
                 for end in ("sink", "source"))


def by_raised_ttl():
    """The TTL is not raised, so the stream stays without protection."""
    sender, receiver = by_passphrase()
    return f"{sender} protect=raised-ttl adaptive-ttl=true", f"{receiver} protect=raised-ttl"


def _options():
    return {PLAIN: lambda: ("", ""), PASSPHRASE: by_passphrase, RSA: by_rsa, RSA_R: by_request,
            RAISED_TTL: by_raised_ttl}[_current.get()]()


def sender_options():
    return _options()[0]


def receiver_options():
    """With keys, packets that do not fit end a source that has not got any (docs/security.md, "Open
    ports"), unless it keeps listening."""
    return _options()[1] + (" keep-listening=true" if is_protected() else "")


def keys_of_peer(ssrc):
    """The keys of a receiver in Python; None: no keys."""
    if not is_protected():
        return None
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../wirepeer"))
    try:
        import keys  # pylint: disable=import-outside-toplevel  # not every machine has cryptography
        from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise Unavailable("no module cryptography of Python (python3-cryptography)") from error
    if _current.get() == PASSPHRASE:
        return keys.Receiver(ssrc, SECRET)
    file = key_files()
    with open(file("source.key"), "rb") as own, open(file("sink.pub"), "rb") as senders:
        return keys.Receiver(ssrc, private_key=load_pem_private_key(own.read(), None), sender_key=load_pem_public_key(senders.read()))
