#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What tests/vectors/generate.py computes has the rows and the sums that tests/vectors/anchors keeps, and the build has generated
# the same files.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

anchors=$ROOT/tests/vectors/anchors
"$PYTHON" -B "$ROOT/tests/vectors/generate.py" --anchors "$SCRATCH"
diff -u -r "$anchors" "$SCRATCH" || fail "generate.py computes other numbers (+) than tests/vectors/anchors has (-)"

generated=$(build_directory)/tests/vectors
[ -d "$generated" ] || fail "the build has generated no $generated"
(cd "$generated" && sha256sum --check --quiet --strict "$anchors/SHA256SUMS") || fail "the files that the build has generated differ"
