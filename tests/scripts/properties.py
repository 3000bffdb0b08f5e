# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the documented tables of properties with gst-inspect-1.0: properties.py DOCUMENT...

A table stands between <!-- properties ELEMENT --> and <!-- /properties --> in one of the documents:

    | property | type | range | default | when | meaning |

"when" is the last state in which the property may change, or "read only"; "write only" stands behind
the state of a secret. The meaning is the blurb,
or the blurb with a full stop and further text. Properties of the base class are not documented
here. Also, each #GstTfrcSink:NAME, and so on, in the elements' sources must name a property. Exit status: 0 all
agree, 1 something does not.

properties.py --print ELEMENT prints the table as gst-inspect-1.0 has it.

properties.py --print experiment prints a table of the keys of the property `experiment', from what
the elements say of a wrong key and of a wrong value. properties.py --experiment TABLE DOCUMENT...
compares with that table the one between <!-- experiment --> and <!-- /experiment -->.
"""

import re
import subprocess
import sys

# For each element another element of the same base class: the properties that both have are the base class's.
ELEMENTS = {"tfrcsink": "fakesink", "tfrcsrc": "audiotestsrc", "rtptfrcbwe": "tee"}

LAUNCH = {"tfrcsink": "fakesrc num-buffers=1 ! tfrcsink experiment={}", "tfrcsrc": "tfrcsrc port=0 experiment={} ! fakesink"}
EXPERIMENT = re.compile(r"^<!-- experiment -->\n[^\n]*\n[^\n]*\n(.*?)^<!-- /experiment -->$", re.M | re.S)
WRONG_KEY = re.compile(r"unknown key 'x'; the keys are (.*)")
WRONG_VALUE = re.compile(r"'x' is not a value of '.*'(?:; the values are (.*)|, which is .* from (.*))")

COLUMNS = ("property", "type", "range", "default", "when", "meaning")

TABLE = re.compile(r"^<!-- properties (\S+) -->\n(.*?)^<!-- /properties -->$", re.M | re.S)
PROPERTY = re.compile(r"^  ([a-z][a-z0-9-]*) *: (.*)\n {20,}flags: (.*)\n {20,}(.*)\n((?: {20,}.*\n)*)", re.M)
VALUE = re.compile(r"^ *\(\d+\): (\S+)", re.M)
REFERENCE = re.compile(r"#Gst(TfrcSink|TfrcSrc|RtpTfrcBwe):([a-z0-9-]+)")

TYPES = {
    "String": "string",
    "Integer": "int",
    "Unsigned Integer": "uint",
    "Unsigned Integer64": "uint64",
    "Double": "double",
    "Boolean": "boolean",
}
CHANGES = {
    "readable": "read only",
    "readable, writable, changeable only in NULL or READY state": "READY",
    "writable, changeable only in NULL or READY state": "READY, write only",
    "readable, writable, changeable in NULL, READY, PAUSED or PLAYING state": "PLAYING",
}


def code(text):
    return f"`{text}`" if text else ""


def type_range_default(line, values):
    """Type, range and default from gst-inspect-1.0's LINE below the flags, and from the VALUES of
    an enumeration."""
    found = re.match(r'Enum "(\w+)" Default: -?\d+, "(.*)"$', line)
    if found:
        return "enum", ", ".join(code(value) for value in VALUE.findall(values)), code(found[2])
    found = re.match(r'Boxed pointer of type "(\w+)"$', line)
    if found:
        return "structure" if found[1] == "GstStructure" else found[1], "", ""
    found = re.match(r'Object of type "(\w+)"$', line)
    if found:
        return found[1], "", ""
    found = re.match(r"([\w ]+)\. (?:Range: *(\S+) - *(\S+) )?Default: *(.*?)(?: *Write only)? *$", line)
    if not found or found[1] not in TYPES:
        return f"unknown: {line}", "", ""
    default = "" if found[4] == "null" else found[4].strip('"')
    return TYPES[found[1]], f"{found[2]} to {found[3]}" if found[2] else "", code(default)


def inspect(element):
    """Yields (name, blurb, flags, line of the type, lines after it) of each property."""
    text = subprocess.run(["gst-inspect-1.0", element], check=True, capture_output=True, text=True).stdout
    text = text.split("\nElement Properties:\n")[1].split("\nElement Signals:\n")[0]
    return [found.groups() for found in PROPERTY.finditer(text + "\n")]


def inspected(element):
    """The rows by the name of the property, as a table has them; the meaning is the blurb."""
    inherited = {(name, blurb) for name, blurb, *_ in inspect(ELEMENTS[element])}
    rows = {}
    for name, blurb, flags, line, values in inspect(element):
        if (name, blurb) not in inherited:
            rows[name] = (*type_range_default(line, values), CHANGES.get(flags, f"unknown: {flags}"), blurb)
    return rows


def cells(line):
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def documented(element, table, wrong):
    rows = {}
    lines = [line for line in table.splitlines() if line.strip()]
    if not lines or cells(lines[0]) != COLUMNS:
        wrong.append(f"{element}: the columns of the table are not {', '.join(COLUMNS)}")
    for line in lines[2:]:
        row = cells(line)
        name = row[0].strip("`")
        if len(row) != len(COLUMNS):
            wrong.append(f"{element}: {name} has {len(row)} columns instead of {len(COLUMNS)}")
        elif name in rows:
            wrong.append(f"{element}: {name} has two rows")
        else:
            rows[name] = row[1:]
    return rows


