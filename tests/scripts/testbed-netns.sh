#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The testbed's back end 'netns' on this host: jobs, statuses, limits, and that no namespace or process stays behind.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || skip "only root can make network namespaces"
"$PYTHON" -c 'import yaml' 2>/dev/null || skip "Python has no yaml"
for command in ip tc sysctl; do
  have $command || skip "$command is not installed"
done
ip netns add "testbed-probe-$$" 2>/dev/null || skip "this system has no network namespaces for us"
inside=yes
ip netns exec "testbed-probe-$$" true 2>/dev/null || inside=""
ip netns delete "testbed-probe-$$"
[ -n "$inside" ] || skip "nothing can be run in a network namespace here (in a chroot it cannot)"

BUILD_DIR=$SCRATCH/build PYTHONDONTWRITEBYTECODE=1 \
  "$PYTHON" "$ROOT/tests/scripts/testbed-netns.py" "$ROOT/pipelines" "$SCRATCH"
