"""The page: every experiment that has a CSV, with what the paper said, why ours differs, and where it came from."""

import html
import json
import pathlib
import shutil

import experiments
import paper
import transports
from report import sections, summary
from report.tables import table

STYLE = """body { font-family: sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; line-height: 1.4 }
table { border-collapse: collapse; margin: 1em 0; font-size: 85% }
th, td { border: 1px solid #bbb; padding: .2em .5em; text-align: left }
th { background: #eee } img { max-width: 100% } code { background: #f3f3f3 }"""

REASONS = pathlib.Path(__file__).resolve().parent.parent / "reasons.json"

MEASURES = """<h2>What is measured</h2><p>Every movie is replayed as the same packets of 1316 bytes. A packet is due
when its trace says so. IPTD is the time from then until it leaves the network: what it waits in the sender, and what
it takes through the network; for TCP, whose packets on the wire are not the movie's, until the application has it.
IPLR counts packets that the application never got, whatever the transport repeated. Missed at 0.2 s is what a
player sees that waits so long: the part of packets that it has not got when it wants them, since they came too late or
never; what it waits begins when an empty network would have delivered the packet. CoV is the variation of the sending rate over windows
of so long. What is due in the last 2 s of a run does not count.</p>"""


def _title(name):
    known = experiments.EXPERIMENTS.get(name)
    return known.title if known else "The judge: the kernel's CCID 3 and ours on the same links"


def _values(frame, column):
    return list(dict.fromkeys(str(value) for value in frame[column].dropna())) if column in frame else []


def _origin(name, frame):
    lines = [f'<p>Figures: <a href="{name}.csv">{name}.csv</a>.']
    for column, text in (("command", "Command"), ("revision", "Revision"), ("seed", "Seeds"), ("backend", "Testbed"),
                         ("duration_s", "Seconds of movie")):
        values = _values(frame, column)
        if values:
            lines.append(f"{text}: " + ", ".join(f"<code>{html.escape(value)}</code>" for value in values) + ".")
    return "\n".join(lines) + "</p>"


def _reasons(name, reasons):
    texts = reasons.get(name, [])
    if not texts:
        return ""
    return "<h3>Why ours differ</h3><ul>" + "".join(f"<li>{html.escape(text)}</li>" for text in texts) + "</ul>"


def write(source, target):
    """Makes the report in the directory TARGET of the CSV files in SOURCE; returns the page, or None without any."""
    source, target = pathlib.Path(source), pathlib.Path(target)
    names = [name for name in sections.SECTIONS if (source / f"{name}.csv").is_file()]
    if not names:
        return None
    target.mkdir(parents=True, exist_ok=True)
    with open(REASONS) as file:
        reasons = json.load(file)
    body = ["<h1>Video on demand over TFRC: the paper's experiments on real pipelines</h1>", MEASURES]
    for name in names:
        if source.resolve() != target.resolve():
            shutil.copyfile(source / f"{name}.csv", target / f"{name}.csv")
        frame = summary.load(target / f"{name}.csv")
        body += [f'<h2 id="{name}">{html.escape(_title(name))}</h2>',
                 f"<p>The paper: {html.escape(paper.CLAIMS[name])}</p>", sections.SECTIONS[name](frame, target),
                 _reasons(name, reasons), _origin(name, frame)]
    body.append("<h2>Transports</h2>" + table(
        ["name", "", "sender", "receiver", "notes"],
        [[name, t.title, t.sender, t.receiver, t.notes] for name, t in transports.TRANSPORTS.items()]))
    page = target / "report.html"
    page.write_text(f"<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><title>VoD benchmark</title>\n"
                    f"<style>{STYLE}</style>\n<body>\n" + "\n".join(body) + "\n</body></html>\n")
    return page