def compare(element, told, has):
    wrong = [f"{element}: {name} is not documented" for name in has if name not in told]
    wrong += [f"{element}: {name} is documented, but does not exist" for name in told if name not in has]
    for name in has:
        if name not in told:
            continue
        for column, was, should in zip(COLUMNS[1:], told[name], has[name]):
            if was != should and not (column == "meaning" and was.startswith(should + ". ")):
                wrong.append(f"{element}: {name}: {column} is documented as '{was}', and is '{should}'")
    return wrong


def refused(element, experiment, expected):
    """What the element says of an experiment that has a mistake: the first group that is there."""
    command = ["gst-launch-1.0", *LAUNCH[element].format(experiment).split()]
    said = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60).stderr
    found = expected.search(said)
    return next(filter(None, found.groups())) if found else f"no answer to {experiment}: {said}"


def experiments():
    """{key: (element, values)} as the elements have them, written as the table has them"""
    keys = {element: refused(element, "x=1", WRONG_KEY).replace(" and ", ", ").split(", ") for element in LAUNCH}
    found = {}
    for element, names in keys.items():
        for name in names:
            values = refused(element, f"{name}=x", WRONG_VALUE)
            text = values if " to " in values else ", ".join(map(code, values.replace(" and ", ", ").split(", ")))
            found[name] = ("both" if name in found else element.removeprefix("tfrc"), text)
    return found


def read_experiments(paths):
    tables = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            tables += EXPERIMENT.findall(file.read())
    if len(tables) != 1:
        sys.exit(f"{len(tables)} documents have <!-- experiment --> instead of one")
    return {row[0].strip("`"): row[1:3] for row in map(cells, tables[0].splitlines())}


def compare_experiments(table, documents):
    has, told = read_experiments([table]), read_experiments(documents)
    wrong = [f"experiment: {name} is documented as {told.get(name)}, and is {has.get(name)}"
             for name in sorted({*told, *has}) if told.get(name) != has.get(name)]
    print("\n".join(wrong) or f"{len(has)} keys of experiment are documented as they are")
    return 1 if wrong else 0


def references(paths, has):
    wrong = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for kind, name in REFERENCE.findall(file.read()):
                if name not in has[kind.lower()]:
                    wrong.append(f"{path}: there is no property {name}")
    return wrong


def print_experiments():
    print("<!-- experiment -->\n| key | element | values |\n|---|---|---|")
    for name, row in experiments().items():
        print("| " + " | ".join((code(name), *row)) + " |")
    print("<!-- /experiment -->")


def print_table(element):
    if element == "experiment":
        print_experiments()
        return
    print(f"<!-- properties {element} -->")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---" * len(COLUMNS) + "|")
    for name, row in inspected(element).items():
        print("| " + " | ".join((code(name), *row)) + " |")
    print("<!-- /properties -->")


def main(paths):
    wrong = []
    tables = {}
    for path in (path for path in paths if path.endswith(".md")):
        with open(path, encoding="utf-8") as file:
            for element, table in TABLE.findall(file.read()):
                if element in tables or element not in ELEMENTS:
                    wrong.append(f"{path}: a second table of {element}, or of an element that does not exist")
                tables[element] = table
    has = {element: inspected(element) for element in ELEMENTS}
    for element in ELEMENTS:
        if not has[element]:
            wrong.append(f"{element}: gst-inspect-1.0 names no property")
        if element not in tables:
            wrong.append(f"{element}: no document has <!-- properties {element} -->")
        else:
            wrong += compare(element, documented(element, tables[element], wrong), has[element])
    wrong += references([path for path in paths if path.endswith(".c")], has)
    print("\n".join(wrong) or f"{sum(map(len, has.values()))} properties are documented as they are")
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "--print":
        sys.exit(print_table(sys.argv[2]))
    if sys.argv[1] == "--experiment":
        sys.exit(compare_experiments(sys.argv[2], sys.argv[3:]))
    sys.exit(main(sys.argv[1:]))
