#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/install-deps.sh with stand-ins for the system's package tools: what it installs, when, and
# its messages.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

# A copy of the scripts, in which the download of the guest's kernel is a stand-in.
project=$SCRATCH/project
tools=$SCRATCH/tools
calls=$SCRATCH/calls
mkdir -p "$tools" "$project/scripts"
cp "$ROOT"/scripts/{common,apt,install-deps}.sh "$project/scripts"
for command in bash dirname basename sed grep head env; do
  ln -s "$(command -v "$command")" "$tools/$command"
done

# stand_in NAME BODY: BODY's output and exit status are those of the command.
stand_in() {
  printf '#!%s\n%s\n' "$(command -v bash)" "$2" >"$tools/$1"
  chmod +x "$tools/$1"
}

cat >"$project/scripts/guest-kernel.sh" <<SCRIPT
#!$(command -v bash)
echo guest-kernel >>'$calls'
SCRIPT
chmod +x "$project/scripts/guest-kernel.sh"

# debian INSTALLED...: a system with these packages, whose package lists are known once they have been updated.
debian() {
  : >"$calls"
  rm -f "$SCRATCH/updated"
  printf '%s\n' "$@" >"$SCRATCH/installed"
  stand_in dpkg-query "sed 's/^/installed /' '$SCRATCH/installed'"
  stand_in apt-cache "[ -e '$SCRATCH/updated' ] || exit 100
[ \"\$1 \$2\" != 'depends clang' ] || echo '  Depends: clang-99'"
  stand_in apt-get "echo apt-get \"\$@\" >>'$calls'
[ \"\$1\" != update ] || : >'$SCRATCH/updated'"
  stand_in debconf-set-selections "while read -r line; do echo debconf \"\$line\" >>'$calls'; done"
  stand_in id "echo 0"
  stand_in dpkg "echo amd64"
}

install_deps() {
  PATH=$tools "$BASH" "$project/scripts/install-deps.sh" "$@" >"$SCRATCH/output" 2>&1
}

run_set=(gcc libc6-dev dpkg-dev meson ninja-build pkgconf python3 python3-jinja2 python3-matplotlib libgstreamer1.0-dev
  libgstreamer-plugins-base1.0-dev libjson-glib-dev libqrencode-dev libsoup-3.0-dev libsrtp2-dev libssl-dev openssl gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
  gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav iproute2 ethtool)

# If nothing is missing, there is no output, and apt-get does not run.
debian "${run_set[@]}"
install_deps run
equals "output" "" "$(cat "$SCRATCH/output")"
equals "calls of apt-get" "" "$(cat "$calls")"

# Only what is missing is installed, after an update since the lists are not known, without recommended packages.
debian "${run_set[@]:1}"
install_deps
contains "$calls" "apt-get update"
contains "$calls" "apt-get install -y -qq --no-install-recommends gcc"
equals "packages named" "gcc" "$(sed -n 's/.*recommends //p' "$calls")"

# Known lists are not read again.
debian "${run_set[@]:1}"
: >"$SCRATCH/updated"
install_deps run
! grep -q update "$calls" || fail "updated known package lists"

# The examples add what they need to the packages for the elements.
debian "${run_set[@]}"
install_deps examples
contains "$calls" "--no-install-recommends curl"

# Packages of the project need what builds Debian packages and RPM packages.
debian "${run_set[@]}" build-essential git lintian rpm util-linux
install_deps packages
contains "$calls" "--no-install-recommends debhelper"

# Outside of a chroot nothing of the build is needed.
debian util-linux
install_deps chroot
equals "packages named" "debootstrap debian-archive-keyring" "$(sed -n 's/.*recommends //p' "$calls")"

# The tests' capture tool does not ask who may capture.
debian "${run_set[@]}"
install_deps test
contains "$calls" "debconf wireshark-common wireshark-common/install-setuid boolean false"
contains "$calls" "tshark abigail-tools"
contains "$calls" "gstreamer1.0-nice"

# A kernel is never installed, since it could become that of the system's next boot: the testbed's guest gets its own, when
# what unpacks it has been installed.
for set in testbed test ci; do
  debian "${run_set[@]}"
  install_deps "$set"
  contains "$calls" "apt-get install"
  ! grep "linux-image" "$calls" || fail "$set installs a kernel"
  equals "last call of $set" "guest-kernel" "$(tail -n 1 "$calls")"
done
debian
install_deps run
! grep guest-kernel "$calls" || fail "run downloads a kernel"

# The profiler's package is that of Debian or that of Ubuntu.
debian "${run_set[@]}"
install_deps profile
grep -qE -- "--no-install-recommends linux-(perf|tools-generic)$" "$calls" || fail "perf: $(cat "$calls")"

# The sanitizers' runtime has the version of the distribution's clang.
debian "${run_set[@]}" tshark clang llvm valgrind indent git
install_deps ci
contains "$calls" "--no-install-recommends libclang-rt-99-dev"

# An ordinary user without sudo gets the command to type.
debian "${run_set[@]:1}"
stand_in id "echo 1000"
! install_deps run || fail "succeeded without gcc"
contains "$SCRATCH/output" "apt-get install -y --no-install-recommends gcc"
equals "calls of apt-get" "" "$(cat "$calls")"

# With sudo the packages are installed with it.
stand_in sudo "echo sudo >>'$calls'; \"\$@\""
install_deps run
contains "$calls" "sudo"
contains "$calls" "--no-install-recommends gcc"

# On other systems the message names what is missing.
rm "$tools/apt-get" "$tools/dpkg-query"
! install_deps run || fail "succeeded without any tool"
contains "$SCRATCH/output" "the command meson"
contains "$SCRATCH/output" "the GStreamer element x264enc"

# All that meson looks for is named, as a build without the programs would be a surprise later.
while read -r module; do
  contains "$SCRATCH/output" "the development files of $module"
done < <(find "$ROOT"/{gst,tools} -name meson.build -exec sed -n "s/.*dependency('\([^']*\)'.*/\1/p" {} + | sort -u | grep -vx libqrencode)

# A set that does not need the demos' reports does not ask for what draws them.
for command in meson musl-gcc ninja; do
  stand_in "$command" ""
done
sed -i "s,^PYTHON=.*,PYTHON=$tools/none," "$project/scripts/common.sh"
install_deps musl || fail "musl: $(cat "$SCRATCH/output")"
cp "$ROOT/scripts/common.sh" "$project/scripts"
rm "$tools"/{meson,musl-gcc,ninja}

# If nothing is missing on such a system, the script succeeds.
for command in cc meson ninja pkg-config gst-launch-1.0 gst-inspect-1.0 ip ethtool; do
  stand_in "$command" ""
done
if "$PYTHON" -c 'import jinja2, matplotlib' 2>/dev/null; then
  ln -s "$(command -v "$PYTHON")" "$tools/python3"
  install_deps run || fail "failed although nothing is missing: $(cat "$SCRATCH/output")"
fi

! install_deps nonsense || fail "took a set that does not exist"
known=" $(sed -n 's/.*; one of //p' "$SCRATCH/output" | tr -d ,) "

# The scripts and documents that name a set name one that there is.
while read -r file set; do
  [[ $known == *" $set "* ]] || fail "$file: there is no set '$set'"
done < <(cd "$ROOT" && grep -roE 'scripts/install-deps\.sh"? [a-z]+([^a-z ]|$)' .ci docs examples pipelines scripts tests/*.sh ./*.md |
  sed -E 's/:.*install-deps\.sh"? / /; s/[^a-z]$//')
