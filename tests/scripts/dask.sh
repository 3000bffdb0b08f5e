#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# --scheduler: the jobs of experiments/run on a Dask scheduler and two workers, of which one is killed.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import jinja2, matplotlib, numpy, pandas' 2>/dev/null || skip "no jinja2, matplotlib, numpy and pandas"
"$ROOT/scripts/dask.sh" install >"$SCRATCH/install" 2>&1 || skip "Dask cannot be installed: $(tail -n 3 "$SCRATCH/install")"
"$PYTHON" "$ROOT/tests/scripts/dask.py"
