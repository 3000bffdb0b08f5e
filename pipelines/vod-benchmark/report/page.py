# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page: every experiment that has a CSV file, with the paper's statements, the reasons for
differences, and the origin of the results."""

import json
import pathlib
import shutil

import experiments
import paper
import transports
from batch import report as writer
from batch.report import Heading, Items, Table
from report import sections, summary

REASONS = pathlib.Path(__file__).resolve().parent.parent / "reasons.json"

# The tables that the sentences in REASONS are of
EXPLAINED = pathlib.Path(__file__).resolve().parents[3] / "results" / "vod"

TITLE = "Video on demand over TFRC: the paper's experiments on real pipelines"
MEASURES = (
    "Every movie is replayed as the same packets of 1316 bytes. A packet is due at the time that the movie's trace gives.",
    "IPTD is the time from then until the packet leaves the network: the wait in the sender and the way through the network. "
    "Over TCP, whose packets on the wire are not the movie's, IPTD ends when the application has the packet.",
    "IPLR counts the packets that the application never got, whatever the transport repeated.",
    "Missed at 0.2 s is what a player with a buffer of 0.2 s sees: the part of the packets that came too late or never. The "
    "player's wait begins when an empty network would have delivered the packet.",
    "CoV is the coefficient of variation of the sending rate over windows of that length.",
    "Packets that are due in the last 2 s of a run do not count.")


def _title(name):
    known = experiments.EXPERIMENTS.get(name)
    return known.title if known else "The judge: the kernel's CCID 3 and ours on the same links"


def _values(frame, column):
    return list(dict.fromkeys(str(value) for value in frame[column].dropna())) if column in frame else []


def _origin(name, frame):
    text = [f"Figures: [{name}.csv]({name}.csv)."]
    for column, what in (("command", "Command"), ("revision", "Revision"), ("seed", "Seeds"), ("backend", "Testbed"),
                         ("duration_s", "Seconds of movie")):
        values = _values(frame, column)
        if values:
            text.append(f"{what}: " + ", ".join(f"`{value}`" for value in values) + ".")
    return " ".join(text)


def _why(sentences, table, source):
    """The sentences about differences, which have numbers, if this is the table that they are of."""
    if not sentences:
        return []
    explained = EXPLAINED / table
    if not explained.is_file() or explained.read_bytes() != (source / table).read_bytes():
        sentences = ["The sentences about differences are of the tables in results/vod, and not of these."]
    return [Heading("Why ours differ", 3), Items(sentences)]


def write(source, target):
    """Makes a report of the CSV files in the directory 'source' and writes it into 'target'.
    Returns the report's path, or None if there is no such file."""
    source, target = pathlib.Path(source), pathlib.Path(target)
    names = [name for name in sections.SECTIONS if (source / f"{name}.csv").is_file()]
    if not names:
        return None
    target.mkdir(parents=True, exist_ok=True)
    with open(REASONS) as file:
        reasons = json.load(file)
    blocks = [Heading("What is measured"), Items(MEASURES)]
    for name in names:
        if source.resolve() != target.resolve():
            shutil.copyfile(source / f"{name}.csv", target / f"{name}.csv")
        frame = summary.load(target / f"{name}.csv")
        blocks += [Heading(_title(name), anchor=name), f"The paper: {paper.CLAIMS[name]}",
                   *sections.SECTIONS[name](frame, target)]
        blocks += _why(reasons.get(name), f"{name}.csv", source)
        blocks.append(_origin(name, frame))
    blocks += [Heading("Transports"), Table(
        ["name", "", "sender", "receiver", "notes"],
        [[f"`{name}`", t.title, f"`{t.sender}`", f"`{t.receiver}`", t.notes] for name, t in transports.TRANSPORTS.items()])]
    page = target / "report.html"
    writer.write_html(page, TITLE, blocks)
    return page
