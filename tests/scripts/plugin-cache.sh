#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# docs/plugins/gst_plugins_cache.json is what scripts/plugin-cache.py makes of the plugin as it is
# built.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
"$PYTHON" -c 'import gi; gi.require_version("Gst", "1.0")' 2>/dev/null || skip "PyGObject with GStreamer is not installed"
# A sanitizer's library cannot be loaded by a program without the sanitizer.
gst-inspect-1.0 tfrcsink >/dev/null 2>&1 || skip "the plugin cannot be loaded here"

plugin=${GST_PLUGIN_PATH_1_0%%:*}/libgsttfrc.so
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/scripts/plugin-cache.py" "$plugin" "$SCRATCH/cache.json"
cache=docs/plugins/gst_plugins_cache.json
diff -u "$ROOT/$cache" "$SCRATCH/cache.json" ||
  fail "$cache is old: $PYTHON scripts/plugin-cache.py build/gst/libgsttfrc.so $cache"
contains "$SCRATCH/cache.json" '"tfrcsrc": {'
contains "$SCRATCH/cache.json" '"rtptfrcbwe": {'
