#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# At most two sources use the fields of an object. A test of its own, since this needs libclang, which
# comes with clang.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

export PYTHONDONTWRITEBYTECODE=1
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "Python is older than 3.10"
"$PYTHON" -c 'import sys; sys.path.insert(0, sys.argv[1]); import house_structs; sys.exit(house_structs.library() is None)' \
  "$ROOT/tests/scripts" || skip "libclang is not installed"
"$PYTHON" "$ROOT/tests/scripts/house.py" --build "$(build_directory)" --fields
