#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The kernel of the testbed's guest: which one it takes, and scripts/guest-kernel.sh with stand-ins for the system's package
# tools, in a copy of the scripts with a build-kernel of its own: it installs nothing and leaves no half kernel behind.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/scripts/testbed-kernel.py" "$ROOT/pipelines"

have flock || skip "flock is not installed"
# A space, since a clone's path may have one.
project="$SCRATCH/a project"
tools=$SCRATCH/tools
calls=$SCRATCH/calls
unpacked=$project/build-kernel/unpacked
mkdir -p "$tools" "$project/scripts" "$project/pipelines"
cp "$ROOT"/scripts/{common,apt,guest-kernel}.sh "$project/scripts"

# stand_in NAME BODY: BODY's output and exit status are those of the command.
stand_in() {
  printf '#!%s\n%s\n' "$BASH" "$2" >"$tools/$1"
  chmod +x "$tools/$1"
}

# system LISTED...: a system that has unpacked no kernel. LISTED are the lines 'PACKAGE DEPENDENCIES' of its package lists.
system() {
  rm -rf "$project/build-kernel"
  : >"$calls"
  printf '%s\n' "$@" >"$SCRATCH/lists"
  stand_in dpkg "echo amd64"
  stand_in id "echo 0"
  stand_in depmod "echo depmod \"\$1\" \"\$3\" >>'$calls'; : >\"\$2/lib/modules/\$3/modules.dep\""
  # shellcheck disable=SC2016 # for the stand-in
  stand_in apt-cache 'depends=$(sed -n "s/^${*: -1} //p" '"'$SCRATCH/lists')"'
[ -n "$depends" ] || exit 100
printf "Package: %s\nDepends: %s\n" "${*: -1}" "$depends"'
  whole_downloads
  whole_packages
}

whole_downloads() {
  # shellcheck disable=SC2016
  stand_in apt-get "echo apt-get \"\$@\" >>'$calls'"'
[ "$1" = download ] || exit 0
shift
for package; do echo "$package" >"${package}_1_amd64.deb"; done'
}

# Each package has a file in the place where Debian or Ubuntu has the image or the modules.
whole_packages() {
  # shellcheck disable=SC2016
  stand_in dpkg-deb 'package=$(cat "$2")
version=${package#linux-*-}
case $package in
  linux-image-*) files="boot/vmlinuz-$version" ;;
  linux-modules-extra-*) version=${version#extra-}; files="usr/lib/modules/$version/kernel/extra.ko" ;;
  linux-modules-*) files="usr/lib/modules/$version/kernel/veth.ko" ;;
esac
[[ $package != *-amd64 ]] || files+=" lib/modules/$version/kernel/veth.ko"
for file in $files; do mkdir -p "$3/${file%/*}"; echo "$package" >"$3/$file"; chmod 600 "$3/$file"; done'
}

debian=("linux-image-amd64 linux-image-6.1.0-9-amd64 (= 6.1.9-1)" "linux-image-6.1.0-9-amd64 kmod, linux-base (>= 4.3~), initramfs-tools | x")

guest_kernel() {
  PATH=$tools:$PATH "$BASH" "$project/scripts/guest-kernel.sh" >"$SCRATCH/output" 2>&1
}

# files: those of the unpacked kernel
files() {
  (cd "$unpacked" && find . -type f | sort | tr '\n' ' ')
}

whole="./boot/vmlinuz-6.1.0-9-amd64 ./lib/modules/6.1.0-9-amd64/kernel/veth.ko ./lib/modules/6.1.0-9-amd64/modules.dep "

# Debian's newest kernel is downloaded and unpacked, without root.
system "${debian[@]}"
stand_in id "echo 1000"
stand_in sudo "echo sudo >>'$calls'"
guest_kernel || fail "$(cat "$SCRATCH/output")"
equals "calls" "apt-get download linux-image-6.1.0-9-amd64
depmod -b 6.1.0-9-amd64" "$(cat "$calls")"
equals "files" "$whole" "$(files)"
[ -e "$unpacked/usr/lib/modules/6.1.0-9-amd64/modules.dep" ] || fail "the modules are not in /usr/lib, too"

# The second run does nothing, and says nothing.
: >"$calls"
guest_kernel || fail "the second run: $(cat "$SCRATCH/output")"
equals "calls of the second run" "" "$(cat "$calls")"
equals "output of the second run" "" "$(cat "$SCRATCH/output")"

