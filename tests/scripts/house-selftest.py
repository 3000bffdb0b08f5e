# SPDX-License-Identifier: LGPL-2.1-or-later
"""house.py finds each kind of error in made-up trees, and none in a tree that keeps the rules."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import house  # noqa: E402

LAYERS = {"lib/tfrc": (), "gst": ("lib/tfrc",), "batch": (), "pipelines/demo": ("batch",),
          "experiments": ("batch",)}
TREE = {
    "lib/tfrc/rate.h": "#include <stdint.h>\n",
    "lib/tfrc/rate.c": '#include "rate.h"\n#include <math.h>\n',
    "gst/sink-private.h": '#include "sink.h"\n',
    "gst/sink.h": "#include <gst/gst.h>\n",
    "gst/sink.c": '#include "sink-private.h"\n#include <tfrc/rate.h>\n',
    "gst/uri.h": "",
    "batch/__init__.py": "",
    "batch/store.py": "import json\nimport pandas\n",
    "batch/runner.py": "from . import store\n",
    "pipelines/demo/play.py": "import stats\nfrom batch import runner\n",
    "pipelines/demo/stats.py": "",
    "experiments/run.py": "from batch.runner import play\n",
    "build/made.c": '#include "../gst/sink.h"\n',
}


class House(unittest.TestCase):
    def check(self, changes=None, **tables):
        """The errors that are found in TREE with these changed files."""
        with tempfile.TemporaryDirectory() as scratch:
            for path, text in {**TREE, **(changes or {})}.items():
                place = pathlib.Path(scratch, path)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text)
            return house.check(scratch, LAYERS, **tables)[0]

    def test_a_tree_that_keeps_the_rules_has_no_errors(self):
        self.assertEqual(self.check(), [])

    def test_an_include_of_a_higher_layer_is_an_error_however_it_is_written(self):
        for include in ('"../../gst/uri.h"', '"../../lib/../gst/uri.h"'):
            wrong = self.check({"lib/tfrc/rate.c": f"\n  #  include {include}\n"})
            self.assertEqual(wrong, [f"lib/tfrc/rate.c:2: lib/tfrc may not depend on gst ({include[1:-1]})"])

    def test_a_system_header_that_the_library_may_not_have_is_an_error(self):
        self.assertEqual(self.check({"lib/tfrc/rate.c": "#include <glib.h>\n"}),
                         ["lib/tfrc/rate.c:1: lib/tfrc may not include <glib.h>"])

    def test_an_import_of_a_layer_that_the_table_does_not_allow_is_an_error(self):
        for text in ("import play\n", "from play import main\n", "def late():\n    import play\n"):
            line = text.count("\n")
            wrong = self.check({"experiments/run.py": text})
            self.assertEqual(len(wrong), 1)
            self.assertIn(f"experiments/run.py:{line}: experiments may not depend on pipelines/demo (play", wrong[0])

    def test_an_import_upwards_by_a_package_is_an_error(self):
        wrong = self.check({"batch/runner.py": "from . import store\nimport stats\n"})
        self.assertEqual(wrong, ["batch/runner.py:2: batch may not depend on pipelines/demo (stats)"])

    def test_a_library_that_the_layer_may_not_have_is_an_error(self):
        self.assertEqual(self.check({"batch/store.py": "import yaml\n"}), ["batch/store.py:1: batch may not import yaml"])

    def test_headers_that_include_each_other_are_a_circle(self):
        wrong = self.check({"gst/sink.h": '#include "queue.h"\n', "gst/queue.h": '#include "sink.h"\n'})
        self.assertEqual(wrong, ["a circle of dependencies: gst/queue, gst/sink"])

    def test_a_source_and_a_header_of_another_pair_make_a_circle_too(self):
        tree = {"lib/tfrc/rate.c": '#include "timer.h"\n', "lib/tfrc/timer.h": '#include "rate.h"\n'}
        self.assertEqual(self.check(tree), ["a circle of dependencies: lib/tfrc/rate, lib/tfrc/timer"])
        self.assertEqual(self.check(tree, circles=[{"lib/tfrc/rate", "lib/tfrc/timer"}]), [])

    def test_modules_that_import_each_other_are_a_circle(self):
        self.assertEqual(self.check({"batch/store.py": "from .runner import play\n"}),
                         ["a circle of dependencies: batch/runner.py, batch/store.py"])

    def test_a_circle_of_three_is_found(self):
        wrong = self.check({"batch/store.py": "from . import keys\n", "batch/keys.py": "from batch import runner\n"})
        self.assertEqual(wrong, ["a circle of dependencies: batch/keys.py, batch/runner.py, batch/store.py"])

    def test_a_file_of_no_layer_is_an_error(self):
        self.assertEqual(self.check({"tools/meter.c": ""}), ["tools/meter.c: no layer of the table holds this file"])

    def test_a_pair_that_is_allowed_all_the_same_has_to_be_there(self):
        pair = ("lib/tfrc/rate.c", "gst/uri.h")
        self.assertEqual(self.check({pair[0]: '#include "../../gst/uri.h"\n'}, upwards={pair}), [])
        self.assertIn("take the pair from the list UPWARDS", *self.check(upwards={pair}))

    def test_a_file_may_have_400_lines_and_no_more_unless_it_is_listed(self):
        self.assertEqual(self.check({"gst/sink.sh": "\n" * 700}), [])
        self.assertEqual(self.check({"gst/sink.sh": "\n" * 701}), ["gst/sink.sh: 701 lines, of at most 700"])
        self.assertEqual(self.check({"gst/sink.sh": "\n" * 701}, long={"gst/sink.sh"}), [])
        self.assertIn("take it from the list LONG", *self.check({"gst/sink.sh": "\n"}, long={"gst/sink.sh"}))


if __name__ == "__main__":
    unittest.main()
