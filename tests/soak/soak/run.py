# SPDX-License-Identifier: LGPL-2.1-or-later
"""A run of the soak test: starts the programs, lets faults come and go, and records what happens."""

import contextlib
import dataclasses
import random
import time

from faults import GOOD, PROCESS, WORN, Chooser, link_lines
from processes import RELAY, Network, Program

TICK_S = 0.5
RATE_BPS = 640000
PACKETS_PER_S = RATE_BPS / 8 / 1316
LAST_RATE = 0.9  # of the stream's rate, at the end, when all links are good
LAST_LIMIT_S = 90  # time until then
RECOVERED = 0.6  # of the stream's rate
SETTLE_S = 5  # at the beginning and at the end, without faults
OVERTIME_S = 90  # for kinds of faults that have not begun yet
BETWEEN_S = 1  # between the beginnings of two faults
PASSPHRASE = "soak test of streams"
SEND = (f"benchsrc stream={{n}} rate={RATE_BPS} ! "
        f"tfrcsink host={RELAY} port={{port}} leaky=downstream")
RECEIVE = "tfrcsrc address=127.0.0.1 port={port} ! fakesink name=out sync=false signal-handoffs=true"


@dataclasses.dataclass
class Recovery:
    kind: str
    stream: int
    end_s: float
    took_s: float = None  # None: not yet
    overtaken: bool = False  # another fault began before


@dataclasses.dataclass
class Record:
    """What the checks look at."""

    recoveries: list = dataclasses.field(default_factory=list)
    usage: list = dataclasses.field(default_factory=list)  # of the senders, one for each tick
    received: dict = dataclasses.field(default_factory=dict)  # sums over receivers, also those that were killed
    sent: dict = dataclasses.field(default_factory=dict)  # of each stream, what its sender said last
    damaged: list = dataclasses.field(default_factory=list)  # by the relay, for each stream
    last_rates: list = dataclasses.field(default_factory=list)  # of each stream, as a part of its rate
    faults: dict = dataclasses.field(default_factory=dict)  # kind: how many
    meanwhile: dict = dataclasses.field(default_factory=dict)  # kind that no stream may notice: rates in each tick
    refused: list = dataclasses.field(default_factory=list)  # one more stream, without descriptors: its start
    allowed: list = dataclasses.field(default_factory=list)  # the same with descriptors
    stats: dict = dataclasses.field(default_factory=dict)  # of the sinks of streams that are slow at the end
    ended: dict = dataclasses.field(default_factory=dict)  # program: whether it ended as it should


