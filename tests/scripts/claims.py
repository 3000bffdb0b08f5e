# SPDX-License-Identifier: LGPL-2.1-or-later
"""Numbers in the documents, computed anew from the committed tables that they are of: claims.py ROOT"""

import csv
import importlib.util
import itertools
import json
import math
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(sys.argv[1])


def rows(name):
    with open(ROOT / "results" / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def groups(found, *columns):
    """The rows that agree in these columns, by their values."""
    every = {}
    for row in found:
        every.setdefault(tuple(row[name] for name in columns), []).append(row)
    return every


def median(found, column):
    return statistics.median(float(row[column]) for row in found)


def spread(found, column):
    """The median, the least and the most, as the documents have ratios."""
    values = [float(row[column]) for row in found]
    return f"{statistics.median(values):.2f} ({min(values):.2f} – {max(values):.2f})"


def of_three(found, condition, transport, form):
    """What a player with 1 s misses in the first three seeds, in %. found: rows by condition and transport"""
    first = sorted(found[condition, transport], key=lambda row: int(row["seed"]))[:3]
    values = [form.format(100 * float(row["missed_1"])) for row in first]
    return f"{values[0]}, {values[1]} and {values[2]}"


def short(value):
    """A loss ratio with two digits"""
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}" if value else "0"


def fairness():
    every = rows("fairness/runs.csv")
    pairs = groups([row for row in every if row["part"] == "pairs" and row["queue"] != "drop-tail 10 BDP"],
                   "settings", "rtt_ms", "queue", "tcp")
    fair = {name: [0.5 <= median(found, "ratio") <= 2 for key, found in pairs.items() if key[0] == name]
            for name in ("default", "rfc")}
    told = {name: f"{sum(found)} of {len(found)}" for name, found in fair.items()}
    yield "fairness.md", f"{told['default']} medians are within 0.5 to 2 with tfrcsink's defaults, and {told['rfc']} with RFC 5348"
    fq = groups([row for row in every if row["part"] in ("pairs", "crowds") and row["queue"] == "fq_codel"],
                "part", "settings", "rtt_ms", "flows", "tcp", "rto_policy").values()
    medians = [median(found, "ratio") for found in fq]
    yield "fairness.md", f"medians of {min(medians):.2f} to {max(medians):.2f} in {len(medians)} cells"
    late = groups([row for row in every if row["part"] == "late" and row["first"] == "tfrc" and not row["variant"]],
                  "settings", "rto_policy", "tcp")
    for (settings, policy, tcp), name in ((("default", "4r", "reno"), "tfrcsink's defaults, 4r"),
                                          (("default", "balanced", "reno"), "tfrcsink's defaults, balanced"),
                                          (("rfc", "4r", "reno"), "RFC 5348, 4r"), (("rfc", "balanced", "reno"), "RFC 5348, balanced")):
        yield "fairness.md", f"| TFRC, {name} | Reno | {spread(late[settings, policy, tcp], 'ratio')} |"


def unfair():
    """The cells of the conclusion: t_RTO balanced, queues of at most 2 BDP, Linux's least RTO"""
    found = groups([row for row in rows("fairness/runs.csv")
                    if row["part"] in ("pairs", "crowds", "standard RTO") and row["rto_policy"] == "balanced"
                    and row["source"] == "greedy" and float(row["min_rto_s"]) == 0.2 and row["queue"] != "drop-tail 10 BDP"],
                   "part", "tcp", "settings", "rtt_ms", "queue", "flows")
    outside = {key[1:] for key, cell in found.items() if not 0.5 <= median(cell, "ratio") <= 2}
    both = ("default", "rfc")
    assert outside == {
        *(("reno", settings, *cell, "1+1") for settings in both for cell in (("20", "drop-tail 1 BDP"), ("200", "drop-tail 2 BDP"))),
        ("reno", "rfc", "100", "drop-tail 2 BDP", "1+1"),
        *((tcp, "rfc", "20", f"drop-tail {bdp} BDP", "8+8") for tcp in ("reno", "cubic") for bdp in ("0.5", "1")),
        *(("cubic", settings, rtt_ms, f"drop-tail {bdp} BDP", "1+1") for settings in both for rtt_ms in ("100", "200") for bdp in ("1", "2")),
        *(("cubic", settings, "200", queue, "1+1") for settings in both for queue in ("drop-tail 0.5 BDP", "red")),
        ("cubic", "default", "200", "drop-tail 1 BDP", "1+4"), ("cubic", "rfc", "200", "codel", "1+1")}, outside
    yield "fairness.md", "at 200 ms with 0.5 BDP and RED, and with RFC 5348 alone with CoDel"
    ratios = [median(found["pairs", "reno", "rfc", rtt_ms, "drop-tail 1 BDP", "1+1"], "ratio") for rtt_ms in ("20", "50", "100", "200")]
    assert min(ratios, key=lambda ratio: abs(math.log(ratio))) == ratios[2]
    yield "papers.md", f"{', '.join(f'{ratio:.2f}' for ratio in ratios)} at 20, 50, 100, 200 ms, nearest to 1 at 100 ms"


