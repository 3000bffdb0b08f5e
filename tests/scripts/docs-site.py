# SPDX-License-Identifier: LGPL-2.1-or-later
"""scripts/site/pages.py: which pages the site gets, and which errors of a finished site are found."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/site"))

import pages  # noqa: E402  pylint: disable=wrong-import-position

SITE = {
    "index.html": '<a href="docs/page.html#part">part</a> <a href="https://example.org">elsewhere</a>',
    "docs/page.html": '<h2 id="part">Part</h2> <a href="../index.html">up</a> <img src="picture.png"> <a href="#part">here</a>',
    "docs/picture.png": "",
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


class Check(Scratch):
    def check(self, **changes):
        for path, text in {**SITE, **changes}.items():
            place = self.directory / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        with contextlib.redirect_stdout(self.output):
            return pages.check(self.directory)

    def assert_error(self, text, error):
        self.assertEqual(self.check(**{"index.html": text}), 1)
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

    def test_an_empty_site_is_an_error(self):
        with contextlib.redirect_stdout(self.output):
            self.assertEqual(pages.check(self.directory), 1)


if __name__ == "__main__":
    unittest.main()