# Ubuntu has the modules in packages of their own, which may be in /usr/lib.
system "linux-image-generic linux-image-6.8.0-31-generic, linux-modules-extra-6.8.0-31-generic, linux-firmware, intel-microcode" \
  "linux-image-6.8.0-31-generic kmod, linux-base (>= 4.5), linux-modules-6.8.0-31-generic"
guest_kernel || fail "$(cat "$SCRATCH/output")"
equals "packages of Ubuntu" "apt-get download linux-image-6.8.0-31-generic linux-modules-6.8.0-31-generic linux-modules-extra-6.8.0-31-generic" \
  "$(grep download "$calls")"
[ -e "$unpacked/lib/modules/6.8.0-31-generic/kernel/veth.ko" ] || fail "no modules in lib"
equals "mode of Ubuntu's image" 644 "$(stat -c %a "$unpacked/boot/vmlinuz-6.8.0-31-generic")"

# If the lists are not known, they are read; who cannot do that is told what to type.
system none
guest_kernel && fail "downloaded an unknown kernel"
contains "$calls" "apt-get update -qq"
: >"$calls"
rm "$tools/sudo"
stand_in id "echo 1000"
PATH_WITHOUT_SUDO=$SCRATCH/without-sudo
mkdir "$PATH_WITHOUT_SUDO"
for command in bash dirname basename sed tr sort mkdir flock; do
  ln -s "$(command -v "$command")" "$PATH_WITHOUT_SUDO/$command"
done
PATH=$tools:$PATH_WITHOUT_SUDO "$BASH" "$project/scripts/guest-kernel.sh" >"$SCRATCH/output" 2>&1 && fail "downloaded an unknown kernel"
contains "$SCRATCH/output" "Type as root: apt-get update"
equals "calls without sudo" "" "$(cat "$calls")"

# A download that breaks off leaves no kernel, and the next run makes a whole one.
system "${debian[@]}"
stand_in apt-get "echo apt-get \"\$@\" >>'$calls'; [ \$1 = download ] || exit 0; echo half >linux-image-6.1.0-8-amd64_1_amd64.deb; exit 100"
guest_kernel && fail "half a download counts"
equals "calls" "apt-get download linux-image-6.1.0-9-amd64
apt-get update -qq
apt-get download linux-image-6.1.0-9-amd64" "$(cat "$calls")"
[ ! -e "$unpacked" ] || fail "unpacked half a download"
whole_downloads
guest_kernel || fail "$(cat "$SCRATCH/output")"
equals "files after a download that broke off" "$whole" "$(files)"

# Nor does a run that is killed while it unpacks.
system "${debian[@]}"
# shellcheck disable=SC2016
stand_in dpkg-deb 'mkdir -p "$3/boot"; echo half >"$3/boot/vmlinuz-6.1.0-8-amd64"; kill -KILL $PPID'
guest_kernel && fail "a killed run has succeeded"
[ ! -e "$unpacked" ] || fail "a killed run has left half a kernel"
whole_packages
guest_kernel || fail "$(cat "$SCRATCH/output")"
equals "files after a killed run" "$whole" "$(files)"

# Of two runs at the same time one downloads, and both end with the kernel.
system "${debian[@]}"
mkfifo "$SCRATCH/begun" "$SCRATCH/go"
mv "$tools/apt-get" "$tools/apt-get-at-once"
stand_in apt-get "if mkdir '$SCRATCH/first' 2>/dev/null; then echo >'$SCRATCH/begun'; read -r <'$SCRATCH/go'; fi; exec '$tools/apt-get-at-once' \"\$@\""
guest_kernel &
first=$!
read -r <"$SCRATCH/begun"
guest_kernel &
second=$!
echo >"$SCRATCH/go"
wait $first || fail "the first of two runs failed"
wait $second || fail "the second of two runs failed"
equals "downloads of two runs" 1 "$(grep -c download "$calls")"
equals "files after two runs" "$whole" "$(files)"

# Without a network the guest takes an installed kernel, if it has one.
system "${debian[@]}"
stand_in apt-get "exit 100"
echo >"$project/pipelines/testbed"
guest_kernel || fail "failed although there is an installed kernel"
contains "$SCRATCH/output" "takes the installed one"
[ ! -e "$unpacked" ] || fail "unpacked nothing"

# There is no guest on other machines.
system "${debian[@]}"
stand_in dpkg "echo arm64"
guest_kernel
equals "calls on another machine" "" "$(cat "$calls")"