def models():
    """CUBIC's equation beside Reno, over what TCP CUBIC takes there, by queue and round-trip time: one flow beside one"""
    text = (ROOT / "results" / "fairness-models" / "report.md").read_text(encoding="utf-8")
    more = {}
    for queue, rtt_ms, equation, tcp in re.findall(
            r"^\| 1\+1 \| ([^|]*) \| (\d+) \| [^|]* \| [^|]* \| \**([\d.]+) [^|]*\| \**([\d.]+) [^|]*\|$", text, re.MULTILINE):
        factor = float(equation) / float(tcp)
        if factor > 1.005:
            more[queue, int(rtt_ms)] = factor
    ours = {("drop-tail 0.5 BDP", 20): "3.5", ("drop-tail 1 BDP", 20): "2"}
    assert all(f"{more.pop(cell):.2g}" == told for cell, told in ours.items())
    assert more.pop(("drop-tail 10 BDP", 200)) > 9  # where TCP CUBIC's own rate has no value
    of_drop_tail = sorted(factor for (queue, _), factor in more.items() if queue.startswith("drop-tail"))
    others = sorted(factor for (queue, _), factor in more.items() if not queue.startswith("drop-tail"))
    assert len(of_drop_tail) == 4 and {cell for cell in more if not cell[0].startswith("drop-tail")} == {
        ("fq_codel", rtt_ms) for rtt_ms in (20, 50, 100)}, more
    yield "fairness.md", (f"It takes {of_drop_tail[0]:.2f} to {of_drop_tail[-1]:.2f} times as much in four other drop-tail cells, and "
                          f"{others[0]:.2f} to {others[-1]:.2f} times with FQ-CoDel up to 100 ms.")


def kernel():
    """Beside the kernel's TCP: each cell as the median, the least and the most of its seeds, by who played the cell"""
    found = groups(rows("fairness-testbed/runs.csv"), "rtt_ms", "queue", "tcp", "tcp_start_s", "by")
    pairs = [(found[(*key[:-1], "ns-3")], ratios) for key, ratios in found.items() if key[-1] == "kernel"]
    ranges = [[sorted(float(row["ratio"]) for row in side) for side in pair] for pair in pairs]
    overlap = sum(max(one[0], other[0]) <= min(one[-1], other[-1]) for one, other in ranges)
    factor = max(abs(math.log(median(one, "ratio") / median(other, "ratio"))) for one, other in pairs)
    yield "fairness.md", (f"ranges of ns-3 and the kernel overlap in {overlap} of {len(pairs)}. Every pair of medians is within a "
                          f"factor of {math.exp(factor):.2f}.")
    half, one = (spread(found["20", f"drop-tail {bdp} BDP", "reno", "0", "kernel"], "ratio") for bdp in ("0.5", "1"))
    yield "fairness.md", f"The kernel's Reno shows the effect too: {half} with 0.5 and {one} with 1 BDP."
    crowds = groups(rows("fairness-testbed-crowds/runs.csv"), "rtt_ms", "tcp", "settings", "by")
    factors = []
    for (rtt_ms, tcp, settings), form in ((("50", "reno", "default"), "| 50 | Reno | defaults | {} | {} |"),
                                          (("50", "cubic", "default"), "| 50 | CUBIC | defaults | {} | {} |"),
                                          (("20", "reno", "rfc"), "| 20 | Reno | RFC 5348 | **{}** | **{}** |")):
        both = [crowds[rtt_ms, tcp, settings, by] for by in ("kernel", "ns-3")]
        factors.append(median(both[0], "ratio") / median(both[1], "ratio"))
        yield "fairness.md", form.format(*(spread(found, "ratio") for found in both))
    yield "fairness.md", f"The medians are within a factor of {max(factors):.2f}."


def several_routers():
    """The report's table: C1's goodput and the links' utilisation, of the testbed and of both simulations"""
    text = (ROOT / "results" / "multihop-testbed" / "report.md").read_text(encoding="utf-8")
    cells = {}
    for c1, hops, by, goodput, used in re.findall(
            r"^\| (C1 [^|]*) \| (\d) \| ([^|]*) \| \d \| ([\d.]+)[^|]* \| [^|]* \| ([\d.]+)", text, re.MULTILINE):
        cells.setdefault((c1, hops), {})[by] = float(goodput), float(used)
    pairs = [(found["testbed"], other) for found in cells.values() for by, other in found.items() if by != "testbed"]
    assert len(pairs) == 12
    factor = max(max(one / other, other / one) for (one, _), (other, _) in pairs)
    apart = max(abs(one - other) for (_, one), (_, other) in pairs)
    yield "experiments.md", f"Utilisation agrees within {math.ceil(100 * apart) / 100:.2f} everywhere."
    yield "experiments.md", f"agrees within a factor of {math.ceil(10 * factor) / 10:.1f} with both columns"


def ecn():
    every = rows("ecn/runs.csv")
    for row in every:
        yield "results.md", f"| {' | '.join(row[name] for name in ('queue', 'seed', 'ecn', 'packets', 'lost', 'marked', 'loss_events'))} |"
    (repaired,) = [int(row["repaired"]) for row in every if row["repaired"] != "0"]
    assert all(int(row["lost"]) == (row["queue"] == "codel") for row in every if row["ecn"] == "on")
    yield "results.md", f"wait for up to {max(int(row['delay_ms']) for row in every) / 1000:.1f} s in the sender here"
    yield "results.md", f"but for {repaired} packets of one run"


