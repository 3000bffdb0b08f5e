# SPDX-License-Identifier: LGPL-2.1-or-later
"""What has to hold after a run of the soak test."""

import errno
import os
import statistics

from run import LAST_RATE, RECOVERED

# A sender may grow by this between the second and the last third of a run: its allocator's arenas.
GROWTH = 1.05
GROWTH_BYTES = 2 << 20
# docs/decisions/repair.md, "What a receiver may cause": a part of what leaves, and packets
REPAIRS_SHARE, REPAIRS_FREE = 0.25, 16
REPAIRED = 0.5  # of what receivers ask for, at least: what an outage leaves missing comes too late


def of(record, protected):
    """The failures, as sentences. protected: the numbers of the streams with keys."""
    return [*_contents(record, protected), *_repairs(record, protected), *_meanwhile(record), *_recoveries(record), *_usage(record),
            *_starts(record), *_ends(record)]


def _contents(record, protected):
    for stream, sums in record.received.items():
        # A damaged header of an unprotected stream can make any packet look like another one.
        allowed = 0 if stream in protected else record.damaged[stream]
        for name in ("damaged", "duplicates", "disordered"):
            if sums.get(name, 0) > allowed:
                yield f"stream {stream}: {sums[name]} packets {name}; the link damaged {record.damaged[stream]}"
        if not sums.get("packets"):
            yield f"stream {stream}: nothing was received"


def repairs_of(record, streams):
    """What the receivers of these streams asked for, the repairs that came, those that were missing, and what senders sent."""
    def total(rows, *names):
        return sum(rows[stream].get(name, 0) for stream in streams for name in names)
    came = total(record.received, "packets-repaired", "repairs-late", "repairs-duplicate")
    return (total(record.received, "packets-requested"), came, total(record.received, "packets-repaired"),
            total(record.sent, "packets-repaired"))


def _repairs(record, protected):
    for stream, row in record.sent.items():
        most = REPAIRS_SHARE * row["packets-sent"] + REPAIRS_FREE
        if row["packets-repaired"] > most:
            yield f"stream {stream}: {row['packets-repaired']} repairs of {row['packets-sent']} packets"
        _, came, _, sent = repairs_of(record, [stream])
        allowed = 0 if stream in protected else record.damaged[stream]
        if came > sent + allowed:
            yield f"stream {stream}: {came} repairs came, {sent} were sent; the link damaged {record.damaged[stream]}"
    for name, streams in (("plain", set(record.sent) - protected), ("protected", protected)):
        asked, _, repaired, _ = repairs_of(record, streams)
        if repaired < max(REPAIRED * asked, 1):
            yield f"{name} streams: {repaired} packets were repaired of {asked} that were asked for"


def _meanwhile(record):
    for kind, rates in record.meanwhile.items():
        if statistics.mean(rates) < RECOVERED:
            yield f"while '{kind}' lasts, the streams have {statistics.mean(rates):.2f} of their rate"


def _recoveries(record):
    for stream, rate in enumerate(record.last_rates):
        if rate < LAST_RATE:
            yield f"stream {stream}: at the end it has {rate:.2f} of its rate: {record.stats[stream]}"
    for recovery in record.recoveries:
        if recovery.took_s is None and not recovery.overtaken:
            yield f"stream {recovery.stream}: did not come back after '{recovery.kind}' at {recovery.end_s:.1f} s"


def _usage(record):
    third = len(record.usage) // 3
    for sender in range(len(record.usage[0])):
        for name, allowed in (("resident", GROWTH_BYTES), ("descriptors", 0), ("threads", 2)):
            middle = max(tick[sender][name] for tick in record.usage[third:2 * third])
            last = min(tick[sender][name] for tick in record.usage[2 * third:])
            if last > middle * (GROWTH if name == "resident" else 1) + allowed:
                yield f"sender {sender}: {name} grew from at most {middle} to at least {last}"


def _starts(record):
    for answer in record.refused:
        if answer["started"] or os.strerror(errno.EMFILE) not in answer["error"]:
            yield f"without descriptors a stream has to fail with this reason: {answer}"
    for answer in record.allowed:
        if not answer["started"]:
            yield f"with descriptors again, a stream does not start: {answer}"


def _ends(record):
    for program, errors in record.errors.items():
        if errors:
            yield f"{program}: {errors} pipelines had errors"
    for program, ended in record.ended.items():
        if not ended:
            yield f"{program} did not end as it should"


def recovery_table(record):
    """Rows of text: for each kind of fault, how many streams it hit and how long they took."""
    rows = [f"{'fault':<12}{'faults':>7}{'streams':>9}{'median s':>10}{'max s':>8}  of stream, fault ended at s"]
    for kind in sorted(record.faults):
        took = [recovery for recovery in record.recoveries
                if recovery.kind == kind and recovery.took_s is not None and not recovery.overtaken]
        middle, most, where = "-", "-", ""
        if took:
            slowest = max(took, key=lambda recovery: recovery.took_s)
            middle = f"{statistics.median(recovery.took_s for recovery in took):.1f}"
            most, where = f"{slowest.took_s:.1f}", f"  {slowest.stream:>9}, {slowest.end_s:.1f}"
        rows.append(f"{kind:<12}{record.faults[kind]:>7}{len(took):>9}{middle:>10}{most:>8}{where}")
    return rows
