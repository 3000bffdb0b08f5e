# SPDX-License-Identifier: LGPL-2.1-or-later
"""A host that has recorded a protected stream, with its key messages, and plays it again as its
sender, which has gone: to the receiver that has played it, to another one with the same keys, and to
one in the place of the first, as after a restart."""
import os
import subprocess
import threading
import time

from movie import RATE_BPS, Receiver, Stream
from network import ADDRESSES, Forger, Tap
from table import Effect, attack

WHO = "on path, many"
BOUND = "no packet played"
RECORDED_S = 4

_scratch = os.environ.get("ATTACKS_SCRATCH", ".")
_making_keys = threading.Lock()


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
    return ("passphrase=only-the-two-ends-know-it",) * 2


def by_rsa():
    file = key_files()
    return (f"private-key-file={file('sink.key')} peer-public-key-file={file('source.pub')}",
            f"private-key-file={file('source.key')} peer-public-key-file={file('sink.pub')}")


def by_request():
    file = key_files()
    return tuple(f"private-key-file={file(end + '.key')} certificate-file={file(end + '.crt')} ca-file={file('ca.crt')}"
                 for end in ("sink", "source"))


class Record(threading.Thread):
    """What has come to the receiver from the sender, with its times, while the context lasts."""

    def __init__(self, tap):
        super().__init__(daemon=True)
        self.tap = tap
        self.packets = []  # (when, payload)

    def run(self):
        try:
            for payload in self.tap.payloads(ADDRESSES["sender"]):
                self.packets.append((time.monotonic(), payload))
        except OSError:  # the tap is closed, or nothing comes any more
            pass

    def play(self, source, target):
        start, first = time.monotonic(), self.packets[0][0]
        with Forger("router") as forger:
            for when, payload in self.packets:
                time.sleep(max(0.0, start + when - first - time.monotonic()))
                forger.send(source, target, payload)
        time.sleep(1.5)  # for a sender that would be played as it does not respond


def played(receiver, record, source, target):
    before = len(receiver.came)
    record.play(source, target)
    return len(receiver.came) - before


def play_again(port, sender_options, receiver_options):
    with Stream(port, sender_options, f"keep-listening=true {receiver_options}", send=False) as stream:
        with Tap("receiver", port) as tap:
            record = Record(tap)
            record.start()
            stream.start_sender()
            stream.wait_for_packets(int(RECORDED_S * RATE_BPS / 8 / 1316))
            stream.sender.kill()
            time.sleep(0.5)
        recorded, packets = len(record.packets), len(stream.receiver.came)
        same = played(stream.receiver, record, stream.source, stream.target)
        other = Receiver(port + 2, receiver_options)
        stream.receivers.append(other)
        other.wait_for_playing()
        another = played(other, record, stream.source, (stream.target[0], port + 2))
        stream.receivers[0].kill()
        restarted = stream.start_receiver()
        restarted.wait_for_playing()
        again = played(restarted, record, stream.source, stream.target)
    return Effect(f"{recorded} packets recorded, {packets} played; again: {same} by the same receiver, {another} by another, "
                  f"{again} by one that has restarted", packets > 0 and same == another == again == 0)


@attack("recorded stream plays again, passphrase", WHO, BOUND, 30)
def passphrase(port):
    return play_again(port, *by_passphrase())


@attack("recorded stream plays again, RSA", WHO, BOUND, 30)
def rsa(port):
    return play_again(port, *by_rsa())


@attack("recorded stream plays again, RSA-R", WHO, BOUND, 30)
def rsa_r(port):
    return play_again(port, *by_request())
