# SPDX-License-Identifier: LGPL-2.1-or-later
"""A host that has the key of a certificate of the CA, and takes the place of the sender or of the
receiver. The other end waits for another name (peer-name). An end does not start with a certificate
for another use, so the tests of key messages alone have those."""
import os
import threading
import time

from modes import RSA, RSA_R, key_files, openssl
from movie import Stream
from table import Effect, attack

WHO = "has a certificate of the CA"
BOUND = "no packet played"
OBSERVED_S = 5
_making = threading.Lock()


def certified(end, name):
    """Makes a certificate of the CA for the key of an end. Returns the options of that end."""
    file = key_files()
    with _making:
        if not os.path.exists(file(f"{name}.crt")):
            openssl("req", "-new", "-key", f"{end}.key", "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}",
                    "-out", f"{name}.csr")
            openssl("x509", "-req", "-in", f"{name}.csr", "-copy_extensions", "copy", "-CA", "ca.crt", "-CAkey", "ca.key",
                    "-set_serial", str(time.time_ns()), "-days", "1", "-out", f"{name}.crt")
    return f"private-key-file={file(end + '.key')} certificate-file={file(name + '.crt')} ca-file={file('ca.crt')}"


def played(port, sender_options, receiver_options):
    with Stream(port, sender_options, f"keep-listening=true {receiver_options}", send=False) as stream:
        stream.start_sender()
        time.sleep(OBSERVED_S)
        return len(stream.receiver.came)


def effect(wrong, right):
    return Effect(f"{wrong} packets played in {OBSERVED_S} s, {right} with the right name", wrong == 0 < right)


@attack("another sender of the CA", WHO, BOUND, 20, mode=RSA)
def sender(port):
    receiver = f"{certified('source', 'source.example.org')} peer-name=sink.example.org"
    return effect(*(played(port, certified("sink", name), receiver) for name in ("other.example.org", "sink.example.org")))


@attack("another receiver of the CA, which asks", WHO, BOUND, 20, mode=RSA_R)
def receiver(port):
    sink = f"{certified('sink', 'sink.example.org')} peer-name=source.example.org"
    return effect(*(played(port, sink, certified("source", name)) for name in ("guest.example.org", "source.example.org")))
