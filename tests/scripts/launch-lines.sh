#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every gst-launch-1.0 line in the documentation and in the elements' own parses with the elements as they are built, and
# every line of tfrc-send and tfrc-recv has the arguments that they want.
# Lines with an element that is not installed are named and left out.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
programs=$(build_directory)/tools/stream
[ -x "$programs/tfrc-send" ] || skip "tfrc-send is not built"

read -r -a flags <<<"$(pkg-config --cflags --libs gstreamer-1.0)"
cc -o "$SCRATCH/parse-launch" "$ROOT/tests/scripts/parse-launch.c" "${flags[@]}"

# The parser of launch lines is tested first.
rejects() {
  ! "$SCRATCH/parse-launch" "$@" >/dev/null 2>&1 || fail "parsed: $*"
}
rejects
rejects fakesrc '!'
rejects fakesrc no-such-property=1 '!' fakesink
rejects fakesrc '!' no-such-element-anywhere
"$SCRATCH/parse-launch" fakesrc num-buffers=1 '!' fakesink || fail "did not parse a correct line"

documents=()
while read -r file; do
  documents+=("$file")
done < <(find "$ROOT/README.md" "$ROOT/examples/README.md" "$ROOT/docs" "$ROOT/gst" \( -name '*.md' -o -name '*.c' \) 2>/dev/null | sort)
"$PYTHON" "$ROOT/tests/scripts/launch-lines.py" "$SCRATCH/parse-launch" "$programs" "${documents[@]}"
