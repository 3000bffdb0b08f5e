#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds the RPM packages of gst-tfrc.spec from the tarball of 'meson dist', which has the last commit:
# build-rpm.sh OUTPUT-DIRECTORY
#
# Outside of Fedora the packages that the spec file names are called otherwise. There they are not looked for, and the packages that
# 'scripts/install-deps.sh packages' installs have to be installed. Exit status: 77 rpmbuild, meson or git is missing.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

at_most 1 "$@"
[ $# = 1 ] || { say "usage: build-rpm.sh OUTPUT-DIRECTORY" >&2 && exit 2; }
for command in rpmbuild meson git; do
  have $command || { say "skipped: $command is not installed" && exit 77; }
done
output=$(realpath -m "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

quietly "$scratch/dist.log" make_tarball "$scratch/dist"
options=(--define "_topdir $scratch/rpm" --define "_sourcedir $scratch/dist/meson-dist")
have dnf || options+=(--nodeps)
if [ "$(rpm --eval '%meson')" = %meson ]; then
  # What the macros of Fedora's package meson do
  cat >"$scratch/macros" <<'MACROS'
%meson %{set_build_flags}; meson setup --buildtype=plain --auto-features=enabled --prefix=%{_prefix} --libdir=%{_libdir} . rpm-build
%meson_build meson compile -C rpm-build
%meson_install DESTDIR=%{buildroot} meson install -C rpm-build --no-rebuild
MACROS
  options+=(--load "$scratch/macros")
fi
if [ "$(rpm --eval '%_unitdir')" = %_unitdir ]; then
  # Where Fedora's package systemd-rpm-macros has units; nothing tells systemd of them where nobody installs the packages.
  cat >"$scratch/systemd-macros" <<'MACROS'
%_unitdir /usr/lib/systemd/system
%systemd_post() true
%systemd_preun() true
%systemd_postun_with_restart() true
MACROS
  options+=(--load "$scratch/systemd-macros")
fi
quietly "$scratch/build.log" rpmbuild -ba "${options[@]}" "$ROOT/gst-tfrc.spec"
mkdir -p "$output"
find "$scratch/rpm" -name '*.rpm' -exec cp {} "$output" \;
say "built: $(cd "$output" && echo *.rpm)"