def sack():
    """TFRC beside the kernel's Reno, with SACK and without, as the report has the ratios"""
    text = (ROOT / "results" / "fairness-testbed-sack" / "report.md").read_text(encoding="utf-8")
    told = {(rtt_ms, tcp): "{:.2f} ({:.2f} – {:.2f})".format(*map(float, values)) for rtt_ms, tcp, *values in re.findall(
        r"^\| (\d+) \| (SACK|NewReno) \| 3 \| \**([\d.]+) \(([\d.]+) – ([\d.]+)\)", text, re.MULTILINE)}
    for rtt_ms in ("20", "100", "200"):
        yield "papers.md", f"{told[rtt_ms, 'SACK']} and {told[rtt_ms, 'NewReno']} at {rtt_ms} ms"


def plain(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.2g}"


def compact(values):
    """The median, and the least and the most unless they are as good as equal"""
    told = [plain(value) for value in (statistics.median(values), min(values), max(values))]
    return told[0] if told[1] == told[2] else f"{told[0]} ({told[1]} – {told[2]})"


def pipelines():
    found = groups(rows("vod/conditions.csv"), "condition", "transport")
    for condition, name in (("jitter-10", "5 Mbit/s, RTT 40 ms, jitter 0-10 ms"), ("jitter-50", "RTT 120 ms, jitter 0-50 ms"),
                            ("jitter-feedback", "RTT 200 ms, feedback jitter 0-50 ms"), ("step", "RTT 50 ms becomes 150 ms"),
                            ("reno", "2 Mbit/s, beside Reno"), ("cubic", "2 Mbit/s, beside CUBIC")):
        for transport, sender in (("tfrc-rfc", "RFC 5348"), ("tfrc", "tfrcsink")):
            cells = [compact([factor * float(row[measure]) for row in found[condition, transport]])
                     for measure, factor in (("sender_mean", 1000), ("late_0.5", 100), ("late_1", 100), ("iplr", 100))]
            yield "results.md", f"| {name} | {sender} | {' | '.join(cells)} |"


def repairs(short, far):
    """What RFC 5348 sends again on the testbed, and the same runs in simulation, where nothing is sent again"""
    def total(found, column):
        return sum(int(row[column]) for row in found)

    def simulated(transport):
        text = (ROOT / "results" / "vod" / "report.md").read_text(encoding="utf-8")
        (delay_s, lost, lost_there), = re.findall(
            rf"^\| v-for-vendetta \| {transport} \| 20 \| 20 \| 1 \| 3 \| ([\d.]+) \| .* \| (\d+) \| (\d+) \|$", text, re.MULTILINE)
        return 1000 * float(delay_s), int(lost), int(lost_there)

    delay_ms, lost, lost_there = simulated("tfrc-rfc")
    guarded_ms, none, _ = simulated("tfrc-guard")
    assert lost_there == total(short, "lost") and none == 0
    yield "results.md", (f"At d2 20 ms RFC 5348 sends {total(short, 'retransmissions')} of {total(short, 'packets')} packets again, and "
                         f"{total(short, 'discarded')} packets reach the receiver too late to be played")
    yield "results.md", f"at d2 60 ms it sends {['none', 'one', 'two'][total(far, 'retransmissions')]} again"
    yield "results.md", (f"RFC 5348 loses {lost} packets instead of {lost_there} and has a mean IPTD of {delay_ms:.0f} ms, and with the guard it "
                         f"loses none and has {guarded_ms:.0f} ms")
    yield "papers.md", f"in simulation, which has no repair, {guarded_ms:.0f} instead of {delay_ms:.0f} ms"
    yield "decisions/queue-guard.md", f"in simulation, which has no repair, {100 * lost / total(short, 'packets'):.1f} %"


def power(value):
    return f"{value:.1e}".replace("e-0", "e-") if value else "0"


def beside_tcp():
    """Figs 5 and 6 on the testbed: what the movie loses beside as many TCP flows, and how long its packets take"""
    found = groups(rows("vod/fig5.csv"), "sack", "tcp", "transport")

    def losses(sack, tcp):
        told = []
        for transport in ("tfrc", "udp"):
            values = [float(row["iplr"]) for row in found[sack, tcp, transport]]
            assert len(values) == 3
            told.append(f"{power(statistics.median(values))} ({power(min(values))} – {power(max(values))})")
        return f"{told[0]}, UDP {told[1]}" if tcp == "5" else ", ".join(told)

    for sack in ("1", "0"):
        yield "papers.md", f"5 flows {losses(sack, '5')}; 10: {losses(sack, '10')}; 20: {losses(sack, '20')}"
    late = [float(row["missed_1"]) for sack in ("0", "1") for row in found[sack, "20", "tfrc"]]
    lost = [float(row["missed_1"]) for sack in ("0", "1") for row in found[sack, "20", "udp"]]
    yield "papers.md", (f"a player that waits 1 s misses {100 * min(late):.0f} to {100 * max(late):.0f} % over TFRC there, "
                        f"and {100 * min(lost):.0f} to {100 * max(lost):.0f} % over UDP")


