# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks of the benchmark's analysis on hand-made logs: vod-analysis.py SCRATCH_DIRECTORY."""

import math
import pathlib
import sys

import analysis
import logs
import measures
import metrics
import pictures
import scenario

SCRATCH = sys.argv[1]
MS = 1_000_000
START_NS = 1_700_000_000_000_000_000


def write(name, header, rows):
    path = f"{SCRATCH}/{name}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


def at(ms):
    return START_NS + round(ms * MS)


def due(*rows):
    return logs.read_due(write("due.csv", logs.DUE_HEADER, [(at(ms), f"{h:016x}") for ms, h in rows]))


def arrivals(*rows):
    return logs.read_arrivals(write("arrivals.csv", logs.ARRIVALS_HEADER, [(at(ms), f"{h:016x}") for ms, h in rows]))


def wire(*rows):
    return logs.read_wire(write("wire.csv", logs.WIRE_HEADER, [
        (at(ms), direction, f"{h:016x}", "udp", 40000, dport) for ms, direction, h, dport in rows]))


def same(found, expected):
    if isinstance(expected, float):
        return found is not None and math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)
    return found == expected and isinstance(found, type(expected))


def expect(measures, **expected):
    for name, value in expected.items():
        assert same(measures[name], value), f"{name}: {measures[name]!r} instead of {value!r}"


