# SPDX-License-Identifier: LGPL-2.1-or-later
"""The compared transports: sender and receiver of each, as launch fragments of real elements.

Owns the table below and the values of its placeholders. Every sender gets the same packets of 1316
bytes of transport stream from vod-replay, and every receiver passes the same bytes to vod-receive.
Placeholders:

  {host} {port}      the receiver, as the shell of the sender's job knows it
  {latency_ms}       of receivers that wait for repeated or late packets: four base round-trip times, at least 200 ms
  {share_bps}        payload rate of a stream whose packets take an equal share of the bottleneck
  {share_Bps}        the same with headers, as SRT's limit counts them
  {peak_bps}         payload rate of the movie's peak second
"""

import dataclasses

PAYLOAD_BYTES = 1316
UDP_HEADER_BYTES = 28  # IPv4 and UDP
MIN_LATENCY_MS = 200

RTP_CAPS = "application/x-rtp,media=video,clock-rate=90000,encoding-name=MP2T,payload=33"


@dataclasses.dataclass(frozen=True)
class Transport:
    """One way to carry a movie. endless: the sink never reports the end of the stream."""

    title: str
    sender: str
    receiver: str
    notes: str
    endless: bool = False


_UDP_RECEIVER = "udpsrc port={port} buffer-size=1000000"

