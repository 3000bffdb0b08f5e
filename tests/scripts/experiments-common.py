# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs experiments/smoke with settings whose results are known. Arguments: the program, a directory
for its results.

Access links: 100 Mbit/s, 1 ms at each end. The default bottleneck: 1 Mbit/s, 20 ms. So a packet of
1000 bytes has a propagation delay of 22 ms and a transmission time of 2 x 0.08 + 8 ms."""

import csv
import json
import pathlib
import subprocess
import sys

PROGRAM = pathlib.Path(sys.argv[1])
SCRATCH = pathlib.Path(sys.argv[2])

BASE_DELAY_S = 0.022 + 0.008 + 2 * 0.00008
SEEDS = range(1, 6)


class Run:
    count = 0

    def __init__(self, **parameters):
        Run.count += 1
        self.directory = SCRATCH / f"run-{Run.count}"
        arguments = [f"--{name}={value}" for name, value in parameters.items()]
        subprocess.run([PROGRAM, f"--output={self.directory}", *arguments], check=True)
        self.measures = json.loads((self.directory / "measures.json").read_text())
        with open(self.directory / "flows.csv", newline="") as file:
            self.flows = list(csv.DictReader(file))

    def __getitem__(self, name):
        return self.measures[name]

    def repeatable(self):
        """All results that must be the same for the same parameters."""
        lines = (self.directory / "measures.json").read_text().splitlines()
        return [line for line in lines if '"cpu_s"' not in line], (self.directory / "flows.csv").read_text()


def check(what, expected, found):
    assert found == expected, f"{what}: {found} instead of {expected}"


def near(what, expected, found, tolerance):
    assert abs(found - expected) <= tolerance, f"{what}: {found} is not within {tolerance} of {expected}"


def schedule(name, packets):
    path = SCRATCH / name
    path.write_text("due_us,bytes\n" + "".join(f"{due_us},{payload}\n" for due_us, payload in packets))
    return path


def test_constant_rate_below_the_links_is_not_delayed():
    run = Run(transport="udp", source="cbr", cbr_bps=500000, duration_s=20)
    check("arrived at the queue: one every 16 ms", 1250, run["arrived_packets"])
    check("dropped", 0, run["dropped_packets"])
    check("received: all but the last, which is under way", 1249, run["received_packets"])
    near("shortest delay", BASE_DELAY_S, run["delay_min_s"], 1.5e-9)
    near("longest delay", BASE_DELAY_S, run["delay_max_s"], 1.5e-9)
    check("waited in the queue", 0, run["queue_delay_max_s"])
    check("waited in the sender", 0, run["sender_delay_max_s"])
    check("rate on the wire, with all headers", 500000, run["link_bps"])
    check("goodput: payload", 1249 * (1000 - 28) * 8 / 20, run["goodput_bps"])
    check("simulated", 20, run["simulated_s"])


def test_delays_are_exact_at_any_rate():
    for rate_bps in (1.5e6, 2e6, 15e6):
        run = Run(transport="udp", source="cbr", cbr_bps=500000, duration_s=5, rate_bps=rate_bps)
        near(f"delay at {rate_bps:g} bit/s", 0.022 + 2 * 0.00008 + 8000 / rate_bps, run["delay_max_s"], 2.5e-9)


def test_greedy_flow_fills_the_link_exactly():
    for queue in ("droptail", "red"):
        for seed in SEEDS:
            run = Run(queue=queue, warmup_s=20, duration_s=60, seed=seed)
            check(f"rate of the link, {queue}, seed {seed}", 1e6, run["link_bps"])
            # A packet on either side of the window's ends makes 4000 bit in 40 s.
            near(f"goodput, {queue}, seed {seed}", 1e6 * (1000 - 52) / 1000, run["goodput_bps"], 400)


def test_every_packet_is_accounted_for():
    # Twice the link's rate for 10 s, and time to deliver the rest
    path = schedule("flood.csv", [(4000 * i, 948) for i in range(2500)])
    for seed in SEEDS:
        run = Run(source="schedule", schedule=path, duration_s=120, seed=seed)
        check("sent", 2500, run["tfrc_sent_packets"])
        check("sent by the library, seen at the queue", 2500, run["arrived_packets"])
        assert run["dropped_packets"] > 0, "nothing was dropped"
        check("received and dropped", 2500, run["tfrc_received_packets"] + run["dropped_packets"])
        check("received by the library, seen by the meter", run["tfrc_received_packets"], run["received_packets"])
        check("losses in the library's eyes", run["dropped_packets"], run["tfrc_lost_packets"])
        check("feedback that arrived", run["tfrc_feedbacks_sent"], run["tfrc_feedbacks_received"])
        check("feedback that was refused", 0, run["tfrc_feedbacks_refused"])
        check("malformed", 0, run["tfrc_malformed"])
        assert run["sender_delay_max_s"] > 1, "packets did not wait in the sender"


def test_round_trip_time_is_the_paths():
    run = Run(source="cbr", cbr_bps=200000, duration_s=30)
    feedback_s = 92 * 8 * (1 / 1e6 + 2 / 1e8)
    # Times travel in whole microseconds.
    near("round-trip time", BASE_DELAY_S + 0.022 + feedback_s, run["tfrc_rtt_s"], 2e-6)
    check("dropped", 0, run["dropped_packets"])


def test_drop_tail_holds_one_more_than_its_packets():
    # Packets come every 0.08 ms. The first is being sent, the others wait until the queue is full,
    # and the rest is dropped.
    for packets in (12, 20):
        for burst, dropped in ((packets + 1, 0), (packets + 2, 1), (packets + 30, 29)):
            path = schedule("burst.csv", [(0, 972)] * burst)
            run = Run(transport="udp", source="schedule", schedule=path, packets=packets, duration_s=2)
            check(f"dropped of {burst} with {packets}", dropped, run["dropped_packets"])
            check(f"received of {burst} with {packets}", packets + 1, run["received_packets"])
            near(f"the last one's wait with {packets}", packets * (0.008 - 0.00008), run["queue_delay_max_s"], 1.5e-9)


def test_losses_within_a_round_trip_time_are_one_event():
    burst = 40
    path = schedule("bursts.csv", [(second * 1000000, 972) for second in (0, 1, 2) for _ in range(burst)])
    run = Run(transport="udp", source="schedule", schedule=path, duration_s=4)
    check("dropped", 3 * (burst - 21), run["dropped_packets"])
    check("loss event rate", 3 / (3 * burst), run["loss_event_rate"])


def test_red_drops_before_the_queue_is_full():
    for seed in SEEDS:
        overload = {"transport": "udp", "source": "cbr", "cbr_bps": 1.1e6, "randomness": 0.5, "packets": 100,
                    "warmup_s": 20, "duration_s": 60, "seed": seed}
        red = Run(queue="red", **overload)
        tail = Run(queue="droptail", **overload)
        for run in (red, tail):
            check("rate of the link", 1e6, run["link_bps"])
            # One packet in eleven is too much, whatever discipline drops it.
            near("packets dropped of 5500", 500, run["dropped_packets"], 60)
        assert tail["queue_delay_mean_s"] > 95 * 0.008, f"drop-tail's mean delay is {tail['queue_delay_mean_s']} s"
        # The gentle part ends at twice the upper threshold of 15 packets.
        assert red["queue_delay_mean_s"] < 30 * 0.008, f"RED's mean delay is {red['queue_delay_mean_s']} s"
        assert red["queue_delay_max_s"] < 60 * 0.008, f"RED's queue grew to {red['queue_delay_max_s']} s"


def test_offset_and_loop_of_a_schedule():
    path = schedule("ten.csv", [(100000 * i, 948) for i in range(10)])
    once = Run(transport="udp", source="schedule", schedule=path, duration_s=5)
    check("once", 10, once["received_packets"])
    late = Run(transport="udp", source="schedule", schedule=path, duration_s=5, offset_s=0.45)
    check("from 0.45 s on", 5, late["received_packets"])
    loop = Run(transport="udp", source="schedule", schedule=path, duration_s=5, offset_s=0.45, loop="true")
    check("again and again, every 0.1 s: the first after 0.05 s", 50, loop["arrived_packets"])
    near("none waits", loop["delay_min_s"], loop["delay_max_s"], 1e-12)


def test_randomised_gaps_keep_the_rate():
    for seed in SEEDS:
        run = Run(transport="udp", source="cbr", cbr_bps=500000, randomness=1, duration_s=100, seed=seed)
        # 6250 gaps of +- 29 %: five deviations of their sum
        near(f"packets, seed {seed}", 6250, run["arrived_packets"], 5 * 0.289 * 6250**0.5)


def test_tcp_beside_it():
    for seed in SEEDS:
        run = Run(tcp=2, warmup_s=10, duration_s=60, seed=seed)
        check("flows", ["tfrc", "tcp", "tcp"], [flow["transport"] for flow in run.flows])
        shares = [float(flow["goodput_bps"]) for flow in run.flows]
        assert min(shares) > 50e3, f"a flow got nearly nothing: {shares}"
        assert 900e3 < sum(shares) < 950e3, f"the flows did not share the link: {shares}"
        check("of known flows", run["arrived_packets"], sum(int(flow["arrived_packets"]) for flow in run.flows))
        for flow in run.flows[1:]:
            # The queue's 20 packets are 160 ms; acknowledgements wait for 100 ms at most.
            assert 0.052 < float(flow["rtt_s"]) < 0.052 + 0.160 + 0.1, f"TCP's round-trip time: {flow['rtt_s']}"
            assert float(flow["loss_event_rate"]) <= int(flow["dropped_packets"]) / int(flow["arrived_packets"])


def test_what_is_not_tfrc_is_counted_and_changes_nothing():
    noise = Run(source="cbr", cbr_bps=200000, noise="true", duration_s=30)
    check("malformed: ten a second", 300, noise["tfrc_malformed"])
    check("dropped", 0, noise["dropped_packets"])
    quiet = Run(source="cbr", cbr_bps=200000, duration_s=30)
    check("received", quiet["tfrc_received_packets"], noise["tfrc_received_packets"])


def test_a_seed_is_a_run():
    parameters = {"tcp": 2, "duration_s": 20}
    first = Run(seed=1, **parameters)
    check("the same seed", first.repeatable(), Run(seed=1, **parameters).repeatable())
    assert first.repeatable() != Run(seed=2, **parameters).repeatable(), "two seeds make the same run"


for name, test in sorted(globals().items()):
    if name.startswith("test_"):
        test()
        print(f"ok {name}", flush=True)
