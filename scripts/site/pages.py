# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of the documentation's site: pages.py collect DIRECTORY | navigation | check SITE.

collect copies to DIRECTORY what README.md leads to, directly or through other pages: Markdown, pictures and tables as
they are, and the source files that a page links as pages of their own. A link to a public header leads to its page of
the library's API, which doxygen writes to DIRECTORY/api. The elements' reference is added (elements.py).

navigation prints the site's table of contents in the form of mkdocs: the tables of README.md's section "Documentation",
with the heads of their first columns as sections, and the elements' reference.

check reads the finished site: every link leads to a file, every anchor to an element, nothing comes from another host
but what a reader follows by hand, and each page fits a phone (phone.py).
"""
import html.parser
import json
import os
import pathlib
import re
import shutil
import sys
import urllib.parse

import elements
import phone

ROOT = pathlib.Path(__file__).resolve().parents[2]
START = "README.md"
STYLE = pathlib.Path(__file__).with_name("phone.css")
API = "lib/include/tfrc"
LINK = re.compile(r"(\]\(\s*<?|^\[[^\]]+\]: )([^)\s>]+)", re.MULTILINE)
TABLE_ROW = re.compile(r"^\| ([^|]*) \|", re.MULTILINE)
CELL_LINK = re.compile(r"\[([^\]]+)\]\(([^)#]+)\)")
COPIED = {".png", ".svg", ".csv", ".json", ".service"}  # a browser shows or stores them
LANGUAGES = {".c": "c", ".h": "c", ".py": "python", ".sh": "bash"}
# The links of these are followed
LINKING = {("a", "href"), ("img", "src"), ("link", "href"), ("script", "src")}


# ---- collect ---------------------------------------------------------------------------------------------------------


def is_local(target):
    return not urllib.parse.urlsplit(target).scheme and not target.startswith("#")


def place_of(path):
    """Where the site has a file or directory of the repository."""
    if path == API:
        return "api/files.html"
    if os.path.dirname(path) == API:
        return f"api/{os.path.basename(path).replace('.', '_8')}.html"
    return path if os.path.splitext(path)[1] in COPIED | {".md"} else path + ".md"


def with_links(text, page, found):
    """The page with links to where the site has the files, which are added to the list."""
    def replace(match):
        target, _, anchor = match[2].partition("#")
        if not is_local(match[2]):
            return match[0]
        path = os.path.normpath(os.path.join(os.path.dirname(page), target))
        found.append(path)
        link = os.path.relpath(place_of(path), os.path.dirname(page) or ".")
        return match[1] + link + (f"#{anchor}" if anchor else "")
    return LINK.sub(replace, text)


def source_page(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    return f"# {path}\n\n````{LANGUAGES.get(os.path.splitext(path)[1], 'text')}\n{text}\n````\n"


def collect(directory):
    waiting, done = [START], set()
    while waiting:
        path = waiting.pop()
        place = place_of(path)
        if place in done or place.startswith("api/"):
            continue
        done.add(place)
        target = directory / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith(".md"):
            text = (ROOT / path).read_text(encoding="utf-8")
            target.write_text(with_links(text, path, waiting), encoding="utf-8")
        elif place == path:
            shutil.copyfile(ROOT / path, target)
        else:
            target.write_text(source_page(path), encoding="utf-8")
    elements.write(directory)
    shutil.copy(STYLE, directory)
    print(f"{len(done) + len(elements.PAGES)} pages, pictures and tables")


# ---- navigation ------------------------------------------------------------------------------------------------------


def navigation():
    """Pages have their own first headings for names; a source file and the API have the names that README.md gives."""
    text = (ROOT / START).read_text(encoding="utf-8")
    section, contents = [], [{"gst-tfrc": START}]
    for row in TABLE_ROW.finditer(text[text.index("## Documentation"):]):
        links = CELL_LINK.findall(row[1])
        if not links and row[1].startswith("to "):
            section = []
            contents.append({row[1].strip(): section})
        for name, target in links:
            place = place_of(os.path.normpath(target))
            section.append(place if target.endswith(".md") else {name: place})
    return contents + [{"the elements": list(elements.PAGES.values())}]


# ---- check -----------------------------------------------------------------------------------------------------------


class Page(html.parser.HTMLParser):
    """The links of a page, the files that it loads, its style sheets among them, its anchors and its viewport."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.styles, self.anchors, self.viewport = [], [], [], set(), None
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "meta" and values.get("name") == "viewport":
            self.viewport = values.get("content")
        if tag == "link" and values.get("rel") == "stylesheet":
            self.styles.append(values["href"])
        for name, value in attrs:
            if (tag, name) in LINKING and value:
                is_loaded = tag != "a" and values.get("rel") != "canonical"
                (self.loads if is_loaded else self.links).append(value)


def file_of(path, target):
    """The file that a link on this page leads to"""
    return (path.parent / urllib.parse.unquote(urllib.parse.urlsplit(target).path)).resolve()


def problems_of(path, page, pages):
    for target in page.loads:
        if urllib.parse.urlsplit(target).netloc:
            yield f"loads {target}"
    for target in page.links + page.loads:
        parts = urllib.parse.urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        file = file_of(path, target) if parts.path else path
        if not file.is_file():
            yield f"{target}: no file"
        elif parts.fragment and file in pages and urllib.parse.unquote(parts.fragment) not in pages[file].anchors:
            yield f"{target}: no element"
    # What doxygen's search finds is shown in a frame of a page.
    if path.parent.name != "search":
        styles = [file_of(path, style) for style in page.styles if not urllib.parse.urlsplit(style).netloc]
        yield from phone.problems_of(page.viewport, [style for style in styles if style.is_file()])


def check(site):
    # The page of what is not found stands at any address, so its links are absolute.
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}
    problems = [f"{path.relative_to(site.resolve())}: {problem}"
                for path, page in pages.items() for problem in problems_of(path, page, pages)]
    print("\n".join(problems[:100]))
    print(f"{sum(len(page.links) for page in pages.values())} links of {len(pages)} pages, {len(problems)} errors")
    return 1 if problems or not pages else 0


def main():
    command, *directory = sys.argv[1:]
    if command == "collect":
        collect(pathlib.Path(*directory))
    elif command == "navigation":
        print(json.dumps(navigation(), indent=1))
    else:
        return check(pathlib.Path(*directory))
    return 0


if __name__ == "__main__":
    sys.exit(main())
