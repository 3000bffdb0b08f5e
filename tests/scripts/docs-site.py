# SPDX-License-Identifier: LGPL-2.1-or-later
"""scripts/site/pages.py: which pages the site gets, what those of the elements have, and which errors of a finished site
are found."""
import contextlib
import io
import json
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/site"))

import elements  # noqa: E402  pylint: disable=wrong-import-position
import pages  # noqa: E402  pylint: disable=wrong-import-position

PLUGIN = json.loads((ROOT / "docs/plugins/gst_plugins_cache.json").read_text(encoding="utf-8"))["tfrc"]
STYLE = (ROOT / "scripts/site/phone.css").read_text(encoding="utf-8")
VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">'
HEAD = VIEWPORT + '<link rel="stylesheet" href="{}phone.css">'
SITE = {
    "index.html": HEAD.format("") + '<a href="docs/page.html#part">part</a> <a href="https://example.org">elsewhere</a>',
    "docs/page.html": HEAD.format("../")
                      + '<h2 id="part">Part</h2> <a href="../index.html">up</a> <img src="picture.png"> <a href="#part">here</a>',
    "docs/picture.png": "",
    "phone.css": STYLE,
}


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        self.output = io.StringIO()


class Collect(Scratch):
    def setUp(self):
        super().setUp()
        with contextlib.redirect_stdout(self.output):
            pages.collect(self.directory)

    def read(self, path):
        return (self.directory / path).read_text(encoding="utf-8")

    def test_pages_that_the_readme_leads_to_are_there(self):
        for path in ("README.md", "docs/wire-format.md", "docs/decisions/rate.md", "docs/images/demo.png"):
            self.assertTrue((self.directory / path).is_file(), path)

    def test_a_public_header_is_a_page_of_the_api(self):
        self.assertIn("](api/wire_8h.html)", self.read("README.md"))
        self.assertFalse((self.directory / "lib/include").exists())

    def test_a_source_file_is_a_page_of_its_own(self):
        self.assertIn("](minimal-sender.c.md)", self.read("examples/README.md"))
        self.assertTrue(self.read("examples/minimal-sender.c.md").startswith("# examples/minimal-sender.c\n\n````c\n"))

    def test_the_navigation_has_the_sections_of_the_readme_and_its_pages_are_there(self):
        sections = {name: entries for part in pages.navigation() for name, entries in part.items()}
        self.assertIn("docs/howto/install.md", sections["to do a task"])
        for entry in sum((entries for entries in sections.values() if isinstance(entries, list)), []):
            place = entry if isinstance(entry, str) else next(iter(entry.values()))
            self.assertTrue(place.startswith("api/") or (self.directory / place).is_file(), place)

    def test_the_elements_are_a_section_of_their_own(self):
        self.assertEqual(pages.navigation()[-1], {"the elements": [f"elements/{name}.md" for name in PLUGIN["elements"]]})