def groups_of(streams):
    """Plain and protected streams, and the receiving processes of each: two of about equal size."""
    middle = streams // 2
    halves = [list(range(middle)), list(range(middle, streams))]
    return halves, [part for half in halves for part in (half[:len(half) // 2], half[len(half) // 2:]) if part]


class Run:
    def __init__(self, options, build, log):
        self._options = options
        self._build = build
        self._log = log
        self._halves, self._groups = groups_of(options.streams)
        self.protected = set(self._halves[1])
        self._receivers = {}
        self._reports = {}  # of a receiver, the last one
        self._faults_of = [[] for _ in range(options.streams)]
        self._silent = set()  # receivers that are killed or stopped
        self._packets = [0] * options.streams
        self._began = 0
        self._ticked_s = 0
        self.record = Record(received={stream: {} for stream in range(options.streams)})

    # ---- programs

    def _program(self, namespace, name, *words):
        return Program(namespace, [self._build / "tests" / "bench" / name, *words], self._log)

    def _endpoints(self, namespace, line, element, streams):
        if streams[0] in self.protected:
            line = line.replace(element, f'{element} passphrase="{PASSPHRASE}"', 1)
        return self._program(namespace, "soak-endpoints", f"--line={line}", f"--streams={len(streams)}",
                             f"--first={streams[0]}")

    def _start_receiver(self, group):
        self._receivers[group] = self._endpoints(self._network.far, RECEIVE, "tfrcsrc", self._groups[group])

    def _add_up(self, group):
        """Adds what a receiver has said last, before it is killed or ends."""
        for row in self._reports.pop(group, {"streams": ()})["streams"]:
            sums = self.record.received[row["stream"]]
            for name, value in row.items():
                sums[name] = sums.get(name, 0) + value

    # ---- faults

    def _relay_says(self, lines):
        for line in lines:
            self._relay.say(line)

    def _process_of(self, fault):
        if fault.at_sender:
            return self._senders[fault.streams[0] in self.protected]
        return self._receivers[self._groups.index(list(fault.streams))]

    def _begin(self, fault):
        self.record.faults[fault.kind] = self.record.faults.get(fault.kind, 0) + 1
        for stream in fault.streams:
            self._faults_of[stream].append(fault.kind)
        if fault.change:
            self._relay_says(link_lines(fault.streams, fault.change))
        elif fault.kind == "outage":
            self._relay_says(f"down {stream}" for stream in fault.streams)
        elif fault.kind == "rebind":
            self._relay_says(f"rebind {stream}" for stream in fault.streams)
        elif fault.kind == "interface":
            self._network.set_interface(False)
        elif fault.kind == "clock-step":
            self._process_of(fault).say(f"step {fault.step_s}")
        elif fault.kind == "descriptors":
            self._process_of(fault).leave_no_descriptors()
            self.record.refused.append(self._process_of(fault).start_another())
        else:
            group = self._groups.index(list(fault.streams))
            self._receivers[group].kill() if fault.kind == "killed" else self._receivers[group].stop()
            if fault.kind == "killed":
                self._add_up(group)
            self._silent.add(group)

    def _end(self, fault, now_s):
        if fault.change:
            self._relay_says(link_lines(fault.streams, WORN))
        elif fault.kind == "outage":
            self._relay_says(f"up {stream}" for stream in fault.streams)
        elif fault.kind == "interface":
            self._network.set_interface(True)
        elif fault.kind == "clock-step":
            self._process_of(fault).say("step 0")
        elif fault.kind == "descriptors":
            self._process_of(fault).leave_descriptors()
            self.record.allowed.append(self._process_of(fault).start_another())
        elif fault.kind in ("killed", "stopped"):
            group = self._groups.index(list(fault.streams))
            self._start_receiver(group) if fault.kind == "killed" else self._receivers[group].go_on()
            self._silent.discard(group)
        for stream in fault.streams:
            self._faults_of[stream].remove(fault.kind)
            # Streams that have another fault recover when that one ends.
            if not self._faults_of[stream]:
                self.record.recoveries.append(Recovery(fault.kind, stream, now_s))

    # ---- each tick

    def _count_packets(self):
        """What each stream's receivers have delivered so far."""
        counts = [self.record.received[stream].get("packets", 0) for stream in range(self._options.streams)]
        for report in self._reports.values():
            for row in report["streams"]:
                counts[row["stream"]] += row["packets"]
        return counts

    def _now_s(self):
        return time.monotonic() - self._began

    def _observe(self, elapsed_s):
        """Returns the streams' rates since the last tick, as parts of their full rate."""
        self.record.damaged = self._relay.report()
        self.record.usage.append([sender.usage() for sender in self._senders])
        for group, receiver in self._receivers.items():
            if group not in self._silent:
                self._reports[group] = receiver.report()
        before, self._packets = self._packets, self._count_packets()
        rates = [(now - then) / elapsed_s / PACKETS_PER_S for now, then in zip(self._packets, before)]
        now_s = self._now_s()
        for recovery in self.record.recoveries:
            # A fault that begins meanwhile ends the watch: the stream recovers from that fault then.
            if self._faults_of[recovery.stream] and recovery.took_s is None:
                recovery.overtaken = True
            if recovery.took_s is None and rates[recovery.stream] >= RECOVERED:
                recovery.took_s = max(0, now_s - recovery.end_s)
        for kinds, rate in zip(self._faults_of, rates):
            if kinds and set(kinds) <= set(PROCESS):
                self.record.meanwhile.setdefault(kinds[-1], []).append(rate)
        return rates

    def _tick(self):
        time.sleep(TICK_S)
        # Also the time in which faults began and ended
        before_s, self._ticked_s = self._ticked_s, self._now_s()
        return self._observe(self._ticked_s - before_s)

    def _settle(self):
        end_s = self._now_s() + SETTLE_S
        while self._now_s() < end_s:
            self._tick()

    def _kinds_now(self):
        """The kinds of faults that may begin: at the end those that could not begin so far."""
        now_s, kinds = self._now_s(), self._options.kinds
        if now_s < self._options.seconds:
            return kinds
        return [kind for kind in kinds if kind not in self.record.faults and now_s < self._options.seconds + OVERTIME_S]

    def _let_faults_come_and_go(self, say):
        chooser = Chooser(random.Random(self._options.seed), self._options.streams, self._groups, self._halves[1])
        active, next_s = [], self._now_s()
        while active or self._kinds_now():
            now_s, kinds = self._now_s(), self._kinds_now()
            for fault in [fault for fault in active if fault.end_s <= now_s]:
                active.remove(fault)
                self._end(fault, now_s)
            if kinds and next_s <= now_s:
                next_s = now_s + BETWEEN_S
                fault = chooser.next(kinds, now_s)
                if fault:
                    active.append(fault)
                    self._begin(fault)
                    say(f"{now_s:7.1f} s  {fault.kind}, {len(fault.streams)} streams, {fault.end_s - now_s:.1f} s")
            self._tick()

    def play(self, say):
        """Raises processes.Failed and OSError."""
        with contextlib.ExitStack() as stack:
            self._network = stack.enter_context(Network())
            self._relay = self._program(self._network.far, "soak-relay", f"--address={RELAY}",
                                        f"--streams={self._options.streams}", f"--seed={self._options.seed}")
            stack.callback(self._relay.kill)
            stack.callback(lambda: [receiver.kill() for receiver in self._receivers.values()])
            for group in range(len(self._groups)):
                self._start_receiver(group)
            self._relay_says(link_lines(range(self._options.streams), WORN))
            self._senders = []
            for half in self._halves:
                self._senders.append(self._endpoints(self._network.near, SEND, "tfrcsink", half))
                stack.callback(self._senders[-1].kill)
            self._began = time.monotonic()
            self._settle()
            self._let_faults_come_and_go(say)
            self._relay_says(link_lines(range(self._options.streams), GOOD))
            self._wait_for_full_rates()
            self._finish()
        return self.record

    def _wait_for_full_rates(self):
        """Records each stream's best rate over SETTLE_S. A busy machine takes longer."""
        best, limit_s = [0] * self._options.streams, self._now_s() + LAST_LIMIT_S
        while min(best) < LAST_RATE and self._now_s() < limit_s:
            best = [max(rates) for rates in zip(best, self._rates_of(SETTLE_S))]
        self.record.last_rates = best

    def _rates_of(self, seconds):
        packets, began = list(self._packets), time.monotonic()
        while time.monotonic() < began + seconds:
            self._tick()
        return [(now - before) / (time.monotonic() - began) / PACKETS_PER_S for now, before in zip(self._packets, packets)]

    def _finish(self):
        for stream, rate in enumerate(self.record.last_rates):
            if rate < LAST_RATE:
                sender = self._senders[stream in self.protected]
                self.record.stats[stream] = sender.ask(str(stream))
        reports = [sender.report() for sender in self._senders]
        self.record.sent = {row["stream"]: row for report in reports for row in report["streams"]}
        self.record.errors = {f"sender {i}": report["errors"] for i, report in enumerate(reports)}
        self.record.errors |= {f"receiver {i}": self._reports[i]["errors"] for i in sorted(self._reports)}
        self.record.ended = {f"sender {i}": sender.end() for i, sender in enumerate(self._senders)}
        for group in list(self._receivers):
            self._add_up(group)
            self.record.ended[f"receiver {group}"] = self._receivers[group].end()
