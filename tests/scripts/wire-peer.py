# SPDX-License-Identifier: LGPL-2.1-or-later
"""Another implementation of docs/wire-format.md, written from the page: wire-peer.py DIRECTORY

It sends a movie with a passphrase to tfrcsrc, then receives one from tfrcsink, with the program
gst-launch-1.0, and compares what has arrived byte by byte; also when packets are lost on either way,
and are asked for and repaired. wirepeer/ has the key messages and SRTP, attacks/packets.py the
packets. As a sender it has a constant rate, which RFC 5348 does not allow elsewhere than on a
loopback interface."""
import os
import pathlib
import socket
import struct
import subprocess
import sys
import time

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE / "wirepeer"), str(HERE / "attacks")]
# pylint: disable=wrong-import-position
import keys  # noqa: E402
import packets  # noqa: E402

PASSPHRASE = "only-the-two-ends-know-it"
PACKETS, PACKET_BYTES, PACKETS_PER_S = 200, 1316, 200
UNPACED_PACKETS = 150  # of the movie that comes as fast as TFRC allows
RECEIVE_BUFFER_BYTES = 212992  # Linux's default limit, of which it takes twice: 184 packets, so that this movie fits
FIRST_NUMBER = 65436  # so that the sequence number wraps
FIRST_OFFER_S, NTP_S = 0.1, 2208988800
LOST = (60, 61, 62, 100, 120)  # packets of the movie
LOST_TWICE = 100  # and its first repair, too
AGAIN_S = 0.05  # until a repair or a request is repeated
FALSE_OFFERS = 100  # of one host: more than a source reads at once
LIMIT_S = 60  # only ends waits that would last for ever
INITIAL_WINDOW = 10  # packets that leave before the first feedback (RFC 6928)


def clock_packet(ssrc, send_time_s):
    return struct.pack("!BBH4s4sI", 0x81, packets.APP, 3, ssrc, b"TFRC", int(send_time_s * packets.US) % 2 ** 32)


def end(pipeline):
    return subprocess.Popen(["gst-launch-1.0", "-q", *pipeline.split()], stdin=subprocess.DEVNULL)


def use_up_tokens(target):
    """Sends offers that the source reads and refuses, from another port of this host."""
    offer, = keys.Sender("another passphrase", packets.random_ssrc()).exchange()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        for _ in range(FALSE_OFFERS):
            other.sendto(offer, target)