class Elements(Scratch):
    """The page of each element"""

    def setUp(self):
        super().setUp()
        elements.write(self.directory)

    def section(self, element, head, name):
        """The text of a part of a page, such as that of a property"""
        text = (self.directory / f"elements/{element}.md").read_text(encoding="utf-8")
        part = re.search(rf"^## {head}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
        found = re.findall(rf"^### {re.escape(name)}\n(.*?)(?=^### |\Z)", part[1], re.DOTALL | re.MULTILINE) if part else []
        self.assertEqual(len(found), 1, (element, head, name))
        return found[0]

    def test_each_pad_property_and_signal_of_the_plugin_is_there(self):
        for name, element in PLUGIN["elements"].items():
            for pad, template in element["pad-templates"].items():
                self.assertIn(template["caps"], self.section(name, "Pads", pad))
            for spec_name, spec in element["properties"].items():
                text = self.section(name, "Properties", spec_name)
                self.assertIn(elements.text(spec["blurb"]), text)
                self.assertIn(spec["type"], text)
                self.assertEqual("min" in spec, f"Range: {spec.get('min')} to {spec.get('max')}" in text, (name, spec_name))
                self.assertEqual(spec["writable"], "Can be changed" in text, (name, spec_name))
            for signal, spec in element.get("signals", {}).items():
                text = self.section(name, "Signals", signal)
                self.assertEqual(spec.get("action", False), "Action signal" in text, (name, signal))

    def test_each_enumeration_that_an_element_uses_is_there_with_its_values(self):
        for name, element in PLUGIN["elements"].items():
            for enum in elements.enums_of(element):
                text = self.section(name, "Enumerations", enum)
                for value in PLUGIN["other-types"][enum]["values"]:
                    self.assertIn(f"- `{value['name']}` ({value['value']}): ", text)

    def test_links_lead_to_a_heading_or_to_a_page(self):
        for place in elements.PAGES.values():
            text = (self.directory / place).read_text(encoding="utf-8")
            heads = [head.lower() for head in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
            self.assertEqual(len(heads), len(set(heads)), place)  # a second one would have another anchor
            targets = re.findall(r"\]\(([^)]*)\)", text)
            self.assertTrue(targets)
            for target in targets:
                if target.startswith("#"):
                    self.assertIn(target[1:], heads)
                else:
                    self.assertTrue((ROOT / "elements" / target).resolve().is_file(), target)

    def test_a_property_says_type_range_default_and_when_it_can_be_changed(self):
        text = self.section("rtptfrcbwe", "Properties", "min-bitrate")
        self.assertEqual(text.strip().splitlines()[2:], ["- Type: `guint`", "- Range: 1 to 4294967295", "- Default: `1000`",
                                                         "- Can be changed in any state"])
        self.assertIn("- Default: none\n- Can be changed in NULL or READY, and not be read",
                      self.section("tfrcsink", "Properties", "passphrase"))

    def test_text_stays_text(self):
        self.assertEqual(elements.text("a_b *c* <d> & [e](f)"), r"a\_b \*c\* &lt;d> &amp; \[e\](f)")


class Check(Scratch):
    def check(self, **changes):
        for path, text in {**SITE, **changes}.items():
            place = self.directory / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        with contextlib.redirect_stdout(self.output):
            return pages.check(self.directory)

    def assert_error(self, text, error):
        self.assertEqual(self.check(**{"index.html": HEAD.format("") + text}), 1)
        self.assertEqual(self.output.getvalue().splitlines()[0], f"index.html: {error}")

    def test_a_site_that_is_right_has_no_errors(self):
        self.assertEqual(self.check(), 0)
        self.assertEqual(self.output.getvalue().splitlines()[-1], "4 links of 2 pages, 0 errors")

    def test_a_link_to_no_file_is_found(self):
        self.assert_error('<a href="docs/other.html">', "docs/other.html: no file")

    def test_a_picture_that_is_missing_is_found(self):
        self.assert_error('<img src="other.png">', "other.png: no file")

    def test_an_anchor_that_is_missing_is_found(self):
        self.assert_error('<a href="docs/page.html#other">', "docs/page.html#other: no element")

    def test_a_file_that_is_loaded_from_elsewhere_is_found(self):
        self.assert_error('<script src="https://example.org/a.js">', "loads https://example.org/a.js")

    def test_a_page_that_a_phone_shows_as_one_of_a_desk_is_found(self):
        self.assertEqual(self.check(**{"index.html": SITE["index.html"].replace(VIEWPORT, "")}), 1)
        self.assertEqual(self.output.getvalue().splitlines()[0], "index.html: no viewport for phones")

    def assert_wide(self, element, rule):
        """A site whose style sheet has this rule for the element, and one that is right for each other element"""
        rules = {"img": "img { max-width: 100% }", "table": ".a table:not([class]), b { overflow:auto }", "pre": "pre { overflow-x: scroll }"}
        self.assertEqual(self.check(**{"phone.css": "\n".join({**rules, element: rule}.values())}), 1)
        self.assertEqual(self.output.getvalue().splitlines()[:-1],
                         [f"{page}: <{element}> can be wider than a phone" for page in ("docs/page.html", "index.html")])

    def test_a_picture_that_can_be_wider_than_a_phone_is_found(self):
        self.assert_wide("img", "img { max-width: 90em }")

    def test_a_table_that_can_be_wider_than_a_phone_is_found(self):
        self.assert_wide("table", "@media print { b { top: 0 } table { overflow-x: auto } }")

    def test_code_that_can_be_wider_than_a_phone_is_found(self):
        self.assert_wide("pre", "/* pre { overflow-x: auto } */ pre code { overflow-x: auto }")

    def test_an_empty_site_is_an_error(self):
        with contextlib.redirect_stdout(self.output):
            self.assertEqual(pages.check(self.directory), 1)


if __name__ == "__main__":
    unittest.main()
