# SPDX-License-Identifier: LGPL-2.1-or-later
"""house.py finds each kind of error in made-up trees, and none in a tree that keeps the rules."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import house  # noqa: E402
import house_calls  # noqa: E402
import house_structs  # noqa: E402

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

    def test_a_circle_that_is_allowed_all_the_same_has_to_be_there(self):
        self.assertIn("take the entry from the list CIRCLES", *self.check(circles=[{"lib/tfrc/rate", "lib/tfrc/timer"}]))

    def test_a_unit_is_a_layer_of_its_own_if_the_table_names_it(self):
        layers = {"gst/io": (), "gst/io/address": (), "gst/flow": ("gst/io/address",)}
        for path in ("gst/io/address.h", "gst/io/address-private.h", "gst/io/address.c"):
            self.assertEqual(house.layer_of(path, layers), "gst/io/address")
        self.assertEqual(house.layer_of("gst/io/addressfilter.h", layers), "gst/io")

    def test_a_unit_may_have_700_lines_and_no_more_unless_it_is_listed(self):
        self.assertEqual(self.check({"gst/sink.sh": "\n" * 700}), [])
        self.assertEqual(self.check({"gst/sink.sh": "\n" * 701}), ["gst/sink.sh: 701 lines, of at most 700"])
        self.assertEqual(self.check({"gst/sink.sh": "\n" * 701}, long={"gst/sink.sh"}), [])
        self.assertIn("take it from the list LONG", *self.check({"gst/sink.sh": "\n"}, long={"gst/sink.sh"}))

    def test_a_unit_has_the_lines_of_its_source_and_both_headers(self):
        unit = {"gst/long.c": "\n" * 400, "gst/long.h": "\n" * 200, "gst/long-private.h": "\n" * 100}
        self.assertEqual(self.check(unit), [])
        self.assertEqual(self.check({**unit, "gst/long.h": "\n" * 201}), ["gst/long: 701 lines, of at most 700"])


class Built(unittest.TestCase):
    """Sources with a build directory; what is wrong with them can only be seen in what the compiler
    makes of them."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        (self.root / "build").mkdir()

    def write(self, files):
        for path, text in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)
        sources = [path for path in sorted(files) if path.endswith(".c")]
        entries = [{"directory": str(self.root / "build"), "file": f"../{path}", "output": path.replace("/", "_") + ".o",
                    "command": f"cc -I.. -c ../{path} -o {path.replace('/', '_')}.o"} for path in sources]
        (self.root / "build/compile_commands.json").write_text(json.dumps(entries))
        return house_calls.commands(self.root, self.root / "build")

    def call_circles(self, files, known=()):
        entries = self.write(files)
        for entry in entries.values():
            subprocess.run(entry["command"].split(), cwd=entry["directory"], check=True)
        return list(house.call_circles(self.root, entries, list(known)))

    CIRCLE = {"gst/push.c": "void pull (void); void push (void) { pull (); }",
              "gst/pull.c": "void push (void); void pull (void) { push (); }"}

    def test_sources_that_call_downwards_only_are_no_circle(self):
        self.assertEqual(self.call_circles({**self.CIRCLE, "gst/pull.c": "void pull (void) {}"}), [])

    def test_sources_that_call_each_other_are_a_circle_without_any_include(self):
        self.assertEqual(self.call_circles(self.CIRCLE), ["sources call each other in a circle: gst/pull.c, gst/push.c"])
        self.assertEqual(self.call_circles(self.CIRCLE, [{"gst/pull.c", "gst/push.c"}]), [])

    def test_a_function_in_a_table_is_called_too(self):
        files = {"gst/push.c": "void pull (void); void (*const table[]) (void) = { pull };",
                 "gst/pull.c": "extern void (*const table[]) (void); void pull (void) { table[0] (); }"}
        self.assertEqual(len(self.call_circles(files)), 1)

    def test_three_sources_that_call_in_a_circle_are_found(self):
        files = {**self.CIRCLE, "gst/pull.c": "void pour (void); void pull (void) { pour (); }",
                 "lib/pour.c": "void push (void); void pour (void) { push (); }"}
        self.assertEqual(self.call_circles(files), ["sources call each other in a circle: gst/pull.c, gst/push.c, lib/pour.c"])

    def test_a_static_function_of_the_same_name_is_not_called(self):
        files = {"gst/push.c": "void pull (void); static void help (void) {} void push (void) { help (); pull (); }",
                 "gst/pull.c": "void help (void) {} void pull (void) { help (); }"}
        self.assertEqual(self.call_circles(files), [])

    def test_a_circle_of_calls_that_is_allowed_all_the_same_has_to_be_there(self):
        files = {**self.CIRCLE, "gst/pull.c": "void pull (void) {}"}
        self.assertIn("take the entry from the list CALL_CIRCLES", *self.call_circles(files, [{"gst/pull.c", "gst/push.c"}]))

    def test_a_build_without_objects_is_an_error(self):
        entries = self.write(self.CIRCLE)
        self.assertEqual(list(house.call_circles(self.root, entries, [])), ["the build directory has no objects that call each other"])

    QUEUE = {"gst/queue.h": "typedef struct _Queue { int used; union { int a; struct { int deep; } b; } u; } Queue; void queue_init (Queue *);",
             "gst/queue.c": '#include "gst/queue.h"\nvoid queue_init (Queue * queue) { queue->used = 0; }',
             "gst/one.c": '#include "gst/queue.h"\nint one (Queue * queue) { return queue->used; }'}

    def crowded(self, files, known=None, values=frozenset()):
        if house_structs.library() is None:
            self.skipTest("libclang is not installed")
        entries = self.write(files)
        return list(house.crowded(self.root, entries, str(self.root / "build"), known or {}, set(values)))

    def test_two_sources_may_use_the_fields_of_an_object(self):
        self.assertEqual(self.crowded(self.QUEUE), [])

    def test_a_third_source_may_not_however_it_reaches_them(self):
        for text in ("int two (Queue * queue) { return queue->used; }",
                     "typedef struct { Queue queue; } Outer; int two (Outer * outer) { return outer->queue.used; }",
                     "int two (Queue * queue) { return queue->u.b.deep; }",
                     "#define USED(q) ((q)->used)\nint two (Queue * queue) { return USED (queue); }",
                     "Queue two = {.used = 1 };",
                     "unsigned long two = __builtin_offsetof (Queue, used);",
                     "typedef Queue Alias; int two (const Alias * alias) { return (*alias).used; }"):
            wrong = self.crowded({**self.QUEUE, "lib/two.c": f'#include "gst/queue.h"\n{text}'})
            self.assertEqual(wrong, ["gst/queue.h: 3 sources use the fields of Queue, at most 2 may: gst/one.c, gst/queue.c, lib/two.c"], text)

    def test_a_field_of_the_same_name_in_another_struct_does_not_count(self):
        files = {**self.QUEUE, "gst/two.c": '#include "gst/queue.h"\nstruct other { int used; }; int two (struct other * o) { return o->used; }'}
        self.assertEqual(self.crowded(files), [])

    def test_an_anonymous_struct_with_a_typedef_is_an_object_too(self):
        header = "typedef struct { int used; union { int a; struct { int deep; } b; } u; } Queue; Queue * queue_new (void); "
        files = {**self.QUEUE, "gst/queue.h": header + "void queue_init (Queue *);",
                 "gst/two.c": '#include "gst/queue.h"\nint two (Queue * queue) { return queue->used; }'}
        self.assertEqual(len(self.crowded(files)), 1)

    def test_data_and_values_may_be_used_by_all(self):
        use = '#include "gst/queue.h"\nint two (Queue * queue) { return queue->used; }'
        self.assertEqual(self.crowded({**self.QUEUE, "gst/two.c": use}, values={"Queue"}), [])
        plain = {path: text.replace("queue_init", "queue_count") for path, text in self.QUEUE.items()}
        other = {"gst/other.h": "typedef struct { int n; } Other; void other_free (Other *);",
                 "gst/other.c": '#include "gst/other.h"\nvoid other_free (Other * other) { other->n = 0; }'}
        self.assertEqual(self.crowded({**plain, **other, "gst/two.c": use}), [])
        config = {path: text.replace("Queue", "QueueConfig") for path, text in {**self.QUEUE, "gst/two.c": use}.items()}
        self.assertEqual(self.crowded({**config, **other}), [])

    def test_a_struct_in_a_private_header_is_an_object_whatever_its_functions(self):
        files = {path.replace("queue.h", "queue-private.h"): text.replace("queue.h", "queue-private.h").replace("queue_init", "queue_count")
                 for path, text in self.QUEUE.items()}
        files["gst/two.c"] = '#include "gst/queue-private.h"\nint two (Queue * queue) { return queue->used; }'
        self.assertEqual(len(self.crowded(files)), 1)

    def test_the_exceptions_hold_for_the_listed_sources_and_have_to_be_needed(self):
        three = {**self.QUEUE, "gst/two.c": '#include "gst/queue.h"\nint two (Queue * queue) { return queue->used; }'}
        listed = {"Queue": {"gst/one.c", "gst/queue.c", "gst/two.c"}}
        self.assertEqual(self.crowded(three, listed), [])
        four = {**three, "gst/new.c": three["gst/two.c"].replace("two", "other")}
        self.assertIn("4 sources use the fields of Queue", *self.crowded(four, listed))
        self.assertIn("take it from the list CROWDED", *self.crowded(self.QUEUE, listed))
        self.assertIn("take them from the list CROWDED", *self.crowded(three, {"Queue": {*listed["Queue"], "gst/gone.c"}}))

    def test_a_source_that_cannot_be_parsed_is_an_error(self):
        self.assertIn("no-such.h", *self.crowded({**self.QUEUE, "gst/two.c": '#include "no-such.h"\n'}))

    def test_a_change_of_a_header_is_seen_although_results_are_remembered(self):
        files = {**self.QUEUE, "gst/two.c": '#include "gst/macro.h"\nint two (Queue * queue) { return USED (queue); }',
                 "gst/macro.h": '#include "gst/queue.h"\n#define USED(q) (q != 0)\n'}
        self.assertEqual(self.crowded(files), [])
        self.assertTrue(os.path.exists(self.root / "build/house-structs.json"))
        self.assertEqual(len(self.crowded({**files, "gst/macro.h": '#include "gst/queue.h"\n#define USED(q) ((q)->used)\n'})), 1)


if __name__ == "__main__":
    unittest.main()