class Sender:
    """Sends a movie to a tfrcsrc."""

    def __init__(self, target, lost=()):
        self.ssrc = packets.random_ssrc()[:3] + b"\x10"  # even, so that repairs have the next one
        self.keys = keys.Sender(PASSPHRASE, self.ssrc)
        self.lost, self.repairs = lost, {}  # 16-bit number: when its repairs have left
        self._left, self._transport, self._repair_number = {}, FIRST_NUMBER, 65535
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect(target)
        self.socket.settimeout(1 / PACKETS_PER_S)
        self.rtt_s, self.feedback, self.sent = 0.0, 0, 0
        self.has_left = self.is_answered = False  # has said BYE, and got one
        self._exchange_s, self._wait_s, self._report_s = 0.0, FIRST_OFFER_S, 0.0
        self._cookie = b""

    def send(self, payload):
        try:
            self.socket.send(payload)
        except ConnectionRefusedError:  # the other end has not started yet, or has ended
            pass

    def send_what_is_due(self, now):
        if self.keys.cookie != self._cookie:  # another one: the offer leaves again at once
            self._cookie, self._exchange_s = self.keys.cookie, now
        if now >= self._exchange_s:
            for packet in self.keys.exchange():
                self.send(packet)
            self._exchange_s, self._wait_s = now + self._wait_s, min(2 * self._wait_s, 2)
        if now >= self._report_s and self.sent:
            self._report_s = now + 3.9
            report = packets.sender_report(self.ssrc, time.time() + NTP_S, now)
            self.send(self.keys.protect(report + packets.sdes(self.ssrc) + clock_packet(self.ssrc, now)))

    def hear(self):
        """Waits for the time of one data packet at most."""
        try:
            compound = self.keys.take(self.socket.recv(2048))
        except (TimeoutError, ConnectionRefusedError):
            return
        if compound and packets.is_challenge(compound):
            if not self.has_left or not self.feedback:  # silence says that a BYE was true
                self.send(self.keys.protect(packets.response(self.ssrc, compound)))
        elif compound and packets.is_feedback(compound):
            sent, delay = struct.unpack_from("!II", compound, 12)
            self.feedback += 1
            self.rtt_s = ((int(time.monotonic() * packets.US) - sent - delay) % 2 ** 32) / packets.US
        elif compound and bytes((packets.BYE,)) in compound[1::4]:
            self.is_answered = True
        for number in packets.asked_for(compound or b""):
            self.repair(number, time.monotonic())

    def send_data(self, data, is_lost):
        """From the first repair on all packets tell the transport number, which counts repairs, too."""
        if self.repairs:
            data = packets.with_transport(data, self._transport)
        self._transport += 1
        data = self.keys.protect(data)
        if not is_lost:
            self.send(data)

    def repair(self, number, now):
        times = self.repairs.setdefault(number, [])
        if times and now < times[-1] + AGAIN_S:
            return
        times.append(now)
        original = packets.changed_data(self._left[number], rtt=int(self.rtt_s * packets.US))
        repair = self.keys.protect(packets.repair_of(original, self._repair_number, self._transport, now))
        self._repair_number += 1
        self._transport += 1
        if number != (FIRST_NUMBER + LOST_TWICE) % 65536 or len(times) > 1:
            self.send(repair)

    def agree_under_load(self, target):
        """Waits for keys, so that no data is lost before, while others use up the tokens."""
        while not self.keys.is_answered:
            use_up_tokens(target)
            self.send_what_is_due(time.monotonic())
            self.hear()

    def play(self, movie):
        """Sends the movie, then BYE until the receiver answers."""
        start = time.monotonic()
        while self.sent < PACKETS:
            now = time.monotonic()
            self.send_what_is_due(now)
            if now >= start + self.sent / PACKETS_PER_S:
                payload = movie[self.sent * PACKET_BYTES:(self.sent + 1) * PACKET_BYTES]
                number, rtt_us = FIRST_NUMBER + self.sent, int(self.rtt_s * packets.US)
                data = packets.data_with(payload, number, self.ssrc, time.monotonic(), rtt_us)
                self._left[number % 65536] = data
                self.send_data(data, self.sent in self.lost)
                self.sent += 1
            self.hear()
        self.has_left = True
        for _ in range(5):
            until = time.monotonic() + 0.3
            self.send(self.keys.protect(packets.bye(self.ssrc)))
            while time.monotonic() < until and not self.is_answered:
                self.hear()


