# SPDX-License-Identifier: LGPL-2.1-or-later
"""A stream with a minimum rate to a host that has never answered, or does so no more. Whoever has the
stream started chooses where it goes."""
import json
import os
import random
import re
import socket
import time

import movie
import packets
from modes import OF_PEER
from movie import Program, sender, wait_until
from network import ADDRESSES, Forger, Repeat, Tap, inside, udp_socket
from peer import Peer
from table import Effect, attack

SECONDS = 20
MOST = 9 * 1400  # a packet a second, and ever fewer, with its headers
RELEASED = 21 * 1500  # signs of life release a packet a second, beside sender reports
SERVER = os.path.join(os.environ["ATTACKS_BUILD"], "tools/server/tfrc-server")


def swallow(sock, seconds):
    """Returns the bytes that come in this time."""
    until, came = time.monotonic() + seconds, 0
    while (left := until - time.monotonic()) > 0:
        sock.settimeout(left)
        try:
            came += len(sock.recv(2048))
        except socket.timeout:
            break
    return came


@attack("min-bitrate=5000000 to a host that drops everything", "who starts a stream", f"{MOST} bytes in {SECONDS} s", 30)
def drops(port):
    with udp_socket("receiver", port) as victim:
        process = sender(port, "min-bitrate=5000000", rate_bps=0)
        try:
            victim.settimeout(40)
            came = len(victim.recv(2048)) + swallow(victim, SECONDS)
        finally:
            process.kill()
    return Effect(f"{came} bytes in {SECONDS} s", came <= MOST)


@attack("min-bitrate=5000000, forged receiver reports", "on path, once", f"{RELEASED} bytes in {SECONDS} s", 30,
        with_keys=f"{RELEASED} bytes in {SECONDS} s", keyed=OF_PEER)
def forged_reports(port):
    """In the name of a host that drops everything, with the SSRC of the stream"""
    with udp_socket("receiver", port) as victim, Tap("sender", port) as tap, Forger("router") as forger:
        process = sender(port, "min-bitrate=5000000", rate_bps=0)
        try:
            ends, receiver = ((ADDRESSES["receiver"], port), (ADDRESSES["sender"], port)), packets.random_ssrc()
            media = packets.ssrc_of_data(next(payload for payload in tap.payloads(ADDRESSES["sender"]) if packets.is_data(payload)))
            with Repeat(lambda: forger.send(*ends, packets.receiver_report(receiver, media, 0, random.getrandbits(32)))):
                came = swallow(victim, SECONDS)
        finally:
            process.kill()
    return Effect(f"{came} bytes in {SECONDS} s", came <= RELEASED)


@attack("min-bitrate=5000000, then the receiver falls silent", "receiver", "5 Mbit/s for 12 s; then 1 packet/s", 40,
        with_keys="5 Mbit/s for 12 s; then 1 packet/s", keyed=OF_PEER)
def falls_silent(port):
    peer = Peer(port, rate_bps=20_000_000)
    process = sender(port, "min-bitrate=5000000 max-bitrate=5000000", rate_bps=0)
    try:
        wait_until(40, lambda: len(peer.got) >= 500, "data")
        peer.send = lambda _: None
        start = time.monotonic()
        time.sleep(25)
        late = peer.sent(start + 15, start + 25)
        return Effect(f"{peer.sent(start, start + 15) * 8e-6:.0f} Mbit in 15 s, then {late} bytes in 10 s",
                      late <= 10 * 1316)
    finally:
        peer.close()
        process.kill()


def post(address, body):
    text = json.dumps(body).encode()
    with inside("intruder"):
        client = socket.create_connection(address, 20)
    with client:
        client.sendall(b"POST /streams HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
                       + f"Content-Length: {len(text)}\r\n\r\n".encode() + text)
        return int(client.recv(65536).split()[1])


@attack("POST min-bitrate=20000000 to tfrc-server", "a client", f"{MOST} bytes in {SECONDS} s; 403 for unresponsive-receiver", 40)
def by_server(port):
    server = Program("sender", [SERVER, "--listen", ADDRESSES["sender"], "--port", "0", "--media-port", "0",
                                movie.scratch()])
    request = {"movie": "movie.ts", "host": ADDRESSES["receiver"], "port": port, "min-bitrate": 20_000_000}
    try:
        wait_until(30, lambda: "listening" in server.text(), "tfrc-server")
        address = ADDRESSES["sender"], int(re.search(r"http://[0-9.]+:(\d+)", server.text())[1])
        refused = post(address, {**request, "unresponsive-receiver": True})
        with udp_socket("receiver", port) as victim:
            started = post(address, request)
            came = swallow(victim, SECONDS)
    finally:
        server.kill()
    return Effect(f"{came} bytes in {SECONDS} s; {refused} for unresponsive-receiver",
                  refused == 403 and started == 201 and 0 < came <= MOST)
