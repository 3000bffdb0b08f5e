#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The site of the documentation: its pages are collected with their links, and its check finds what is wrong. The site
# itself is made in .ci/long, as it needs mkdocs and doxygen.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/scripts/docs-site.py"
