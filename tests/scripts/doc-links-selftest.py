# SPDX-License-Identifier: LGPL-2.1-or-later
"""doc-links.py finds each kind of error in made-up pages, and none in correct pages."""

import importlib
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

doc_links = importlib.import_module("doc-links")

TREE = {
    "README.md": "# Title\n\nSee [a page](docs/page.md#the-part-twice) and [the rest][rest].\n\n[rest]: docs/page.md\n",
    "NEWS": "Nothing.\n",
    "docs/page.md": "# Page\n\n## The `part`, twice\n\n[up](../README.md) [here](#page) `lib/rate.[ch]` `rate.c`\n",
    "docs/decisions/one.md": "[back](../page.md)\n",
    "lib/rate.c": "/* See rate.h and lib/rate.h. */\n",
    "lib/rate.h": "",
}


class DocLinks(unittest.TestCase):
    def check(self, changes=None):
        """The errors that are found in TREE with these changed files."""
        with tempfile.TemporaryDirectory() as scratch:
            for path, text in {**TREE, **(changes or {})}.items():
                place = pathlib.Path(scratch, path)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")
            return doc_links.check(scratch)[0]

    def page(self, text):
        return self.check({"docs/other.md": text})

    def test_a_tree_that_is_right_has_no_errors(self):
        self.assertEqual(self.check(), [])

    def test_a_link_to_no_file_is_an_error_also_in_an_image_and_in_a_definition(self):
        for text in ("[a](gone.md)\n", "![a](gone.md)\n", "[a\nb](gone.md#page)\n", "[a]\n\n[a]: gone.md\n"):
            self.assertEqual(len(self.page(text)), 1)
            self.assertIn("leads to no file", self.page(text)[0])

    def test_a_link_to_no_heading_is_an_error(self):
        for text in ("[a](#gone)\n", "[a](page.md#gone)\n", "[a](../lib/rate.c#page)\n", "```\n# Gone\n```\n[a](#gone)\n"):
            self.assertEqual(len(self.page(text)), 1)
            self.assertIn("leads to no heading", self.page(text)[0])

    def test_a_heading_that_comes_twice_has_two_anchors(self):
        self.assertEqual(self.page("# A [b](page.md)\n# A b\n[1](#a-b) [2](#a-b-1)\n"), [])
        self.assertEqual(len(self.page("# A b\n[2](#a-b-1)\n")), 1)

    def test_a_result_that_no_page_and_no_report_links_is_an_error(self):
        there = {"results/a/report.md": "![Fig. 1](fig1.png)\n", "results/a/fig1.png": "", "results/a/runs.csv": ""}
        linked = {"docs/other.md": "[a](../results/a/report.md) [b](../results/a/runs.csv)\n"}
        self.assertEqual(self.check({**there, **linked}), [])
        self.assertEqual(self.check(there), ["results/a/report.md: no page has a link to this result",
                                             "results/a/runs.csv: no page has a link to this result"])

    def test_a_decision_that_is_not_listed_is_an_error(self):
        there = {"docs/decisions/one.md": "# One\n\n## A `b`\n\n## C\n",
                 "docs/decisions.md": "[A](decisions/one.md#a-b) [C](decisions/one.md#c)\n"}
        self.assertEqual(self.check(there), [])
        there["docs/decisions.md"] = "[A](decisions/one.md#a-b)\n"
        self.assertEqual(self.check(there), ["docs/decisions/one.md: docs/decisions.md does not list #c"])

    def test_a_reference_without_definition_is_an_error(self):
        self.assertEqual(self.page("[a][b]\n"), ["docs/other.md: [b] is not defined"])

    def test_links_to_other_hosts_and_in_code_are_not_followed(self):
        self.assertEqual(self.page("[a](https://example.org/b.md) `[a](b.md)`\n\n    [a](b.md)\n"), [])

    def test_a_path_to_no_file_is_an_error_with_and_without_backticks(self):
        for path in ("lib/gone.h", "gst/session/gone.c", "tests/gone.py", "pipelines/gone.sh", "lib/gone*.c"):
            self.assertEqual(self.page(f"In {path}.\n"), [f"docs/other.md:1: there is no file {path}"])
            self.assertEqual(self.page(f"\n`{path}`\n"), [f"docs/other.md:2: there is no file {path}"])

    def test_a_name_of_no_file_is_an_error_in_backticks(self):
        self.assertEqual(self.page("`gone.c`\n"), ["docs/other.md:1: there is no file gone.c"])
        self.assertEqual(self.page("`gone.c:function`\n"), ["docs/other.md:1: there is no file gone.c"])

    def test_both_files_of_a_pair_have_to_be_there(self):
        self.assertEqual(self.check({"docs/other.md": "`lib/one.[ch]`\n", "lib/one.c": ""}),
                         ["docs/other.md:1: there is no file lib/one.[ch]"])

    def test_wildcards_and_placeholders_are_known(self):
        self.assertEqual(self.page("`lib/r*.c` `NAME/definition.py` `/usr/lib/x.py`\n"), [])

    def test_comments_of_c_name_no_file_that_is_not_there(self):
        for comment in ("/* See gone.h. */", "/*\n * gst/gone.h */", "// lib/gone.c"):
            self.assertEqual(len(self.check({"gst/one.c": comment + "\n"})), 1)

    def test_system_headers_and_strings_of_c_are_not_looked_at(self):
        self.assertEqual(self.check({"gst/one.c": '/* <netdb.h> */ const char *a = "/* gone.h */";\n'}), [])

    def test_a_line_of_prose_may_have_100_columns_and_no_more(self):
        self.assertEqual(self.page("ä" * 100 + "\n"), [])
        self.assertEqual(self.page("ä" * 101 + "\n"), ["docs/other.md:1: 101 columns, of at most 100"])
        self.assertEqual(self.page("- a\n\n    " + "b" * 100 + "\n"), ["docs/other.md:3: 104 columns, of at most 100"])
        self.assertEqual(self.check({"NEWS": "a" * 101}), ["NEWS:1: 101 columns, of at most 100"])

    def test_tables_code_and_lines_that_are_one_link_may_be_longer(self):
        long = "a" * 101
        for text in (f"| {long} |\n", f"```\n{long}\n```\n", f"\n    {long}\n", f"[{long}](page.md)\n",
                     f"[a]: https://example.org/{long}\n"):
            self.assertEqual(self.page(text), [])


if __name__ == "__main__":
    unittest.main()