def beside_testbed():
    """Losses of the simulation's and the testbed's runs of the same packets, of the report's table"""
    report = (ROOT / "results/vod/report.md").read_text(encoding="utf-8").split("## Beside the testbed")[1].split("\n## ")[0]
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in report.splitlines() if re.match(r"\| [cv]", line)]
    runs, close = (sum(int(line[column]) for line in table) for column in (5, 9))
    assert runs == close
    yield "experiments.md", f"the mean IPTD of all {runs} runs is within 20 % of the testbed's"
    alone = [line for line in table if line[1] == "udp" and line[4] == "1"]
    assert all(line[10] == line[11] for line in alone)
    yield "experiments.md", f"All {sum(int(line[5]) for line in alone)} runs of one movie over UDP lose exactly as many packets as on the testbed"
    several = {name: [(int(line[10]), int(line[11])) for line in table if line[1] == name and line[4] != "1"] for name in ("udp", "tfrc")}
    more = [theirs - ours for ours, theirs in several["udp"] if theirs != ours]
    yield "experiments.md", (f"as many packets as the simulation in {len(several['udp']) - len(more)} of {len(several['udp'])} runs, "
                             f"and {min(more)} to {max(more)} more in the other {len(more)}")
    fewer = [(ours, theirs) for ours, theirs in several["tfrc"] if theirs != ours]
    assert all(theirs < ours for ours, theirs in fewer)
    yield "experiments.md", (f"loses as many in {len(several['tfrc']) - len(fewer)} of {len(several['tfrc'])} runs, and fewer in the other {len(fewer)} "
                             f"({sum(theirs for _, theirs in fewer)} instead of {sum(ours for ours, _ in fewer)} packets)")
    (ours, theirs), = [(line[10], line[11]) for line in table if line[1] == "tfrc" and line[3:5] == ["74", "14"]]
    yield "experiments.md", f"14 V for Vendettas with a queue of 74 lose {theirs} on the testbed and {ours} in the simulation"


def vod():
    levers = groups(rows("vod/levers.csv"), "transport", "d2_ms")
    for transport, name in (("tfrc-rfc", "RFC 5348 as it is"), ("tfrc-burst", "burst limit of 10 ms"), ("tfrc-guard", "queue guard"),
                            ("tfrc", "both")):
        yield "results.md", f"| {name} | {' | '.join(short(median(levers[transport, d2_ms], 'iplr')) for d2_ms in ('20', '60'))} |"
    yield from repairs(levers["tfrc-rfc", "20"], levers["tfrc-rfc", "60"])
    queues = groups(rows("vod/fig3.csv"), "transport", "queue")
    udp, tfrc = (", ".join(short(median(queues[name, queue], "iplr")) for queue in ("10", "20", "40", "100")) for name in ("udp", "tfrc"))
    yield "papers.md", f"10, 20, 40, 100 packets: UDP {udp}; tfrc {tfrc}"
    runs = groups(rows("vod/simulation-fig4.csv"), "movie", "d2_ms", "queue", "movies", "seed").values()
    delays = [{row["transport"]: float(row["iptd_mean"]) for row in found} for found in runs]
    assert all(of["tfrc"] > of["udp"] for of in delays)
    yield "papers.md", f"in all {len(delays)} runs of [simulation-fig4.csv]"
    cells = {}
    for (*cell, transport), found in groups(rows("vod/simulation-fig4.csv"), "movie", "d2_ms", "queue", "movies", "transport").items():
        cells.setdefault(tuple(cell), {})[transport] = median(found, "iplr")
    more = {cell: (of["tfrc"], of["udp"]) for cell, of in cells.items() if of["tfrc"] > of["udp"]}
    (alone, (tfrc, udp)), = [item for item in more.items() if item[0][0] == "v-for-vendetta"]
    del more[alone]
    assert alone == ("v-for-vendetta", "60", "224", "14") and len(more) == 6
    assert {cell[3] for cell in more} == {"15"} == {str(max(int(cell[3]) for cell in cells))}
    ranges = [f"{short(min(values))} to {short(max(values))}" for values in zip(*more.values())]
    yield "experiments.md", (f"In {len(more) + 1} of {len(cells)} cells the median IPLR over `tfrc` is above UDP's: with 15 Cinderella Men in all six "
                             f"networks ({ranges[0]}, UDP {ranges[1]})")
    yield "experiments.md", f"with 14 V for Vendettas at 60 ms and a queue of 224 ({short(tfrc)}, UDP {short(udp)})"


def handover():
    """The rows of rows.csv are in the order of the jobs: at the end, for each of two movies and two directions, twenty
    places without a handover and with each of three adaptations. The sweep of Fig. 6 has fourteen delays."""
    every = rows("handover/rows.csv")
    parts = [every[-320:][n:n + 20] for n in range(0, 320, 20)]
    dropped = {name: [float(row["dropped_rest"]) for part in parts[index::4] for row in part if float(row["dropped_rest"])]
               for index, name in enumerate(("no handover", "none", "paper", "direct"))}
    assert not any(float(row["late_rest"]) for part in parts for row in part)
    assert dropped == {"no handover": [], "none": [], "paper": [1], "direct": [1]}, dropped
    yield "experiments.md", "Of 80 handovers none drops a packet with plain TFRC, and one a single packet with each mode"
    sweep = every[6 + 320:6 + 320 + 14 * 3 * 10]
    plain = {delay_ms: median(sweep[n * 30:n * 30 + 10], "dropped_1s") for n, delay_ms in enumerate(range(5, 71, 5))}
    assert not any(plain[delay_ms] for delay_ms in (5, 10, 15, 20))
    yield "papers.md", "plain: 0 up to 20 ms, " + ", ".join(f"{plain[delay_ms]:g} at {delay_ms} ms" for delay_ms in (25, 55, 70))


