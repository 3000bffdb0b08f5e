#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds the project with the compiler and the libraries of another release or architecture of Debian, and tests it there.
# Warnings are errors.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=scripts/testing.sh
. "$ROOT/scripts/testing.sh"

usage() {
  cat <<END
usage: chroot-build.sh SUITE [ARCHITECTURE]

SUITE is a release of Debian, such as trixie. ARCHITECTURE is one that this machine's processor runs, such as i386 on
amd64; default: that of this system. Only root can do this. The last line is 'N passed, N failed'.

The release is installed (500 MB to download, 3 GB) in CHROOTS/SUITE-ARCHITECTURE, with the project's build in /build, and
stays there for the next run. Without that directory a run begins anew, with the newest packages.

  CHROOTS        a directory; default: build-ci/chroots
  DEBIAN_MIRROR  default: http://deb.debian.org/debian
END
}

refuse() {
  printf 'chroot-build.sh: %s (--help shows more)\n' "$*" >&2
  exit 2
}

case ${1:-} in -h | --help) usage && exit 0 ;; esac
[ $# = 1 ] || [ $# = 2 ] || refuse "a release of Debian is wanted, and perhaps an architecture"
for name in "$@"; do
  [[ $name =~ ^[a-z][a-z0-9-]*$ ]] || refuse "'$name' is neither a release of Debian nor an architecture"
done
if [ "$(id -u)" != 0 ] || ! unshare --mount --pid --fork true 2>/dev/null; then
  say "skipped: only root can mount what a chroot needs"
  add_totals 0 0 1
  conclude || exit 77
fi

"$ROOT/scripts/install-deps.sh" chroot
suite=$1
architecture=${2:-$(dpkg --print-architecture)}
chroots=$(realpath -m "${CHROOTS:-$CI_BUILD/chroots}")
chroot=$chroots/$suite-$architecture

# An installation that was interrupted has another name.
if [ ! -d "$chroot" ]; then
  say "Installing Debian $suite ($architecture) in $chroot"
  rm -rf "$chroot.new"
  mkdir -p "$chroots"
  quietly "$chroot.log" debootstrap --variant=minbase --arch="$architecture" "$suite" "$chroot.new" \
    "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
  mkdir "$chroot.new/source"
  mv "$chroot.new" "$chroot"
fi

# The mounts are seen by this command alone, and end with it. The set 'run' has all that the tests of these suites need.
unshare --mount --pid --fork --kill-child bash -euc '
  chroot=$1 root=$2
  shift 2
  mount --rbind /dev "$chroot/dev"
  mount -t proc proc "$chroot/proc"
  mount --bind "$root" "$chroot/source"
  mount -o remount,bind,ro "$chroot/source"
  exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    ${http_proxy:+http_proxy="$http_proxy"} CI=yes PACKAGES=run BUILD_DIR=/build chroot "$chroot" /source/tests/run.sh "$@"
' - "$chroot" "$ROOT" --suite lib --suite threads --suite elements --suite tools --suite fuzz
