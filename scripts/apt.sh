# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# apt with the rights of root, for scripts/install-deps.sh and scripts/guest-kernel.sh. Source it after common.sh.

can_be_root() {
  [ "$(id -u)" = 0 ] || have sudo
}

# as_root COMMAND...: runs it as root, for other users through sudo, without questions of apt's.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

read_package_lists() {
  say "Reading the package lists (apt-get update)"
  as_root apt-get update -qq
}
