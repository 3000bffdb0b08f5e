#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes a site of the documentation, with search, and checks each of its links: build-docs.sh [DIRECTORY] (build-docs).
# DIRECTORY/site is static HTML for any web server, and loads nothing from elsewhere; DIRECTORY/pages is what it is made
# of. The pages are those that README.md leads to; the API of libtfrc is of its public headers, and the reference of the
# elements of their plugin's cache.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

at_most 1 "$@"
mkdir -p "${1:-$ROOT/build-docs}"
build=$(cd "${1:-$ROOT/build-docs}" && pwd)
export PAGES=$build/pages SITE=$build/site
# A run before has left its log beside them.
for made in "$PAGES" "$SITE"; do
  [ ! -e "$made" ] || [ -e "$build/doxygen.log" ] || die "$made is not from this script, which would remove it: take another directory"
done
"$ROOT/scripts/install-deps.sh" docs
rm -rf "$PAGES" "$SITE"

"$PYTHON" "$ROOT/scripts/site/pages.py" collect "$PAGES"
{
  cat "$ROOT/scripts/site/Doxyfile"
  printf 'INPUT = %s/lib/include/tfrc\nOUTPUT_DIRECTORY = %s\nHTML_EXTRA_STYLESHEET = %s/scripts/site/phone.css\n' "$ROOT" "$PAGES" "$ROOT"
} | quietly "$build/doxygen.log" doxygen -
{
  printf 'INHERIT: %s/scripts/site/mkdocs.yml\nnav: ' "$ROOT"
  "$PYTHON" "$ROOT/scripts/site/pages.py" navigation
} >"$build/mkdocs.yml"
quietly "$build/mkdocs.log" mkdocs build --strict --config-file "$build/mkdocs.yml"
"$PYTHON" "$ROOT/scripts/site/pages.py" check "$SITE"
say "$SITE/index.html"
