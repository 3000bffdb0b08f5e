# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of the elements in the documentation's site, from what scripts/plugin-cache.py has written about the plugin.

write(DIRECTORY) makes a page in Markdown of each element, with its pads, properties, signals and their enumerations;
PAGES are their places in DIRECTORY. What a property is for, pages of the documentation say, to which each page leads.
"""
import json
import pathlib
import re

import jinja2

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = ROOT / "docs/plugins/gst_plugins_cache.json"
PLUGIN = json.loads(CACHE.read_text(encoding="utf-8"))["tfrc"]
PAGES = {name: f"elements/{name}.md" for name in PLUGIN["elements"]}

STREAM = """[What the properties do](../docs/properties.md), [the fields of `stats`](../docs/statistics.md) and
[messages and signals](../docs/messages.md) have pages of their own."""
SEE = {"tfrcsink": STREAM, "tfrcsrc": STREAM, "rtptfrcbwe": "[How a pipeline uses it](../docs/howto/webrtc.md) is a page of its own."}
CHANGEABLE = {"null": "NULL", "ready": "NULL or READY", "paused": "NULL, READY or PAUSED", "playing": "any state"}


def text(value):
    """Plain text, of which nothing means anything in Markdown or HTML"""
    return re.sub(r"([\\`*_{}\[\]#|])", r"\\\1", value).replace("&", "&amp;").replace("<", "&lt;")


def default_of(spec):
    if spec["type"] == "gchararray" and spec["default"] == "NULL":
        return "none"
    return f"`{spec['default']}`" if spec["default"] else "the empty string"


def access_of(spec):
    if not spec["writable"]:
        return "Can only be read"
    return f"Can be changed in {CHANGEABLE[spec['mutable']]}" + ("" if spec["readable"] else ", and not be read")


def enums_of(element):
    """The enumerations of the plugin that the element uses"""
    used = {spec["type"] for spec in element["properties"].values()}
    for spec in element.get("signals", {}).values():
        used |= {argument["type"] for argument in spec["args"]} | {spec["return-type"]}
    return {name: spec for name, spec in PLUGIN["other-types"].items() if name in used}


def write(directory):
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent), undefined=jinja2.StrictUndefined,
                                     keep_trailing_newline=True)
    environment.filters["text"] = text
    template = environment.get_template("element.md.j2")
    for name, place in PAGES.items():
        element = {"signals": {}, "interfaces": [], **PLUGIN["elements"][name]}
        for signal in element["signals"].values():
            signal.setdefault("action", False)
        page = directory / place
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(template.render(name=name, element=element, enums=enums_of(element), see=SEE[name],
                                        default_of=default_of, access_of=access_of), encoding="utf-8")