class Receiver:
    """Receives a movie from a tfrcsink."""

    def __init__(self, lost=(), **own_keys):
        self.ssrc = packets.random_ssrc()
        self.lost, self.repairs = lost, []  # packets of the movie, counted from 0; the original numbers that came
        self.first, self.repairs_lost = None, 0
        self._transport = self._first_transport = None
        self._arrived, self._asked = 0, {}  # extended number of a missing packet: when it was asked for
        self.keys = keys.Receiver(self.ssrc, **own_keys)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(0.002)
        self.port = self.socket.getsockname()[1]
        self.came = {}  # extended sequence number: payload
        self.media, self.sender, self.highest, self.feedback = None, None, None, 0
        self.rtt_s, self.is_over = 0.0, False
        self._recent, self._newest, self._feedback_s = [], None, 0.0

    def send(self, compound):
        self.socket.sendto(self.keys.protect(compound), self.sender)

    def extended(self, number):
        return number if self.highest is None else self.highest + (number - self.highest + 0x8000) % 0x10000 - 0x8000

    def is_lost(self, data):
        """Whether the packet is lost on the way."""
        if self.first is None:
            return False
        if not packets.is_repair(data):
            return self.extended(packets.sequence_number(data)) - self.first in self.lost
        if self.repairs_lost or self.extended(packets.original(data)[0]) - self.first != LOST_TWICE:
            return False
        self.repairs_lost += 1
        return True

    def on_data(self, data, now):
        if self.is_lost(data):
            return
        self.count(packets.transport_number(data))
        if packets.is_repair(data):
            number, payload = packets.original(data)
            assert packets.ssrc_of_data(data) == packets.next_ssrc(self.media), "the repair of another stream"
            if self.extended(number) in self.came:  # sent unasked, as nothing followed it
                return
            self.repairs.append(number)
            number = self.extended(number)
            self._asked.pop(number, None)
        else:
            number, payload = self.extended(packets.sequence_number(data)), data[len(data) - packets.payload_bytes(data):]
            assert not self.repairs or 3 in packets.elements(data), "no transport number after a repair"
            self.media = packets.ssrc_of_data(data)
            if self.highest is not None:
                self._asked.update(dict.fromkeys(range(self.highest + 1, number), 0.0))
            self.highest = max(self.highest or number, number)
        self.first = number if self.first is None else self.first
        self.came[number] = payload
        self.rtt_s = packets.rtt_us(data) / packets.US
        self._newest = now, packets.send_time_us(data)
        self._recent.append((now, packets.payload_bytes(data)))

    def count(self, transport):
        """TFRC's numbers: nothing is reordered on this path."""
        if self._transport is None:
            self._transport = self._first_transport = transport
        self._transport += (transport - self._transport) % 0x10000
        self._arrived += 1

    def ask(self, now):
        """Asks for what is missing once feedback has told the sender who asks."""
        due = [number for number, when in self._asked.items() if now >= when + AGAIN_S]
        if due and self.feedback:
            self.send(packets.nack(self.ssrc, self.media, sorted(due)))
            self._asked.update(dict.fromkeys(due, now))

    def on_rtcp(self, compound):
        if packets.is_sender_report(compound):
            middle = int.from_bytes(compound[10:14], "big")
            if self.media:
                self.send(packets.receiver_report(self.ssrc, self.media, self.highest, middle))
        elif packets.is_challenge(compound):
            self.send(packets.response(self.ssrc, compound))
        elif bytes((packets.BYE,)) in compound[1::4]:
            self.send(packets.bye(self.ssrc))
            self.is_over = True

    def send_feedback(self, now):
        window_s = max(self.rtt_s, 0.01)
        self._feedback_s = now + window_s
        self._recent = [(when, size) for when, size in self._recent if when > now - window_s]
        when, sent = self._newest
        lost = self._transport - self._first_transport + 1 - self._arrived
        self.send(packets.feedback(self.ssrc, self.media, {
            "t_recvdata": sent, "t_delay": (now - when) * packets.US, "x_recv": sum(size for _, size in self._recent) / window_s,
            "p": lost / (self._arrived + lost), "seq": self._transport, "lost": lost, "events": lost, "number": self.feedback, "flags": 0}))
        self.feedback += 1
        self._newest = None

    def play(self):
        """Receives until the sender says BYE. Returns the movie."""
        limit = time.monotonic() + LIMIT_S
        while not self.is_over and time.monotonic() < limit:
            try:
                packet, self.sender = self.socket.recvfrom(2048)
            except TimeoutError:
                packet = b""
            now = time.monotonic()
            usable, answers = self.keys.take(packet) if packet else ((), ())
            for answer in answers:
                self.socket.sendto(answer, self.sender)
            for clear in usable:
                if keys.is_rtcp(clear):
                    self.on_rtcp(clear)
                else:
                    self.on_data(clear, now)
            if self._newest and now >= self._feedback_s:
                self.send_feedback(now)
            self.ask(now)
        return b"".join(self.came[number] for number in sorted(self.came))


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        any_socket.bind(("127.0.0.1", 0))
        return any_socket.getsockname()[1]


def is_bound(port):
    with open("/proc/net/udp", encoding="ascii") as sockets:
        return any(line.split()[1].endswith(f":{port:04X}") for line in sockets)


def check_keys():
    """The examples of "The fields of key messages" and "The keys of a stream"."""
    psk, rand_of_receiver = keys.mikey.key_of_passphrase(PASSPHRASE), bytes(range(0xB0, 0xC0))
    offer = keys.mikey.Offer(False, bytes((1, 2, 3, 4)), bytes.fromhex("11223344"), 0, bytes.fromhex("eb00000080000000"),
                             bytes(range(0xA0, 0xB0)), bytes(range(32)), psk)
    told = [f"`{psk.hex()}`", f"`{keys.mikey.verification(offer, rand_of_receiver)[-20:].hex()}`"]
    for rand in b"", rand_of_receiver:
        for session in 1, 2:
            told += [f"`{part.hex()}`" for part in offer.stream_keys(session, rand)]
    page = (HERE / "../../docs/wire-format.md").read_text(encoding="utf-8")
    assert all(text in page for text in told), told