def two_digits(value):
    """Less than a thousandth, of a millisecond or a percent, is written as 0."""
    return f"{value:.0f}" if value >= 100 else f"{value:.2g}" if value >= 0.001 else "0"


def guard():
    """Every link of the experiment, with both movies and both senders, in the order of the jobs; ten seeds of each. The table
    has another sender between both, of an earlier revision."""
    source = (ROOT / "experiments" / "guard" / "definition.py").read_text(encoding="utf-8")
    links = re.findall(r"^    \"([^\"]+)\": link\(", source, re.MULTILINE)
    every = iter(rows("guard/rows.csv"))
    prices = {}
    for link in links:
        for movie in "VC":
            senders, lost = [], []
            for _ in ("rfc", "defaults"):
                seeds = list(itertools.islice(every, 10))
                lost = [packets for row in seeds if (packets := round(float(row["lost"]) * float(row["packets"])))]
                senders.append(", ".join(two_digits(scale * median(seeds, name)) for name, scale in (
                    ("settled_wait_mean_s", 1000), ("settled_late_500ms", 100), ("settled_late_1s", 100), ("lost", 100))))
            if link.startswith("Table 1") and lost:
                prices[link, movie] = lost
            yield "results.md", re.compile(rf"\| {re.escape(link)} \| {movie} \| {re.escape(senders[0])} \| [^|]* \| "
                                           rf"{re.escape(senders[1])} \|")
    assert next(every, None) is None
    # What the defaults lose of a movie on the links of Table 1, in the seeds that lose anything
    assert prices == {("Table 1, d2 60", "V"): [1], ("Table 1, d2 60", "C"): [1, 3, 1],
                      ("Table 1, d2 60, jitter 0-5", "V"): [1, 2], ("Table 1, d2 60, jitter 0-5", "C"): [1, 4]}, prices
    yield "results.md", "with jitter two seeds of each movie lose one to four"


def conditions():
    """Whole movies: what is missed of all packets of the five parts, and of their frames, of which each part has as many."""
    parts = groups([row for row in rows("vod-conditions/conditions.csv") if int(row["seed"]) <= 5], "condition", "transport")

    def missed(condition, transport, measure):
        found = parts[condition, transport]
        packets = sum(int(row["packets"]) for row in found)
        return 100 * sum(float(row[measure]) * int(row["packets"]) for row in found) / packets

    def frames(condition, transport, kind="frames"):
        return 100 * statistics.fmean(float(row[f"{kind}_missed_1"]) for row in parts[condition, transport])

    for transport, name, sender in (
            ("tfrc-stored", "TFRC, up to 10 s ahead", "tfrcsink, which knows the delay of the player, and may run ahead by 10 s"),
            ("tfrc-live", "TFRC, in time or not at all", "tfrcsink, which knows the delay of the player"),
            ("tfrc", "TFRC", "tfrcsink, which does not"), ("tfrc-rfc", "TFRC, RFC 5348 alone", "RFC 5348 alone"), ("udp", "UDP", "udpsink")):
        of_all = [*(missed("peaks", transport, f"missed_{buffer_s}") for buffer_s in ("0.5", "1", "2")),
                  *(frames("peaks", transport, kind) for kind in ("frames", "I", "P", "B"))]
        yield "results.md", f"| {name} | {' | '.join(f'{value:.2f}' for value in of_all)} |"
        both = [(missed(condition, transport, "missed_1"), frames(condition, transport)) for condition in ("alone", "peaks")]
        texts = [f"{packets:.2f} ({of_frames:.1f})" if 0 < packets < 0.1 else f"{packets:.1f} ({of_frames:.1f})" if packets else "0 (0)"
                 for packets, of_frames in both]
        yield "results.md", f"| {sender} | {' | '.join(texts)} |"


def intervals():
    """Figs 6 to 11: ranges of the medians over the loads, and of all runs"""
    every = rows("limits-long/bounds.csv")

    def told(measure, text="{:.2f}".format, cells=tuple(every)):
        medians = [float(cell[measure]) for cell in cells]
        least, most = min(float(cell[f"{measure}_min"]) for cell in cells), max(float(cell[f"{measure}_max"]) for cell in cells)
        return f"{text(min(medians))} to {text(max(medians))}", f"({text(least)} – {text(most)}"

    gap, gap_of_all = told("gap_of_prediction")
    correlation, correlation_of_all = told("correlation")
    longer, longer_of_all = told("predictor_of_interval", lambda ratio: f"{100 * (ratio - 1):.0f}")
    for page in ("experiments.md", "papers.md"):
        yield page, f"{gap} times that {gap_of_all})"
        yield page, f"{correlation} {correlation_of_all})"
        yield page, f"theta^ is {longer} % longer {longer_of_all} %)"
    gaps = {(cell["history_length"], cell["background"]): float(cell["gap"]) for cell in every}
    falls = [gaps["16", background] / gaps["8", background] for length, background in gaps if length == "8"]
    yield "papers.md", f"falls to {min(falls):.2f} to {max(falls):.2f} of that with L = 8"
    bound, bound_of_all = told("bound_of_tfrc", cells=[cell for cell in every if cell["history_length"] == "8" and float(cell["p"]) > 0.03])
    yield "papers.md", f"{bound} of it {bound_of_all})"