TRANSPORTS = {
    "tfrc": Transport(
        "TFRC", "tfrcsink host={host} port={port} deadline=false", "tfrcsrc port={port}",
        "tfrcsink with its defaults but without a deadline: queue guard, burst limit of 10 ms, packets wait up to 2 s"),
    "tfrc-live": Transport(
        "TFRC, in time or not at all", "tfrcsink host={host} port={port} deadline=true ahead-time=0",
        "tfrcsrc port={port} latency=900 tell-latency=true",
        "the same, told that the player waits for 0.9 s: what cannot be in time does not leave, the least important first. "
        "tfrcsrc waits as long for a missing packet, which leaves a tenth of a buffer of 1 s to the rest"),
    "tfrc-stored": Transport(
        "TFRC, up to 10 s ahead", "tfrcsink host={host} port={port} deadline=true ahead-time=10000",
        "tfrcsrc port={port} latency=900 tell-latency=true ahead-time=10000",
        "the same, and packets may leave up to 10 s before they are due, as those of a file can"),
    "tfrc-enhanced": Transport(
        "TFRC, enhanced, in time", "tfrcsink host={host} port={port} profile=enhanced deadline=true ahead-time=0",
        "tfrcsrc port={port} profile=enhanced latency=900 tell-latency=true",
        "the same as \"in time or not at all\" with profile=enhanced at both ends, for links that damage packets"),
    "tfrc-peak": Transport(
        "TFRC, at most the peak second", "tfrcsink host={host} port={port} deadline=false max-bitrate={peak_bps}",
        "tfrcsrc port={port}",
        "the same, told the rate of the movie's peak second as its maximum: what UDP shaped to it knows too"),
    "tfrc-rfc": Transport(
        "TFRC, RFC 5348 alone",
        "tfrcsink host={host} port={port} deadline=false queue-guard=false burst-limit=0 initial-window=0",
        "tfrcsrc port={port}",
        "without queue guard; may catch up one round-trip time at once; the initial window of RFC 3390"),
    "tfrc-burst": Transport(
        "TFRC, burst limit only", "tfrcsink host={host} port={port} deadline=false queue-guard=false initial-window=0",
        "tfrcsrc port={port}",
        "without queue guard; burst limit of 10 ms"),
    "tfrc-guard": Transport(
        "TFRC, queue guard only", "tfrcsink host={host} port={port} deadline=false burst-limit=0 initial-window=0",
        "tfrcsrc port={port}",
        "with queue guard; may catch up one round-trip time at once"),
    "udp": Transport(
        "UDP", "udpsink host={host} port={port}", _UDP_RECEIVER, "udpsink: every packet leaves when it is due"),
    "udp-shaped-link": Transport(
        "UDP shaped to the link", "udpsink host={host} port={port} sync=true max-bitrate={share_bps}", _UDP_RECEIVER,
        "an unbounded queue and a token bucket of one packet (GstBaseSink's max-bitrate) at the link's rate; with N "
        "movies at an N-th of it, which no sender could know"),
    "udp-shaped-peak": Transport(
        "UDP shaped to the peak second", "udpsink host={host} port={port} sync=true max-bitrate={peak_bps}",
        _UDP_RECEIVER, "the same token bucket at the rate of the movie's peak second"),
    "rtp": Transport(
        "RTP", "rtpmp2tpay ! udpsink host={host} port={port}",
        "udpsrc port={port} buffer-size=1000000 caps=" + RTP_CAPS +
        " ! rtpjitterbuffer latency={latency_ms} ! rtpmp2tdepay",
        "rtpmp2tpay and udpsink; rtpjitterbuffer at the receiver"),
    "srt": Transport(
        "SRT", "srtsink uri=srt://{host}:{port}?mode=caller&latency={latency_ms}",
        "srtsrc uri=srt://:{port}?mode=listener&latency={latency_ms}", "SRT's live mode, bandwidth unlimited"),
    "srt-limited": Transport(
        "SRT, limited", "srtsink uri=srt://{host}:{port}?mode=caller&latency={latency_ms}&maxbw={share_Bps}",
        "srtsrc uri=srt://:{port}?mode=listener&latency={latency_ms}",
        "SRT's live mode with maxbw at the link's rate; with N movies at an N-th of it"),
    "rist": Transport(
        "RIST", "rtpmp2tpay ! ristsink address={host} port={port}",
        "ristsrc address=0.0.0.0 port={port} receiver-buffer={latency_ms} ! rtpmp2tdepay",
        "RIST's simple profile: RTP, lost packets repeated on request", endless=True),
    "tcp": Transport(
        "TCP", "tcpclientsink host={host} port={port}", "tcpserversrc host=0.0.0.0 port={port}",
        "one connection of the kernel's Reno for the movie, behind an unbounded queue"),
    "tfrc-smooth": Transport(
        "TFRC, smoothed over 1.5 s", "tfrcsink host={host} port={port} deadline=false smoothing-time=1500",
        "tfrcsrc port={port}",
        "tfrcsink, told to spread packets over 1.5 s, which leaves room below a mean IPTD of 1 s; it knows "
        "nothing of the movie or the link"),
    "tfrc-smooth-300": Transport(
        "TFRC, smoothed over 0.3 s", "tfrcsink host={host} port={port} deadline=false smoothing-time=300",
        "tfrcsrc port={port}",
        "the same over 0.3 s, which adds at most 0.15 s to the mean IPTD"),
    "srt-180ms": Transport(
        "SRT, latency 180 ms", "srtsink uri=srt://{host}:{port}?mode=caller&latency=180",
        "srtsrc uri=srt://:{port}?mode=listener&latency=180",
        "SRT holds every packet for its latency: this one leaves a tenth of a buffer of 0.2 s to what the network varies"),
    "srt-900ms": Transport(
        "SRT, latency 900 ms", "srtsink uri=srt://{host}:{port}?mode=caller&latency=900",
        "srtsrc uri=srt://:{port}?mode=listener&latency=900", "the same for a buffer of 1 s"),
    "rist-180ms": Transport(
        "RIST, buffer 180 ms", "rtpmp2tpay ! ristsink address={host} port={port}",
        "ristsrc address=0.0.0.0 port={port} receiver-buffer=180 ! rtpmp2tdepay", "the same for RIST", endless=True),
    "rist-900ms": Transport(
        "RIST, buffer 900 ms", "rtpmp2tpay ! ristsink address={host} port={port}",
        "ristsrc address=0.0.0.0 port={port} receiver-buffer=900 ! rtpmp2tdepay", "the same for a buffer of 1 s", endless=True),
    "tfrc-180ms": Transport(
        "TFRC, latency 180 ms", "tfrcsink host={host} port={port} deadline=true ahead-time=0",
        "tfrcsrc port={port} latency=180 tell-latency=true", "the same as \"in time or not at all\" for a buffer of 0.2 s"),
    "tfrc-fec-180ms": Transport(
        "TFRC, latency 180 ms, FEC", "tfrcsink host={host} port={port} deadline=true ahead-time=0 fec=auto",
        "tfrcsrc port={port} latency=180 tell-latency=true",
        "the same with forward error correction where no repair can be in time"),
}


def latency_ms(d2_ms):
    """How long receivers wait for repeated packets: SRT's rule of thumb."""
    return max(MIN_LATENCY_MS, 4 * 2 * d2_ms)


def fragments(name, *, host, port, d2_ms, rate_bps, movies, peak_bps):
    """The launch fragments (sender, receiver) of a transport. movies: the number of movies that
    share the bottleneck."""
    transport = TRANSPORTS[name]
    share_bps = rate_bps / movies
    values = {
        "host": host,
        "port": port,
        "latency_ms": latency_ms(d2_ms),
        "share_bps": int(share_bps * PAYLOAD_BYTES / (PAYLOAD_BYTES + UDP_HEADER_BYTES)),
        # SRT counts a packet of 1316 bytes as 1360; all of that is on the wire.
        "share_Bps": int(share_bps / 8),
        "peak_bps": int(peak_bps),
    }
    return transport.sender.format(**values), transport.receiver.format(**values)
