#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Formats every C and C++ file as .clang-format says; with --check it only tells which files differ.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
[ "$*" = --check ] || at_most 0 "$@"
cd "$ROOT"
# Each version of clang-format formats a little differently. Debian 12 has this one; elsewhere: pip install clang-format==14.0.6
readonly VERSION=14
found=$(clang-format --version 2>/dev/null | sed -n 's/.*version \([0-9]*\)\..*/\1/p') || true
[ "$found" = $VERSION ] || die "clang-format $VERSION is needed, found ${found:-none}; 'pip install clang-format==14.0.6' installs it"
options=(-i)
[ "${1:-}" != --check ] || options=(--dry-run --Werror)
{ git ls-files '*.c' '*.h' '*.cc'; git ls-files --others --exclude-standard '*.c' '*.h' '*.cc'; } | sort -u |
  while read -r file; do if [ -e "$file" ]; then echo "$file"; fi; done | xargs clang-format "${options[@]}"