def in_time():
    """The deadline in simulation: medians over the seeds, and the first three seeds beside those of the testbed"""
    found = groups(rows("vod-conditions/conditions.csv"), "condition", "transport")
    report = (ROOT / "results/vod-conditions/report.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| `[a-z0-9.-]+`: [^|]* \|.*$", report, re.MULTILINE)
    assert len(lines) == len({condition for condition, _ in found}) == 12
    for line in lines:
        yield "results.md", line

    def missed(condition, transport, measure="missed_1"):
        return 100 * median(found[condition, transport], measure)

    yield "results.md", (f"misses {missed('alone-2.2', 'tfrc-live'):.0f} instead of {missed('alone-2.2', 'tfrc'):.0f} % of the packets of "
                         "the movie of 2.2 Mbit/s on 2 Mbit/s")
    decoded = [100 - missed("alone-2.2", transport, "frames_missed_1") for transport in ("tfrc-live", "tfrc", "udp")]
    yield "results.md", (f"{decoded[0]:.0f} % of the frames of the movie of 2.2 Mbit/s can be decoded, without the deadline "
                         f"{decoded[1]:.0f} %, and over UDP {decoded[2]:.0f} %")
    yield "results.md", f"{missed('alone', 'tfrc-stored'):.2f} % alone on the link"
    yield "results.md", (f"UDP loses {missed('loss-2', 'udp', 'I_missed_1'):.0f} % of V for Vendetta's I frames with "
                         f"{missed('loss-2', 'udp'):.0f} % of the packets, and TFRC with the deadline "
                         f"{missed('loss-2', 'tfrc-live', 'I_missed_1'):.0f} %")
    reno, cubic = ([missed(f"{tcp}-deep", transport) for transport in ("tfrc", "tfrc-live", "tfrc-stored")] for tcp in ("reno", "cubic"))
    yield "results.md", (f"from {reno[0]:.0f} to {reno[1]:.0f} % beside Reno and from {cubic[0]:.0f} to {cubic[1]:.0f} % beside CUBIC, and "
                         f"running ahead to {reno[2]:.1f} and {cubic[2]:.1f} %")
    yield "results.md", f"in simulation {of_three(found, 'alone-2.2', 'tfrc-live', '{:.0f}')}), and"
    yield "results.md", f"% without ({of_three(found, 'alone-2.2', 'tfrc', '{:.0f}')})"
    yield "results.md", f"what-it-is-worth), {of_three(found, 'cubic', 'tfrc-live', '{:.1f}')})"
    yield "results.md", f"% if the movie runs ahead ({of_three(found, 'cubic', 'tfrc-stored', '{:.1f}')})"
    yield "results.md", f"% ({of_three(found, 'loss-2', 'tfrc-live', '{:.2g}')}), and"
    yield "results.md", f"% ({of_three(found, 'loss-2', 'tfrc-stored', '{:.2g}')})."


def spare_time():
    """Beside TCP in simulation, forty seeds: the first revision does not make up for unused sending time"""
    every = rows("vod-conditions/spare-time.csv")
    (before, now) = dict.fromkeys(row["revision"] for row in every)
    found = groups(every, "condition", "transport", "revision")

    def missed(condition, transport, revision):
        runs = found[condition, transport, revision]
        assert len(runs) == 40
        return f"{100 * statistics.fmean(float(row['missed_1']) for row in runs):.1f}"

    for tcp, name in (("reno", "Reno"), ("cubic", "CUBIC")):
        for condition, link in ((tcp, "2 Mbit/s, RTT 40 ms, queue of 20"), (f"{tcp}-deep", "10 Mbit/s, RTT 50 ms, queue of 10 BDP")):
            cells = [missed(condition, transport, revision) for transport in ("tfrc-live", "tfrc-stored") for revision in (before, now)]
            yield "decisions/deadline.md", f"| {name}: {link} | {' | '.join(cells)} |"


def spare_time_180ms():
    """A player with 0.2 s at random loss in simulation, forty seeds: the first revision does not make up for unused sending time"""
    every = rows("vod-conditions/spare-time-180ms.csv")
    (before, now) = dict.fromkeys(row["revision"] for row in every)
    missed = {key: 100 * float(run["missed_0.2"]) for key, (run,) in groups(every, "condition", "seed", "revision").items()}
    assert len(missed) == 2 * 4 * 40
    runs = [key[:2] for key in missed if key[2] == now]
    less = sum(missed[(*run, now)] < missed[(*run, before)] for run in runs)
    assert all(missed[(*run, now)] <= missed[(*run, before)] for run in runs)
    yield "decisions/deadline.md", f"the player with 0.2 s misses less in {less} of {len(runs)} runs and more in none"
    for condition, loss in (("loss-0.1", "0.1 %"), ("loss-0.5", "0.5 %"), ("loss-1", "1 %"), ("loss-2", "2 %")):
        cells = [f"{statistics.fmean(missed[run, seed, key] for run, seed, key in missed if (run, key) == (condition, revision)):.1f}"
                 for revision in (before, now)]
        yield "decisions/deadline.md", f"| {loss} | {' | '.join(cells)} |"


