# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# What the script tests share; source it first. SCRATCH is a directory of the test's own, removed at its end.
# A test exits 0 (passed), 1 (failed) or 77 (skipped, since the machine lacks what it needs).

# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

skip() {
  printf 'skipped: %s\n' "$*"
  exit 77
}

# needs_namespaces_and COMMAND...: skips the test if there are no network namespaces or no such
# command
needs_namespaces_and() {
  local command
  [ "$(id -u)" = 0 ] || skip "only root can make network namespaces"
  for command in ip sysctl "$@"; do
    have "$command" || skip "$command is not installed"
  done
}

# contains FILE TEXT
contains() {
  grep -qF -- "$2" "$1" && return
  cat "$1" >&2
  fail "'$2' is not in the above"
}

# equals WHAT EXPECTED ACTUAL
equals() {
  [ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}

# wait_until SECONDS COMMAND...: polls. The limit only ends a wait that would last for ever.
wait_until() {
  local limit=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $limit ] || return 1
    sleep 0.1
  done
}

# A UDP port that no program has
free_port() {
  "$PYTHON" -c 'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("", 0)); print(s.getsockname()[1])'
}

# Meson runs tests in the build directory; by hand it is build/ or BUILD_DIR.
build_directory() {
  if [ -n "${BUILD_DIR:-}" ]; then
    echo "$BUILD_DIR"
  elif [ -f build.ninja ]; then
    pwd
  else
    echo "$ROOT/build"
  fi
}

use_built_plugin() {
  use_plugin "$(build_directory)" || skip "the plugin is not built"
  export GST_REGISTRY_1_0="$SCRATCH/registry.bin"
}
