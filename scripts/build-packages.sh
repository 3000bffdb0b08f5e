#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds the Debian packages, and tries them: build-packages.sh [OUTPUT DIRECTORY]
#
# The packages are built from a copy of the sources, with DEB_BUILD_OPTIONS=nocheck unless the
# variable is set (such as "nocheck parallel=1"). As root, they are then installed in a copy-on-write view of this system (an
# overlay), where the programs and the elements have to be found and a stream has to arrive; nothing
# of this system changes. With an output directory the packages are left there.
# 'scripts/install-deps.sh packages' installs what the build needs. Exit status: 77 it is missing.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
at_most 1 "$@"
export DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS-nocheck}

if ! have dpkg-buildpackage || ! have dh || ! have git; then
  say "skipped: dpkg-buildpackage, debhelper or git is not installed"
  exit 77
fi
output=${1:+$(realpath -m "$1")}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# ---- the build --------------------------------------------------------------

mkdir "$scratch/source"
cd "$ROOT"
{ git ls-files -z; git ls-files -z --others --exclude-standard; } | tar --null -T - --ignore-failed-read -c 2>/dev/null |
  tar -x --no-same-permissions -C "$scratch/source"
cd "$scratch/source"
if ! dpkg-checkbuilddeps 2>"$scratch/missing"; then
  say "skipped: $(cat "$scratch/missing")"
  exit 77
fi
quietly "$scratch/build.log" dpkg-buildpackage -us -uc -b
cd "$scratch"
mkdir debs
for package in libtfrc0 libtfrc-dev gstreamer1.0-tfrc gst-tfrc-tools; do
  cp "$package"_*.deb debs || die "no package $package"
done
if [ -n "$output" ]; then
  mkdir -p "$output"
  cp debs/* "$output"
fi
say "built: $(cd debs && echo *)"

# ---- the trial --------------------------------------------------------------

if [ "$(id -u)" != 0 ] || ! unshare --mount true 2>/dev/null; then
  say "The packages are not tried, which only root can do."
  exit 0
fi
mkdir -p "$scratch/layer" "$scratch/root"
"$PYTHON" "$ROOT/scripts/short-movie.py" >"$scratch/movie.ts"
cat >"$scratch/try.sh" <<'TRY'
set -eu
dpkg -i /packages/*.deb
cd /packages
tfrc-send --version
tfrc-recv --version
tfrc-server --version
gst-inspect-1.0 tfrcsink >/dev/null
gst-inspect-1.0 tfrcsrc >/dev/null
pkg-config --exists libtfrc
# The service is there, and an administrator enables it.
unit=/lib/systemd/system/tfrc-server.service
[ -f $unit ]
if command -v systemctl >/dev/null; then
  systemd-analyze verify $unit
  [ "$(systemctl is-enabled tfrc-server)" = disabled ]
fi
tfrc-recv --timeout 20 tfrc://127.0.0.1:0 received.ts 2>log &
until port=$(sed -n 's/.*receiving at .*:\([0-9]*\)$/\1/p' log) && [ -n "$port" ]; do sleep 0.1; done
tfrc-send --timeout 20 movie.ts "tfrc://127.0.0.1:$port" || { cat log; exit 1; }
wait $! || { cat log; exit 1; }
cmp movie.ts received.ts
dpkg -r gst-tfrc-tools gstreamer1.0-tfrc libtfrc-dev libtfrc0
if gst-inspect-1.0 tfrcsink >/dev/null 2>&1; then echo 'tfrcsink is still there'; exit 1; fi
for file in /usr/bin/tfrc-send /usr/bin/tfrc-server $unit; do
  [ ! -e $file ] || { echo "$file is still there"; exit 1; }
done
TRY
cat >"$scratch/enter.sh" <<'ENTER'
set -eu
mount -t tmpfs none "$1/layer"
mkdir "$1/layer/upper" "$1/layer/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/layer/upper,workdir=$1/layer/work" "$1/root"
mkdir "$1/root/packages"
cp "$1"/debs/* "$1/movie.ts" "$1/try.sh" "$1/root/packages"
mount -t proc proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/packages GST_REGISTRY_1_0=/packages/registry \
  DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 chroot "$1/root" timeout 300 sh /packages/try.sh
ENTER
quietly "$scratch/try.log" unshare --mount --pid --fork --kill-child sh "$scratch/enter.sh" "$scratch"
say "tried: installed, found, used and removed"