def handshake():
    """What a player misses over SRT at random loss: as many packets at each loss rate, and none of them lost"""
    found = groups([row for row in rows("vod/conditions.csv") if row["transport"] == "srt-900ms"
                    and row["condition"] in ("loss-0.1", "loss-0.5", "loss-1", "loss-2")], "seed")
    late = {}
    for (seed,), runs in found.items():
        assert not any(int(row["lost"]) for row in runs)
        (late[seed],) = {round(float(row["late_1"]) * int(row["packets"])) for row in runs}
    yield "profiles.md", f"{min(late.values())} to {max(late.values())} packets of a run at an RTT of 120 ms"


def real_elements():
    """What a player with 1 s misses on the testbed with the deadline, and of a movie that runs ahead: of each seed, or of all parts"""
    found = groups(rows("vod/conditions.csv"), "condition", "transport")

    def of_all(transport):
        runs = found["peaks", transport]
        packets = sum(int(row["packets"]) for row in runs)
        return (100 * sum(float(row["missed_1"]) * int(row["packets"]) for row in runs) / packets,
                100 * statistics.fmean(float(row["frames_missed_1"]) for row in runs))

    (tfrc, live, stored, udp) = map(of_all, ("tfrc", "tfrc-live", "tfrc-stored", "udp"))
    assert stored == (0, 0)
    yield "results.md", (f"Of the whole movie with real peaks TFRC misses {tfrc[0]:.1f} % of the packets, {live[0]:.1f} with the deadline "
                         f"and none running ahead, as what is lost is repaired, and UDP {udp[0]:.1f}; of its frames {tfrc[1]:.1f}, "
                         f"{live[1]:.1f}, 0 and {udp[1]:.1f} %")
    ahead = [sorted(100 * float(row["missed_1"]) for row in found[condition, "tfrc-stored"]) for condition in ("loss-1", "loss-2")]
    assert all(len(seeds) == 3 and seeds[1] == 0 for seeds in ahead)
    yield "results.md", f"none there in two of three seeds, and {ahead[0][-1]:.2g} and {ahead[1][-1]:.2g} % in the third"
    over = compact([100 * float(row["missed_1"]) for row in found["alone-2.2", "tfrc-live"]])
    yield "decisions/deadline.md", f"of a movie of 2.2 Mbit/s on it as much: {over} in place of"
    yield "results.md", f"a player misses {of_three(found, 'alone-2.2', 'tfrc-live', '{:.0f}')} % of the packets with the deadline"
    yield "results.md", f"a player misses {of_three(found, 'cubic', 'tfrc-live', '{:.1f}')} % of the packets with the deadline"
    yield "results.md", f"and {of_three(found, 'cubic', 'tfrc-stored', '{:.1f}')} % if the movie runs ahead"
    yield "results.md", f"At a random loss of 2 % it misses {of_three(found, 'loss-2', 'tfrc-live', '{:.2g}')} %"
    yield "results.md", f"and {of_three(found, 'loss-2', 'tfrc-stored', '{:.2g}')} % ("
    for condition, loss in (("loss-0.1", "0.1 %"), ("loss-0.5", "0.5 %"), ("loss-1", "1 %"), ("loss-2", "2 %")):
        cells = [compact([100 * float(row[measure]) for row in found[condition, transport]])
                 for transport in ("tfrc-live", "tfrc-stored") for measure in ("missed_1", "I_missed_1")]
        cells += [compact([100 * float(row["missed_1"]) for row in found[condition, transport]]) for transport in ("srt-900ms", "rist")]
        yield "decisions/repair.md", f"| {loss} | {' | '.join(cells)} |"


def short_delay():
    """A player with 0.2 s at random loss; the first revision of tfrc-180ms does not make up for unused sending time"""
    every = rows("vod/latency-180ms.csv")
    found = groups(every, "condition", "transport", "revision")
    (before, now) = dict.fromkeys(row["revision"] for row in every if row["transport"] == "tfrc-180ms")
    others = {"tfrc-fec-180ms": now, "srt-180ms": before, "rist-180ms": before}

    def missed(condition, transport, revision):
        runs = found[condition, transport, revision]
        assert len(runs) == 5
        return compact([100 * float(row["missed_0.2"]) for row in runs])

    for condition, loss in (("loss-0.1", "0.1 %"), ("loss-0.5", "0.5 %"), ("loss-1", "1 %"), ("loss-2", "2 %")):
        live = missed(condition, "tfrc-180ms", now)
        cells = [live, *(missed(condition, transport, revision) for transport, revision in others.items())]
        yield "decisions/repair.md", f"| {loss} | {' | '.join(cells)} |"
        at_x = missed(condition, "tfrc-180ms", before)
        yield "decisions/deadline.md", f"| {loss} | {at_x} | {live} |"
        if condition == "loss-0.1":
            yield "../NEWS", f"a player with 0.2 s misses {live.split()[0]} % instead of {at_x.split()[0]} % of a movie"


