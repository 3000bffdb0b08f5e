# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the table of statistics with the built elements: statistics-table.py STATISTICS.md

gst-inspect-1.0 says which statistics the elements have.
"""

import re
import subprocess
import sys

ELEMENTS = {"sink": "tfrcsink", "src": "tfrcsrc"}

# Fields that are there only when the clocks of both ends agree.
CONDITIONAL = re.compile(r"^(iptd|network-delay)-(mean|p99|max)$")


def table(page):
    """Yields (names in the first column, elements that the second column names) of each row."""
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 3 and cells[1].startswith("`"):
            elements = ELEMENTS if cells[2] == "both" else [cells[2]]
            yield re.findall(r"`([^`]+)`", cells[1]), list(elements)


def documented(path):
    """Returns the names that the page has for each element."""
    names = {element: set() for element in ELEMENTS}
    with open(path, encoding="utf-8") as file:
        page = file.read()
    for fields, elements in table(page):
        for element in elements:
            names[element].update(fields)
    return names


def inspected(element):
    """Returns the fields of the property `stats'."""
    text = subprocess.run(["gst-inspect-1.0", element], check=True, capture_output=True, text=True).stdout
    stats = text.split("\n  stats ")[1]
    stats = re.split(r"\n  [a-z]", stats)[0]
    return set(re.findall(r"^ {4,}([a-z][a-z0-9-]*): ", stats, re.M)) - {"flags"}


def main():
    wrong = []
    fields = documented(sys.argv[1])
    for short, element in ELEMENTS.items():
        told, has = {name for name in fields[short] if not CONDITIONAL.match(name)}, inspected(element)
        if not has:
            wrong.append(f"{element}: found no statistic at all")
        wrong += [f"{element}: statistic {name} is not documented" for name in sorted(has - told)]
        wrong += [f"{element}: the documented statistic {name} does not exist" for name in sorted(told - has)]
    print("\n".join(wrong) or "every statistic is documented")
    return 1 if wrong else 0


sys.exit(main())