def check_sending(movie, directory, is_flooded, lost=()):
    received, port = directory / "received.ts", free_port()
    source = end(f"tfrcsrc address=127.0.0.1 port={port} passphrase={PASSPHRASE} ! filesink location={received} sync=false")
    limit = time.monotonic() + LIMIT_S
    while not is_bound(port):
        assert time.monotonic() < limit and source.poll() is None, "the program does not start"
        time.sleep(0.02)
    sender = Sender(("127.0.0.1", port), lost)
    if is_flooded:
        sender.agree_under_load(("127.0.0.1", port))
    sender.play(movie)
    assert source.wait(LIMIT_S) == 0
    print(f"sent: {sender.sent} packets, {sender.feedback} feedback, R {sender.rtt_s * 1e3:.1f} ms, "
          f"BYE {'' if sender.is_answered else 'not '}answered, {'a' if sender.keys.cookie else 'no'} cookie, "
          f"{sum(map(len, sender.repairs.values()))} repairs of {len(sender.repairs)} packets")
    assert received.read_bytes() == movie, f"{received.stat().st_size} bytes of {len(movie)}, or others"
    assert sender.keys.is_proven and sender.feedback > 10 and bool(sender.keys.cookie) == is_flooded
    assert set(sender.repairs) == {(FIRST_NUMBER + number) % 65536 for number in lost}
    assert not lost or len(sender.repairs[(FIRST_NUMBER + LOST_TWICE) % 65536]) >= 2


def rsa_keys(directory):
    """Makes the private keys of both ends: the options of tfrcsink, and the keys of the receiver."""
    sink, source = (rsa.generate_private_key(65537, 2048) for _ in range(2))
    (directory / "sink.key").touch(0o600)
    (directory / "sink.key").write_bytes(sink.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    (directory / "source.pub").write_bytes(source.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    return f"private-key-file={directory}/sink.key peer-public-key-file={directory}/source.pub", \
        {"private_key": source, "sender_key": sink.public_key()}


def check_receiving(movie, directory, options, own_keys, most_lost=0):
    """At least one packet at the beginning and at most this many cannot be read; 0: all can."""
    (directory / "movie.ts").write_bytes(movie)
    receiver = Receiver(**own_keys)
    sink = end(f"filesrc location={directory}/movie.ts blocksize={PACKET_BYTES} ! "
               f"tfrcsink host=127.0.0.1 port={receiver.port} {options}")
    played = receiver.play()
    assert sink.wait(LIMIT_S) == 0
    print(f"received with {' and '.join(own_keys)}: {len(receiver.came)} packets, {receiver.feedback} feedback, "
          f"{receiver.keys.cookies_given} cookies given")
    lost = (len(movie) - len(played)) // PACKET_BYTES
    assert played == movie[lost * PACKET_BYTES:] and min(most_lost, 1) <= lost <= most_lost, \
        f"{len(played)} bytes of {len(movie)}, or others"
    assert receiver.keys.is_proven and receiver.rtt_s > 0 and receiver.keys.cookies_given <= (2 if "gives_cookies" in own_keys else 0)


def check_repairs_received(movie, directory):
    """The movie is paced, so that it lasts for longer than repairs do."""
    (directory / "movie.ts").write_bytes(movie)
    receiver = Receiver(LOST, passphrase=PASSPHRASE)
    sink = end(f"filesrc location={directory}/movie.ts blocksize={PACKET_BYTES} ! "
               f"identity single-segment=true datarate={PACKET_BYTES * PACKETS_PER_S} ! "
               f"tfrcsink host=127.0.0.1 port={receiver.port} passphrase={PASSPHRASE}")
    played = receiver.play()
    assert sink.wait(LIMIT_S) == 0
    print(f"received with losses: {len(receiver.came)} packets, {len(receiver.repairs)} of them by repairs")
    assert played == movie, f"{len(played)} bytes of {len(movie)}, or others"
    assert sorted(receiver.repairs) == sorted((receiver.first + number) % 65536 for number in LOST)
    assert receiver.repairs_lost == 1


def main():
    directory = pathlib.Path(sys.argv[1])
    movie = b"".join(packets.TS_PACKET[:4] + os.urandom(184) for _ in range(PACKETS * PACKET_BYTES // 188))
    check_keys()
    check_sending(movie, directory, False)
    check_sending(movie, directory, True)
    check_sending(movie, directory, False, LOST)
    check_repairs_received(movie, directory)
    movie = movie[:UNPACED_PACKETS * PACKET_BYTES]
    check_receiving(movie, directory, f"passphrase={PASSPHRASE}", {"passphrase": PASSPHRASE})
    # The packet of data beside the offer that is answered by a cookie cannot be read, nor can what leaves beside the
    # next offers, if the answer takes longer than that.
    check_receiving(movie, directory, f"passphrase={PASSPHRASE}", {"passphrase": PASSPHRASE, "gives_cookies": True}, INITIAL_WINDOW)
    options, own_keys = rsa_keys(directory)
    check_receiving(movie, directory, options, own_keys)
    check_receiving(movie, directory, options, {**own_keys, "gives_cookies": True}, INITIAL_WINDOW)


main()