def demo():
    """Five seeds of the demo, each as a file and as a live stream, with UDP and SRT in both"""
    every = rows("demo/rows.csv")
    columns = [[row for row in every if row["transport"] == transport and stream in (None, row["stream"])]
               for transport, stream in (("tfrc", "file"), ("srt", None), ("tfrc", "live"), ("udp", None))]

    def share(part, whole):
        return lambda row: 100 * float(row[part]) / float(row[whole])

    def of(column):
        return lambda row: float(row[column])

    for name, measure in (("pictures shown in time and undamaged, %", share("shown", "pictures")),
                          ("longest time without one, s", of("longest_without_s")),
                          ("pictures of which all packets came in time, %", share("complete", "pictures")),
                          ("packets of the clip in time, %", share("packets_in_time", "packets")),
                          ("packets sent, of 3518 in the clip", of("sent")), ("packets sent that the queue dropped", of("dropped")),
                          ("rate of the TCP flow, kbit/s", of("tcp_kbps"))):
        yield "results.md", f"| {name} | {' | '.join(compact(list(map(measure, found))) for found in columns)} |"
    for name, found in zip(("TFRC, a file: its packets may leave up to 10 s ahead", "SRT",
                            "TFRC, a live stream: `--sink ahead-time=0`", "plain UDP"), columns):
        shown = [share("shown", "pictures")(row) for row in found]
        yield "../README.md", f"| {name} | {statistics.median(shown):.0f} % | {min(shown):.0f} – {max(shown):.0f} % |"
    live = {key: int(row["shown"]) for key, (row,) in groups(
        [row for row in every if row["stream"] == "live"], "transport", "seed").items()}
    seeds = sorted({seed for _, seed in live})
    number = ("none", "one", "two", "three", "four", "each")
    more = {other: number[sum(live[first, seed] > live[second, seed] for seed in seeds)]
            for other, first, second in (("srt", "srt", "tfrc"), ("udp", "tfrc", "udp"))}
    assert len(seeds) == 5
    second = [100 * int(row["shown"]) / int(row["pictures"]) for row in every if row["transport"] == "srt" and row["seed"] == "2"]
    yield "../README.md", f"with seed 2 SRT showed {second[0]:.0f} % in one run and {second[1]:.0f} % in the other"
    yield "../README.md", f"showed more of it in {more['srt']} of five runs"
    yield "results.md", (f"than over UDP, in {more['udp']} of the five runs. SRT, beside which TCP has less, "
                         f"showed more in {more['srt']} of them")


def calls():
    """Calls between two webrtcbin, in the form that pipelines/webrtc-rate.sh prints"""
    spec = importlib.util.spec_from_file_location("calls", ROOT / "pipelines/webrtc/__main__.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    measures = (("video at 4 Mbit/s", "video 4 Mbit/s (1)"), ("at 1 Mbit/s", "video 1 Mbit/s (2)"),
                ("at 4 Mbit/s again", "video 4 Mbit/s (3)"), ("TCP, kbit/s", "TCP, kbit/s"),
                ("wait in the queue, p50, ms", "queue p50, ms"), ("p95, ms", "queue p95, ms"), ("packets lost, %", "lost, %"),
                ("delay of a picture, p50, ms", "picture p50, ms"), ("p95, ms", "picture p95, ms"),
                ("pictures missing, %", "pictures missing, %"))
    for name in ("alone", "tcp"):
        runs = json.loads((ROOT / f"results/webrtc/{name}.json").read_text(encoding="utf-8"))
        of_all = [runs[element] for element in ("rtptfrcbwe:pacing=true", "rtptfrcbwe", "rtpgccbwe")]
        for row, measure in measures:
            if measure != "TCP, kbit/s" or name == "tcp":
                cells = (script.text_of([run[measure] for run in found]) for found in of_all)
                yield "results.md", f"| {row} | {' | '.join(cells)} |"
        if name == "alone":
            of_link = [100 * statistics.median(run[measure] for run in of_all[2]) / kbps for measure, kbps in (
                ("video 4 Mbit/s (1)", 4000), ("video 4 Mbit/s (3)", 4000), ("video 1 Mbit/s (2)", 1000))]
            yield "results.md", "has taken {:.0f} and {:.0f} % of 4 Mbit/s and {:.0f} % of 1 Mbit/s by then".format(*of_link)


def main():
    wrong = []
    for part in (fairness, unfair, models, kernel, several_routers, ecn, sack, pipelines, beside_tcp, beside_testbed, vod,
                 intervals, conditions, in_time, spare_time, spare_time_180ms, handshake, handover, guard, real_elements, short_delay, demo, calls):
        for page, claim in part():
            text = " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())
            claim = claim if isinstance(claim, re.Pattern) else re.compile(re.escape(claim))
            if len(claim.findall(text)) != 1:
                wrong.append(f"docs/{page} has not once: {claim.pattern}")
    sys.exit("\n".join(wrong) or 0)


main()
