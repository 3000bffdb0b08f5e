# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that the documentation fits the repository: doc-links.py [ROOT].

In README.md, CONTRIBUTING.md, NEWS, examples/README.md and docs/**/*.md every relative link leads to a file and every
anchor to a heading. Files of this repository that these pages and the comments of C and C++ files
name exist. Each file in results/ is linked by one of these pages, or is the report of an experiment, or stands in that
report: results that nobody reads follow from the command that the report names. docs/decisions.md lists each decision of
docs/decisions/. Lines of prose in these pages have at most COLUMNS columns. doc-links-selftest.py shows that each check
finds what it is there for.
"""

import fnmatch
import os
import pathlib
import re
import sys

COLUMNS = 100
C_SUFFIXES = (".c", ".h", ".cc")
DIRECTORIES = "gst|lib|tests|experiments|examples|pipelines|tools|batch|scripts|docs"
ENDINGS = r"(?:\[ch\]|cc|c|h|py|sh|json|md)"
# A placeholder in a path: NAME/definition.py
PLACEHOLDER = re.compile(r"(?:^|/)[A-Z]+/")

# A path may have wildcards: sink*.c, path.[ch].
PATH = re.compile(rf"(?<![\w./*<-])((?:{DIRECTORIES})/[\w./*-]*\.{ENDINGS})(?![\w/])")
NAME = re.compile(r"(?<![\w./*<-])([\w*-]+(?:/[\w*-]+)*\.(?:\[ch\]|cc|c|h))(?![\w/])")
QUOTED_NAME = re.compile(r"`([\w*-]+(?:/[\w*-]+)*\.(?:\[ch\]|cc|c|h|py|sh))(?=[`:])")
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(/\*.*?\*/|//[^\n]*)', re.DOTALL)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?\s*\)")
DEFINITION = re.compile(r"^\[([^\]]+)\]: (\S+)", re.MULTILINE)
REFERENCE = re.compile(r"\]\[([^\]]+)\]")
LIST_ITEM = re.compile(r"^ *(?:[-*+]|\d+\.) ")
ONLY_A_LINK = re.compile(r"^ *(?:[-*+] )?!?\[[^\]]*\]\([^)]*\)[.,:;]?$|^\[[^\]]+\]: ")


# ---- files -----------------------------------------------------------------------------------------------------------


def files_of(root):
    """Every file below the root but for builds and hidden directories, with slashes."""
    found = []
    for directory, names, files in os.walk(root):
        names[:] = [name for name in names if not name.startswith((".", "build", "__pycache__"))]
        found += [os.path.relpath(os.path.join(directory, name), root) for name in files]
    return sorted(found)


def is_page(path):
    return path in ("README.md", "CONTRIBUTING.md", "NEWS", "examples/README.md") or path.startswith("docs/") and path.endswith(".md")


# ---- Markdown --------------------------------------------------------------------------------------------------------


def lines_of(text):
    """(line number, line, whether it is code) of each line."""
    fenced = code = in_list = False
    blank = True
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            yield number, line, True
            continue
        if fenced:
            yield number, line, True
            continue
        if line.strip():
            indented = line.startswith("    ")
            if LIST_ITEM.match(line) and not (indented and not in_list):
                in_list = True
            elif blank and not line.startswith(" "):
                in_list = False
            code = indented and (code or blank) and not in_list
        yield number, line, code and bool(line.strip())
        blank = not line.strip()


def prose_of(text):
    """The text without code blocks, with the same number of lines."""
    return "\n".join("" if code else line for _, line, code in lines_of(text))


def without_code(text):
    """The text without code blocks and code spans."""
    return re.sub(r"`[^`]*`", "", prose_of(text))


def anchors_of(text):
    """The anchors of the headings, as GitHub makes them."""
    anchors = set()
    for line in prose_of(text).split("\n"):
        heading = re.match(r"#+ +(.*?)[ #]*$", line)
        if heading:
            title = re.sub(r"\]\([^)]*\)", "]", heading[1]).lower()
            base = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
            anchor, n = base, 0
            while anchor in anchors:
                n += 1
                anchor = f"{base}-{n}"
            anchors.add(anchor)
    return anchors | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


# ---- the checks ------------------------------------------------------------------------------------------------------


def wrong_links(root, path, text):
    """(link, what is wrong) of each link of a page."""
    plain = without_code(text)
    defined = dict(DEFINITION.findall(plain))
    for name in REFERENCE.findall(plain):
        if name not in defined:
            yield f"[{name}]", "is not defined"
    for link in [*LINK.findall(plain), *defined.values()]:
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        place = pathlib.Path(root, path).parent / target if target else pathlib.Path(root, path)
        if not place.exists():
            yield link, "leads to no file"
        elif anchor and not (place.is_file() and anchor in anchors_of(place.read_text(encoding="utf-8"))):
            yield link, "leads to no heading"


def wrong_lines(text):
    """(line number, columns) of each line of prose that is too long."""
    for number, line, code in lines_of(text):
        if len(line) > COLUMNS and not code and not line.lstrip().startswith(("|", "<!--")):
            if not ONLY_A_LINK.match(line):
                yield number, len(line)


def exists(name, files):
    """Whether every file that the name stands for exists: from the root, or, if the name does not
    begin with a directory of the root, below any directory."""
    for each in (name.replace("[ch]", end) for end in ("c", "h")) if "[ch]" in name else [name]:
        anywhere = not re.match(rf"(?:{DIRECTORIES})/", each)
        if not fnmatch.filter(files, each) and not (anywhere and fnmatch.filter(files, "*/" + each)):
            return False
    return True


def names_in(path, text):
    """(line number, name) of each file that a page or the comments of a source name."""
    if path.endswith(C_SUFFIXES):
        blocks = [(match.start(1), match[1]) for match in COMMENT.finditer(text) if match[1]]
        patterns = (PATH, NAME)
    else:
        blocks, patterns = [(0, text)], (PATH, QUOTED_NAME)
    for start, block in blocks:
        for pattern in patterns:
            for match in pattern.finditer(block):
                if not PLACEHOLDER.search(match[1]):
                    yield text.count("\n", 0, start + match.start()) + 1, match[1]


def unread_results(root, files):
    """The files of results/ to which neither a page nor the report beside them has a link."""
    read = set()
    for path in files:
        if is_page(path) or path.startswith("results/") and path.endswith("/report.md"):
            for link in LINK.findall(pathlib.Path(root, path).read_text(encoding="utf-8")):
                read.add(os.path.normpath(os.path.join(os.path.dirname(path), link.partition("#")[0])))
    return [path for path in files if path.startswith("results/") and path not in read]


def unlisted_decisions(root, files):
    """(page, anchor) of each decision that docs/decisions.md does not list."""
    listed = pathlib.Path(root, "docs/decisions.md")
    links = set(LINK.findall(listed.read_text(encoding="utf-8"))) if listed.exists() else set()
    for path in files:
        if path.startswith("docs/decisions/") and path.endswith(".md"):
            headings = re.findall(r"^## .*$", prose_of(pathlib.Path(root, path).read_text(encoding="utf-8")), re.MULTILINE)
            for anchor in sorted(anchors_of("\n".join(headings))):
                if f"{path.removeprefix('docs/')}#{anchor}" not in links:
                    yield path, anchor


def check(root):
    """All errors, as lines of text, and the number of links and names."""
    files = files_of(root)
    wrong, count, known = [], 0, {}
    for path in files:
        if not is_page(path) and not path.endswith(C_SUFFIXES):
            continue
        text = pathlib.Path(root, path).read_text(encoding="utf-8")
        if is_page(path):
            count += len(LINK.findall(text))
            wrong += [f"{path}: {link} {what}" for link, what in wrong_links(root, path, text)]
            wrong += [f"{path}:{line}: {columns} columns, of at most {COLUMNS}" for line, columns in wrong_lines(text)]
        found = set(names_in(path, text))
        count += len(found)
        for line, name in sorted(found):
            if name not in known:
                known[name] = exists(name, files)
            if not known[name]:
                wrong.append(f"{path}:{line}: there is no file {name}")
    wrong += [f"{path}: no page has a link to this result" for path in unread_results(root, files)]
    wrong += [f"{path}: docs/decisions.md does not list #{anchor}" for path, anchor in unlisted_decisions(root, files)]
    return wrong, count


def main(arguments):
    root = arguments[0] if arguments else pathlib.Path(__file__).resolve().parents[2]
    wrong, count = check(root)
    print("\n".join([*wrong, f"{count} links and names of files, {len(wrong)} errors"]))
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
