#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Dask for experiments/run and pipelines/vod-benchmark.sh with --scheduler (docs/experiments.md):
#   dask.sh install                  installs Dask from PyPI, in build/dask alone (45 MB, a minute or two)
#   dask.sh scheduler [OPTION...]    starts the scheduler, by default on port 8786
#   dask.sh worker tcp://HOST:8786 [OPTION...]   starts a worker that plays one run on each core
# 'scheduler' and 'worker' install first what is missing. OPTIONs are those of 'dask scheduler' and 'dask worker'.
# Whoever reaches a scheduler's port can run programs on its workers: keep it to a network of your own.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

# This release's scheduler, workers and programs speak with each other; others may not.
VERSION=2026.8.0
directory=$ROOT/build/dask

install() {
  [ "$(cat "$directory/VERSION" 2>/dev/null)" != "$VERSION" ] || return 0
  "$ROOT/scripts/install-deps.sh" dask
  say "Installing Dask $VERSION from PyPI in $directory"
  rm -rf "$directory" "$directory.partial"
  quietly "$ROOT/build/dask.log" "$PYTHON" -m pip install --disable-pip-version-check --no-input --only-binary :all: \
    --target "$directory.partial" "distributed==$VERSION"
  echo "$VERSION" >"$directory.partial/VERSION"
  mv "$directory.partial" "$directory"
}

# start MODULE OPTION...
start() {
  install
  PYTHONPATH=$directory exec "$PYTHON" -m "distributed.cli.$1" "${@:2}"
}

case ${1:-} in
  install) install ;;
  scheduler) start dask_scheduler "${@:2}" ;;
  worker)
    [ $# -ge 2 ] || die "worker: which scheduler? For example: dask.sh worker tcp://HOST:8786"
    start dask_worker "${@:2}"
    ;;
  -h | --help) sed -n '3,8s/^# //p' "$0" ;;
  *) die "unknown command '${1:-}'; one of install, scheduler, worker" ;;
esac
