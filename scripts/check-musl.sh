#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The library with another C library: builds it and its example with musl, linked statically and with warnings as errors, replays
# the library's fuzz corpora, and lets the example stream. 'scripts/install-deps.sh musl' installs musl-gcc. Exit status: 77 it is missing.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

at_most 0 "$@"
have musl-gcc || { say "skipped: musl-gcc is not installed" && exit 77; }
build=${BUILD_DIR:-$ROOT/build-ci/musl}
CC=musl-gcc build_project "$build" --werror -Dplugin=disabled -Dtools=disabled -Dtests=disabled -Dexamples=enabled \
  -Ddefault_library=static -Dc_link_args=-static
for target in path receiver reports sender smoother wire; do
  musl-gcc -static -std=gnu99 -Wall -Wextra -Wno-unused-parameter -Werror -I"$ROOT/lib" -I"$ROOT/lib/include" -o "$build/replay-$target" \
    "$ROOT"/tests/fuzz/{fuzz_$target,replay}.c "$build/lib/tfrc/libtfrc-internal.a" -lm
  quietly "$build/replay-$target.log" "$build/replay-$target" "$ROOT/tests/fuzz/corpus/$target"
  say "$target: $(tail -n 1 "$build/replay-$target.log")"
done
BUILD_DIR=$build "$ROOT/tests/scripts/udp-stream.sh"
say "udp-stream has streamed"
