#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The symbols that libtfrc exports are exactly the functions that its public headers declare, and
# each has a version. Run it in the build directory. Exit status: 0 passed, 1 failed, 77 there is no
# readelf.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

command -v readelf >/dev/null || {
  echo "no readelf: skipped"
  exit 77
}
library=lib/tfrc/libtfrc.so
[ -e "$library" ] || {
  echo "no shared library here: skipped"
  exit 77
}

# Comments can name functions, and declarations have several lines.
"$PYTHON" - "$ROOT"/lib/include/tfrc/*.h >"$SCRATCH/declared" <<'PYTHON'
import re
import sys

names = set()
for path in sys.argv[1:]:
    with open(path) as header:
        text = re.sub(r"/\*.*?\*/", "", header.read(), flags=re.DOTALL)
    names.update(re.findall(r"TFRC_API\s[^;(]*?(tfrc_\w+) \(", text))
print("\n".join(sorted(names)))
PYTHON
readelf --dyn-syms --wide "$library" |
  awk '$7 ~ /^[0-9]+$/ && $5 == "GLOBAL" && $4 == "FUNC" { print $8 }' >"$SCRATCH/versioned"
# A sanitizer adds symbols of its own.
sed 's/@.*//' "$SCRATCH/versioned" | grep -v '^__' | LC_ALL=C sort >"$SCRATCH/exported"
LC_ALL=C sort -o "$SCRATCH/declared" "$SCRATCH/declared"

[ "$(wc -l <"$SCRATCH/declared")" -gt 40 ] || fail "found $(wc -l <"$SCRATCH/declared") declarations only"
diff -u "$SCRATCH/declared" "$SCRATCH/exported" || fail "headers (-) and library (+) differ"
! grep -v '^__' "$SCRATCH/versioned" | grep -v '@@TFRC_[0-9]' || fail "these symbols have no version"
