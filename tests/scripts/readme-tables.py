"""Compares README.md's table of statistics with what gst-inspect-1.0 says of the built elements."""

import re
import subprocess
import sys

ELEMENTS = {"sink": "tfrcsink", "src": "tfrcsrc"}

# Fields that are there only when the clocks of both ends agree.
CONDITIONAL = re.compile(r"^(iptd|network-delay)-(mean|p99|max)$")


def table(readme, heading):
    """Yields (names in the first column, elements that the second column names) of each row."""
    section = readme.split("\n## " + heading + "\n")[1].split("\n## ")[0]
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 3 and cells[1].startswith("`"):
            elements = ELEMENTS if cells[2] == "both" else [cells[2]]
            yield re.findall(r"`([^`]+)`", cells[1]), list(elements)


def documented(readme, heading):
    names = {element: set() for element in ELEMENTS}
    for fields, elements in table(readme, heading):
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
    with open(sys.argv[1], encoding="utf-8") as file:
        readme = file.read()
    wrong = []
    fields = documented(readme, "Statistics")
    for short, element in ELEMENTS.items():
        told, has = {name for name in fields[short] if not CONDITIONAL.match(name)}, inspected(element)
        if not has:
            wrong.append(f"{element}: found no statistic at all")
        wrong += [f"{element}: statistic {name} is not in README.md" for name in sorted(has - told)]
        wrong += [f"{element}: README.md has a statistic {name} that does not exist" for name in sorted(told - has)]
    print("\n".join(wrong) or "README.md names every statistic")
    return 1 if wrong else 0


sys.exit(main())
