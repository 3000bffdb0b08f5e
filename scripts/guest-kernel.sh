#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Downloads the kernel of the testbed's guest (docs/testbed.md) and unpacks it in build-kernel/unpacked, for all build
# directories: 70 MB on Debian 12 and 170 MB on Ubuntu 24.04, 400 and 180 MB unpacked. Nothing is installed, as an
# installed kernel could become that of this system's next boot. The kernel is the one that Debian's linux-image-amd64 or
# Ubuntu's linux-image-generic would install. Silent when a kernel has been unpacked; whoever wants a newer one removes
# build-kernel first. Does nothing on other machines than x86-64, which have no guest.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=scripts/apt.sh
. "$ROOT/scripts/apt.sh"

# pipelines/testbed/kernels.py looks in 'unpacked', which has boot/ and lib/modules/.
directory=$ROOT/build-kernel
unpacked=$directory/unpacked
partial=$directory/partial

# depends PACKAGE: the names of the packages that it needs, one a line
depends() {
  { apt-cache show --no-all-versions "$1" 2>/dev/null || true; } | sed -n 's/^Depends: //p' | tr -s ' ,|()' '\n'
}

# Sets 'version' to the kernel's, and 'packages' to those with its image and its modules, whose names end with the version:
# one of Debian's, three of Ubuntu's. Fails if the package lists name no kernel.
find_packages() {
  local newest
  for newest in linux-image-amd64 linux-image-generic; do
    version=$(depends "$newest" | sed -n '/^linux-image-[0-9]/{s/^linux-image-//p;q}')
    [ -z "$version" ] || break
  done
  [ -n "$version" ] || return 1
  mapfile -t packages < <({ depends "$newest" && depends "linux-image-$version"; } | sort -u |
    while read -r name; do [[ $name != linux-*"-$version" ]] || echo "$name"; done)
}

download() {
  find_packages || return 1
  say "Downloading ${packages[*]} to $directory, for the testbed's guest; no kernel is installed"
  rm -rf "$partial"
  mkdir -p "$partial"
  (cd "$partial" && quietly "$directory/download.log" apt-get download "${packages[@]}")
}

unpack() {
  local package tree=$partial/tree
  mkdir "$tree"
  for package in "$partial"/*.deb; do
    dpkg-deb -x "$package" "$tree"
  done
  # Packages have the modules in one of these places, and depmod and modprobe look for them in one, too.
  mkdir -p "$tree/lib" "$tree/usr/lib"
  [ -e "$tree/lib/modules" ] || ln -s ../usr/lib/modules "$tree/lib/modules"
  [ -e "$tree/usr/lib/modules" ] || ln -s ../../lib/modules "$tree/usr/lib/modules"
  # Ubuntu's image is for root alone, and another user may run the guest.
  chmod -R a+rX "$tree"
  # An installation would do this.
  PATH=$PATH:/usr/sbin:/sbin quietly "$directory/depmod.log" depmod -b "$tree" "$version"
  mv -T "$tree" "$unpacked"
  rm -rf "$partial"
}

[ ! -e "$unpacked" ] || exit 0
if ! have apt-get || ! have dpkg-deb; then
  die "this is neither Debian nor Ubuntu: the testbed's guest takes an installed kernel here"
fi
[ "$(dpkg --print-architecture)" = amd64 ] || exit 0

# Of runs at the same time one downloads, and the others wait for it. The lock ends with the processes that have it.
mkdir -p "$directory"
exec 9>"$directory/lock"
flock 9
[ ! -e "$unpacked" ] || exit 0

if ! download; then
  if "$PYTHON" "$ROOT/pipelines/testbed" available guest >/dev/null 2>&1; then
    say "No kernel could be downloaded, so the testbed's guest takes the installed one."
    exit 0
  fi
  can_be_root || die "the package lists name no kernel that can be downloaded. Type as root: apt-get update"
  read_package_lists
  download || die "apt-get could not download a kernel for the testbed's guest"
fi
unpack
