"""Compares the tables of properties and of statistics with the built elements: readme-tables.py PROPERTIES.md STATISTICS.md

gst-inspect-1.0 says which properties and statistics the elements have.
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
    """Returns the element's properties, those of its base class, and the fields of `stats'."""
    def lines(name):
        return subprocess.run(["gst-inspect-1.0", name], check=True, capture_output=True, text=True).stdout

    def properties(text):
        return set(re.findall(r"^  ([a-z][a-z0-9-]*) *: ", text.split("Element Properties:")[1], re.M))

    # Any other element of the same base class tells which properties come from there.
    base = properties(lines("fakesink" if element == "tfrcsink" else "audiotestsrc"))
    text = lines(element)
    stats = text.split("\n  stats ")[1]
    stats = re.split(r"\n  [a-z]", stats)[0]
    return properties(text), base - {"stats"}, set(re.findall(r"^ {4,}([a-z][a-z0-9-]*): ", stats, re.M)) - {"flags"}


def main():
    wrong = []
    properties, fields = documented(sys.argv[1]), documented(sys.argv[2])
    for short, element in ELEMENTS.items():
        has_properties, base, has_fields = inspected(element)
        told_fields = {name for name in fields[short] if not CONDITIONAL.match(name)}
        for what, told, has in (("property", properties[short], has_properties),
                                ("statistic", told_fields, has_fields)):
            if not has:
                wrong.append(f"{element}: found no {what} at all")
            inherited = base if what == "property" else set()
            wrong += [f"{element}: {what} {name} is not documented" for name in sorted(has - told - inherited)]
            wrong += [f"{element}: the documented {what} {name} does not exist" for name in sorted(told - has)]
    print("\n".join(wrong) or "every property and statistic is documented")
    return 1 if wrong else 0


sys.exit(main())