def refused(text, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except logs.LogError as error:
        assert text in str(error), f"'{error}' instead of '{text}'"
    else:
        raise AssertionError(f"not refused: '{text}'")


def test_every_part_of_the_way():
    """Four packets: one is quick, one is lost and repeated, one is dropped by the receiver, one never leaves."""
    journey = analysis.join(
        due((0, 1), (10, 2), (20, 3), (30, 4)),
        arrivals((25, 1), (225, 2), (226, 2), (300, 99)),
        wire((1, "out", 1, 5004), (12, "out", 2, 5004), (22, "out", 3, 5004), (90, "out", 2, 5004),
             (23, "in", 7, 1), (190, "out", 2, 5004)),
        wire((21, "in", 1, 5004), (52, "in", 3, 5004), (120, "in", 2, 5004), (220, "in", 2, 5004),
             (60, "out", 3, 1)))
    m = analysis.stream_measures(journey)
    expect(m, packets=4, lost=2, iplr=0.5, unsent=1, network_lost=0, discarded=1, retransmissions=2, duplicates=1,
           foreign=1, ambiguous=0, iptd_from="wire")
    # of packets 1, 2, 3
    expect(m, sender_mean=0.005 / 3, sender_min=0.001, sender_p50=0.002, sender_max=0.002)
    expect(m, recovery_mean=0.078 / 3, recovery_max=0.078)
    expect(m, network_mean=0.080 / 3, network_min=0.020, network_p50=0.030, network_max=0.030)
    expect(m, iptd_mean=0.163 / 3, iptd_min=0.021, iptd_p50=0.032, iptd_p99=0.110, iptd_max=0.110)
    # of packets 1 and 2
    expect(m, hold_mean=0.109 / 2, hold_max=0.105, delivery_mean=0.120, delivery_max=0.215)
    expect(m, iptd_pdv_p99=0.089, iptd_ipdv_mean=(0.089 + 0.078) / 2, delivery_ipdv_mean=0.190)
    # The empty network takes 20 ms. Packet 2 is played 220 ms after it was due, and comes after 215
    # ms.
    expect(m, path_s=0.020, **{"late_0.2": 0.0})
    # A quarter of the packets is late. Every player misses the half that never came.
    expect(analysis.stream_measures(journey, path_s=0.0149),
           **{"late_0.2": 0.25, "late_0.5": 0.0, "missed_0.2": 0.75, "missed_2": 0.5})
    expect(m, duration_s=0.030, offered_bps=4 * 1316 * 8 / 0.030, goodput_bps=2 * 1316 * 8 / 0.030)


def test_a_spurious_repetition_did_not_arrive_first():
    """The repetition left 15 ms before the arrival, and no packet ever took less than 20 ms."""
    journey = analysis.join(
        due((0, 1), (10, 2)), arrivals((20, 1), (90, 2)),
        wire((0, "out", 1, 5004), (10, "out", 2, 5004), (75, "out", 2, 5004)),
        wire((20, "in", 1, 5004), (90, "in", 2, 5004), (140, "in", 2, 5004)))
    expect(analysis.stream_measures(journey), recovery_max=0.0, network_max=0.080, retransmissions=1)


def test_a_packet_is_late_only_beyond_the_buffer():
    exactly, beyond = 220.0, 220.000001
    for last, late in ((exactly, 0.0), (beyond, 0.5)):
        journey = analysis.join(due((0, 1), (100, 2)), arrivals((20, 1), (100 + last, 2)))
        expect(analysis.stream_measures(journey), path_s=0.020, **{"late_0.2": late})


def test_without_wires_iptd_is_the_delivery():
    for wires in ((), (wire(), wire())):
        m = analysis.stream_measures(analysis.join(due((0, 1), (40, 2)), arrivals((30, 1), (90, 2)), *wires))
        expect(m, iptd_from="delivery", iptd_mean=0.040, delivery_mean=0.040, sender_mean=None, network_mean=None,
               hold_mean=None, unsent=None, retransmissions=None, path_s=0.030, **{"rate_cov_0.1": None})


def test_nothing_arrives():
    m = analysis.stream_measures(analysis.join(
        due((0, 1), (40, 2)), arrivals(), wire((0, "out", 1, 5004), (40, "out", 2, 5004)), wire()))
    expect(m, iplr=1.0, network_lost=2, sender_mean=None, iptd_mean=None, iptd_pdv_p99=None, delivery_max=None,
           goodput_bps=0.0, **{"late_2": 0.0})


def test_packets_that_look_alike_are_left_out():
    m = analysis.stream_measures(analysis.join(due((0, 1), (10, 2), (20, 1), (30, 3)), arrivals((15, 2), (25, 1))))
    expect(m, packets=2, ambiguous=2, lost=1, foreign=0)


def test_edges_are_left_out():
    journey = analysis.join(due(*((n * 1000, n) for n in range(11))), arrivals(*((n * 1000 + n, n) for n in range(10))))
    expect(analysis.stream_measures(journey), packets=11, lost=1, duration_s=10.0)
    expect(analysis.stream_measures(journey, skip_start_s=3, skip_end_s=2),
           packets=6, lost=0, delivery_min=0.003, delivery_max=0.008, duration_s=5.0)
    refused("no packet was due from 8.5 to 8.6 s", analysis.stream_measures, journey, skip_start_s=8.5, skip_end_s=1.4)
    refused("no packet was due", analysis.join, due(), arrivals())


def test_movies_beside_each_other_are_told_apart_by_port():
    """Two movies of the same packets, the second 5 ms later."""
    a = wire((0, "out", 1, 5004), (5, "out", 1, 5014))
    b = wire((20, "in", 1, 5004), (25, "in", 1, 5014))
    journey = analysis.join(due((5, 1)), arrivals((25, 1)), a.to_port(5014), b.to_port(5014))
    expect(analysis.stream_measures(journey), sender_mean=0.0, network_mean=0.020, retransmissions=0)


def frames(*rows):
    return logs.read_frames(write("frames.csv", logs.FRAMES_HEADER, rows))


# I0 P3 B1 B2 P6 B4 B5 I9 B7 B8, each in a packet of its own
GROUP = tuple((display, kind, n, n) for n, (display, kind) in enumerate(
    [(0, "I"), (3, "P"), (1, "B"), (2, "B"), (6, "P"), (4, "B"), (5, "B"), (9, "I"), (7, "B"), (8, "B")]))


def shown(*missing):
    """The frames of GROUP that can be decoded without these packets, by number in display order."""
    found = frames(*GROUP)
    present = [n not in missing for n in range(len(GROUP))]
    whole = pictures.decodable(found.types, pictures.complete(found.first, found.last, present))
    return sorted(row[0] for row, there in zip(GROUP, whole) if there)


def test_a_frame_needs_those_to_which_it_refers():
    assert shown() == list(range(10))
    assert shown(2) == [0, 2, 3, 4, 5, 6, 7, 8, 9]  # a B frame is missed alone
    assert shown(1) == [0, 9]  # P3, and all up to the next I frame, with the B frames before that
    assert shown(4) == [0, 1, 2, 3, 9]
    assert shown(0) == [9]
    assert shown(7) == list(range(7))  # without I9 there is no B7


def test_a_frame_needs_all_its_packets():
    whole = pictures.complete([0, 2, 2, 4], [2, 2, 3, 6], [True, True, False, True, True, True])
    assert whole.tolist() == [False, False, False, False]  # packet 6 never was
    whole = pictures.complete([0, 2, 2, 4], [2, 2, 3, 5], [True, True, True, False, True, True])
    assert whole.tolist() == [True, True, False, True]


def test_a_player_misses_frames_by_type():
    """Packets every 10 ms, each there after 20 ms; the one of P6 after 720 ms, that of B1 never."""
    journey = analysis.join(
        due(*((10 * n, n + 1) for n in range(10))),
        arrivals(*((10 * n + (720 if n == 4 else 20), n + 1) for n in range(10) if n != 2)))
    m = analysis.stream_measures(journey, path_s=0.020, frames=frames(*GROUP))
    # B1; and at 0.5 s P6, B4, B5, B7 and B8 as well
    expect(m, frames_missed_1=0.1, I_missed_1=0.0, P_missed_1=0.0, B_missed_1=1 / 6, **{
        "frames_missed_0.5": 0.6, "I_missed_0.5": 0.0, "P_missed_0.5": 0.5, "B_missed_0.5": 5 / 6})
    # Frames at the edges do not count, but those within refer to them: P6 is of the first part.
    m = analysis.stream_measures(journey, path_s=0.020, skip_start_s=0.05, frames=frames(*GROUP))
    expect(m, **{"frames_missed_0.5": 0.8, "P_missed_0.5": None, "B_missed_0.5": 1.0, "frames_missed_2": 0.0})
    assert "frames_missed_1" not in analysis.stream_measures(journey)


def test_variation_of_the_rate():
    # 1 s at ten packets a second, then 1 s at thirty. Packets after the last whole interval do not
    # count.
    times_s = [n / 10 for n in range(10)] + [1 + n / 30 for n in range(30)] + [2.0]
    assert same(metrics.rate_cov(times_s, 1, 0.0, 2.0, 1), 0.5)
    assert same(metrics.rate_cov(times_s, 1, 0.0, 2.05, 0.1), 0.5)
    assert metrics.rate_cov(times_s, 1, 0.0, 1.9, 1) is None
    assert same(metrics.rate_cov([0.5], 1, 0.0, 2.0, 1), 1.0)
    # 3 packets in the first of three tenths, nothing, 3 in the third: mean 2, deviation sqrt 2
    sent = [0, 10, 20, 220, 240, 260, 300]
    journey = analysis.join(
        due(*((ms, n) for n, ms in enumerate(sent))), arrivals(),
        wire(*((ms, "out", n, 5004) for n, ms in enumerate(sent))), wire())
    expect(analysis.stream_measures(journey), **{"rate_cov_0.1": math.sqrt(2) / 2, "offered_cov_0.1": math.sqrt(2) / 2,
                                                 "rate_cov_1": None})


def test_quantiles_are_values_that_occurred():
    hundred = list(range(1, 101))
    assert [metrics.quantile(hundred, q) for q in (0, 0.07, 0.5, 0.99, 1)] == [1, 7, 50, 99, 100]
    assert [metrics.quantile([3, 1, 2], q) for q in (0.5, 0.99)] == [2, 3]


def test_flows():
    """TCP: 10, 30, 30 packets of 1448 bytes in tenths of a second, of which 1 is lost; its answers; another flow."""
    tcp, back = ("tcp", "10.0.0.1", 40000, "10.0.1.1", 5201), ("tcp", "10.0.1.1", 5201, "10.0.0.1", 40000)
    dccp = ("dccp", "10.0.0.1", 1, "10.0.1.1", 2)

    def rows(direction, flow, *counts):
        return [(at(100 * n), direction, *flow, packets, packets * 1500, packets * 1448)
                for n, packets in enumerate(counts) if packets]

    def flows(*parts):
        return logs.read_flows(write("flows.csv", logs.FLOWS_HEADER, sum(parts, [])))

    found = analysis.flow_measures(
        flows(rows("out", tcp, 10, 30, 30), rows("in", back, 5, 15, 15), rows("out", dccp, 4)),
        flows(rows("in", tcp, 0, 19, 30, 20), rows("out", back, 5, 15, 15)))
    assert [flow["proto"] for flow in found] == ["tcp", "dccp"]
    expect(found[0], source="10.0.0.1", dport=5201, packets_sent=70, packets_arrived=69, loss_ratio=1 / 70,
           throughput_bps=69 * 1448 * 8 / 0.3, wire_bps=69 * 1500 * 8 / 0.3)
    expect(found[1], packets_arrived=0, loss_ratio=1.0, throughput_bps=0.0)
    # Edges within an interval: only whole ones count, here the second and the third.
    steady, _ = analysis.flow_measures(
        flows(rows("out", tcp, 10, 30, 30), rows("out", dccp, 4)), flows(rows("in", tcp, 10, 20, 30, 9)),
        start_ns=at(50), end_ns=at(350))
    expect(steady, loss_ratio=1 / 70, throughput_bps=50 * 1448 * 8 / 0.2, **{"rate_cov_0.1": 0.0})


def test_what_is_under_way_at_the_end_of_a_run_is_not_lost():
    """3 s: a movie with a packet a second, of which none is lost, and TCP with 100 packets in each tenth of a second. The
    queue drops 4 of these, and 60 are under way when the meters end."""
    run = pathlib.Path(SCRATCH) / "run"
    run.mkdir()
    parameters = {"tcp": 1, "duration_s": 3, "rate_bps": 12_000_000, "d2_ms": 20}

    def table(name, header, rows):
        write(f"run/{name}", header, rows)

    def flow(direction, n, sport, dport, packets, proto="tcp"):
        return (at(100 * n), direction, proto, "10.0.0.1", sport, "10.0.1.1", dport, packets, packets * 1500, packets * 1448)

    stream = scenario.Stream(seed=1, lane="", number=0, port=5004, offset_s=0, start_s=0)
    movie = [(1000 * n, n + 1) for n in range(6)]
    table(stream.due_log, logs.DUE_HEADER, [(at(ms), f"{h:016x}") for ms, h in movie])
    table(stream.receive_log, logs.ARRIVALS_HEADER, [(at(ms + 22), f"{h:016x}") for ms, h in movie])
    for name, direction, ms_later in (("wire-a.csv", "out", 0), ("wire-b.csv", "in", 21)):
        table(name, logs.WIRE_HEADER, [(at(ms + ms_later), direction, f"{h:016x}", "udp", 4, 5004) for ms, h in movie])
    for name, direction, last in (("flows-a.csv", "out", 100), ("flows-b.csv", "in", 40)):
        lost = {7: 4} if direction == "in" else {}
        table(name, logs.FLOWS_HEADER, [
            *(flow(direction, n, 40000, 7001, (last if n == 29 else 100) - lost.get(n, 0)) for n in range(30)),
            flow(direction, 0, 40001, 7001, 5),  # iperf3's control connection
            *(flow(direction, 10 * n, 4, 5004, 1, "udp") for n in range(3))])
    table("links.csv", "link,direction,packets,bytes,dropped,lost",
          [("bottleneck", "backward", 9, 9, 7, 7), ("bottleneck", "forward", 9, 9, 4, 0)])
    found = measures.RunLogs(run).movie(parameters, stream, 0.0)
    expect(found, lost=0, tcp_iplr=4 / 2940, tcp_all_iplr=4 / 2940, tcp_throughput_bps=2936 * 1448 * 8 / 3)


def test_summary_of_runs():
    # 1..5: deviation sqrt 2.5, t of 4 degrees of freedom 2.776445
    s = metrics.summarise([5, 1, None, 4, 2, 3])
    assert (s["n"], s["median"], s["min"], s["max"], s["mean"]) == (5, 3, 1, 5, 3), s
    assert abs(s["ci95"] - 2.776445 * math.sqrt(2.5 / 5)) < 1e-6, s
    assert metrics.summarise([7]) == {"n": 1, "median": 7, "min": 7, "max": 7, "mean": 7, "ci95": None}
    assert metrics.summarise([None])["median"] is None
    # From printed tables of Student's t
    for confidence, freedom, t in ((0.95, 1, 12.7062), (0.95, 2, 4.3027), (0.95, 3, 3.1824), (0.95, 9, 2.2622),
                                   (0.95, 30, 2.0423), (0.99, 1, 63.6567), (0.99, 5, 4.0321), (0.9, 120, 1.6577)):
        assert abs(metrics.student_t(confidence, freedom) - t) < 6e-5, (confidence, freedom)


def test_bad_logs_are_refused_with_file_and_line():
    good = (START_NS, "00000000000000aa")
    path = write("bad.csv", logs.ARRIVALS_HEADER, [good])
    refused("bad.csv:1: 'arrival_ns,hash' instead of the header 'due_ns,hash'", logs.read_due, path)
    for row, text in (((1, 2, 3), "3 columns instead of 2"), (("x", "0" * 16), "invalid literal for int()"),
                      ((1, "aa"), "'aa' is not a hash"), ((1, "g" * 16), "invalid literal for int()")):
        refused(f"bad.csv:3: {text}", logs.read_due, write("bad.csv", logs.DUE_HEADER, [good, row]))
    with open(write("bad.csv", logs.DUE_HEADER, [good]), "a", encoding="utf-8") as file:
        file.write("17")
    refused("bad.csv:3: the line has no end", logs.read_due, f"{SCRATCH}/bad.csv")
    refused("nowhere.csv: No such file", logs.read_due, f"{SCRATCH}/nowhere.csv")
    refused("bad.csv:2: 'up' is not a direction", logs.read_wire,
            write("bad.csv", logs.WIRE_HEADER, [(1, "up", "0" * 16, "udp", 1, 2)]))


for test in [value for name, value in list(globals().items()) if name.startswith("test_")]:
    test()
