#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Checks that each public header compiles alone, as C99 and as C++, without a warning; that meson
# installs each public header; and that no internal header has the name of a public one.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

compiler=${CC:-cc}
have clang && compiler=clang
status=0
for header in "$ROOT"/lib/include/tfrc/*.h; do
  name=$(basename "$header")
  grep -qF "'../include/tfrc/$name'" "$ROOT/lib/tfrc/meson.build" || {
    say "lib/tfrc/meson.build does not install $name"
    status=1
  }
  if [ -e "$ROOT/lib/tfrc/$name" ]; then
    say "$name is both a public and an internal header"
    status=1
  fi
  for language in "c -std=c99" "c++ -std=c++11"; do
    # shellcheck disable=SC2086 # the language and its standard are words of their own
    "$compiler" -x $language -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$ROOT/lib/include" - <<<"#include \"$header\"" &&
      continue
    say "$header does not compile alone as ${language%% *}"
    status=1
  done
done
exit $status
