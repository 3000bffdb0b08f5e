# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of scripts/changed-tests.py with tables made by hand, and of the table tests/folders.txt itself."""

import importlib.util
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
spec = importlib.util.spec_from_file_location("changed_tests", ROOT / "scripts/changed-tests.py")
changed_tests = importlib.util.module_from_spec(spec)
spec.loader.exec_module(changed_tests)

TESTS = {"equation": ["lib"], "lan": ["lib", "long"], "socket": ["threads"], "house": ["scripts"], "demo": ["scripts"],
         "demo-report": ["scripts"], "rpm": ["packages"]}
TABLE = """
# a comment
*              house
gst/           * !@lib
gst/io         socket   # a longer path counts
pipelines/     demo*
debian/        rpm
"""


def names_in_meson_build():
    """What tests/meson.build calls tests, and the suites that it knows."""
    text = (ROOT / "tests/meson.build").read_text()
    return set(re.findall(r"'([a-z0-9_-]+)'", text)) | {"scale-gate"}


class Selection(unittest.TestCase):
    def need(self, expected, *paths):
        self.assertEqual(expected, changed_tests.needed_by(paths, TABLE, TESTS))

    def test_without_a_change_only_what_always_runs(self):
        self.need({"house"})

    def test_names_and_globs(self):
        self.need({"house", "demo", "demo-report"}, "pipelines/demo.sh")

    def test_a_suite_is_taken_away(self):
        self.need(set(TESTS) - {"equation", "lan", "rpm"}, "gst/tfrcsink/tfrcsink.c")

    def test_the_longest_path_counts(self):
        self.need({"house", "socket"}, "gst/io/socket.c")

    def test_an_unknown_file_needs_all(self):
        self.need(set(TESTS) - {"rpm"}, "Makefile", "gst/io/socket.c")

    def test_a_script_that_is_a_test_needs_itself(self):
        self.need({"house", "demo-report"}, "tests/scripts/demo-report.py")

    def test_what_the_scripts_share_needs_all(self):
        self.need(set(TESTS) - {"rpm"}, "tests/scripts/lib.sh")

    def test_packages_are_built_where_the_table_names_them(self):
        self.need({"house", "rpm"}, "debian/control")

    def test_the_list_of_meson_is_read(self):
        text = "ninja: no work\ngst-tfrc:lib+long / lan\ngst-tfrc:scripts / demo-report\n"
        self.assertEqual({"lan": ["lib", "long"], "demo-report": ["scripts"]}, changed_tests.parse_list(text))


class Table(unittest.TestCase):
    def setUp(self):
        self.rows, self.always = changed_tests.read_table(changed_tests.TABLE.read_text())

    def test_paths_exist(self):
        files = [path.relative_to(ROOT).as_posix() for top in (ROOT / row[0].split("/")[0] for row in self.rows)
                 for path in ([top] if top.is_file() else top.rglob("*"))]
        for path, _ in self.rows:
            self.assertTrue(any(name.startswith(path.rstrip("/")) for name in files), path)

    def test_words_name_tests(self):
        known = names_in_meson_build() | {"fuzz", "tools", "scripts", "elements", "threads", "lib"}
        for word in self.always + [word for _, words in self.rows for word in words]:
            found = changed_tests.fnmatch.filter(known, word.lstrip("!@"))
            self.assertTrue(found, word)


class Meson(unittest.TestCase):
    """With BUILD, the build directory"""

    def test_all_that_the_table_may_name_is_listed_and_runs(self):
        build = os.environ.get("BUILD")
        if not build:
            self.skipTest("no build directory")
        tests = changed_tests.list_tests(build)
        self.assertEqual({"dist", "packages", "rpm"}, {name for name, suites in tests.items() if "packages" in suites})
        command = ["meson", "test", "-C", build, "--no-rebuild", "--list", *changed_tests.MESON_OPTIONS, "rpm", "release"]
        listed = subprocess.run(command, check=True, capture_output=True, text=True)
        self.assertEqual({"rpm", "release"}, set(changed_tests.parse_list(listed.stdout)))


if __name__ == "__main__":
    unittest.main()
