#!/usr/bin/env bash
# Each public header compiles alone, as C99 and as C++, without a warning and without anything included before it.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

compiler=${CC:-cc}
have clang && compiler=clang
status=0
for header in "$ROOT"/lib/tfrc/tfrc.h "$ROOT"/lib/tfrc/wire.h "$ROOT"/lib/tfrc/path.h; do
  for language in "c -std=c99" "c++ -std=c++11"; do
    # shellcheck disable=SC2086 # the language and its standard are words of their own
    "$compiler" -x $language -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$ROOT/lib" - <<<"#include \"$header\"" &&
      continue
    say "$header does not compile alone as ${language%% *}"
    status=1
  done
done
exit $status
