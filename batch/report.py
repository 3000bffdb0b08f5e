# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reports: a title and blocks of text, tables and pictures, which Jinja2 templates write as
Markdown or as HTML.

    blocks = [report.Heading("Loss"), "Medians of *five* seeds.", report.Table(["queue", "loss"],
    [[20, 0.01]]),
              report.Picture(out / "loss.png", "loss against the queue")]
    report.write_html(out / "report.html", "A title", blocks)

A string is a paragraph. In Markdown it is written as it is; in HTML `code`, **bold** and
[text](address) become markup, and everything else is quoted. An HTML report is one file: its
pictures are in it.
"""

import base64
import dataclasses
import pathlib
import re

import jinja2
import markupsafe

from .formats import number


@dataclasses.dataclass(frozen=True)
class Heading:
    text: str
    level: int = 2
    anchor: str = ""  # what a link to the heading names, in HTML

    kind = "heading"


@dataclasses.dataclass(frozen=True)
class Items:
    """A list of paragraphs."""

    texts: tuple

    kind = "items"


@dataclasses.dataclass(frozen=True)
class Table:
    """headings: texts. rows: lists of texts and numbers. by_row: the first cell of each row is a
    heading, too. align: columns of equal width in Markdown, for readers of the plain text."""

    headings: list
    rows: list
    by_row: bool = False
    align: bool = False

    kind = "table"

    def cells(self):
        """The rows as texts."""
        return [[_text(value) for value in row] for row in self.rows]

    def lines(self):
        """The headings, the line below them and the rows as Markdown has them."""
        head = [_text(heading) for heading in self.headings]
        rows = [[text.replace("|", "\\|") for text in row] for row in [head, *self.cells()]]
        if not self.align:
            return [rows[0], ["---"] * len(head), *rows[1:]]
        widths = [max(map(len, column)) for column in zip(*rows)]
        rows.insert(1, ["-" * width for width in widths])
        return [[text.ljust(width) for text, width in zip(row, widths)] for row in rows]


@dataclasses.dataclass(frozen=True)
class Picture:
    """path: the PNG file. A Markdown report names the file, which is beside the report; an HTML
    report contains the picture."""

    path: pathlib.Path
    text: str

    kind = "picture"

    def name(self):
        return pathlib.Path(self.path).name

    def data(self):
        return base64.b64encode(pathlib.Path(self.path).read_bytes()).decode()


def _text(value):
    # NumPy's numbers are not Python's.
    return number(value.item() if hasattr(value, "item") else value)


def _inline(text):
    """Quotes a text for HTML and makes markup of the little Markdown that reports use."""
    text = str(markupsafe.escape(text))
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)
    return markupsafe.Markup(re.sub(r"\[([^]]+)\]\(([^)\s]+)\)", r'<a href="\2">\1</a>', text))


def _environment(autoescape):
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(pathlib.Path(__file__).with_name("templates")), autoescape=autoescape,
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    made.filters["inline"] = _inline
    made.filters["text"] = _text
    return made


_HTML, _MARKDOWN = _environment(True), _environment(False)


def html(title, blocks):
    return _HTML.get_template("report.html.j2").render(title=title, blocks=list(blocks))


def markdown(blocks, title=None):
    """Without title: the blocks alone, without an empty line at the end."""
    return _MARKDOWN.get_template("report.md.j2").render(title=title, blocks=list(blocks)).rstrip("\n")


def write_html(path, title, blocks):
    pathlib.Path(path).write_text(html(title, blocks), encoding="utf-8")


def write_markdown(path, title, blocks):
    pathlib.Path(path).write_text(markdown(blocks, title) + "\n", encoding="utf-8")
