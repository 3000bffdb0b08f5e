#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs packages that the project needs and that are missing, by set:
# install-deps.sh [run|tcp|webrtc|examples|profile|packages|chroot|images|musl|docs|testbed|experiments|dask|test|ci]
#   run          to build the elements and to run the demos of one host (the default)
#   tcp          run, and iperf3 for --tcp of pipelines/stream-demo.sh
#   webrtc       run, and what pipelines/webrtc-rate.sh uses
#   examples     run, and what examples/ uses
#   profile      run, and perf for tests/bench/scale.sh --profile
#   packages     run, and what scripts/build-packages.sh and scripts/build-rpm.sh use
#   chroot       what scripts/chroot-build.sh uses outside of its chroot; no GStreamer
#   images       what scripts/build-images.sh uses; no GStreamer
#   musl         what scripts/check-musl.sh uses; no GStreamer
#   docs         what scripts/build-docs.sh uses; no GStreamer
#   testbed      run, and what the testbed, its guest and the VoD benchmark use; scripts/guest-kernel.sh
#                downloads the guest's kernel, 70 to 170 MB, and does not install it
#   experiments  to build and run the simulations; no GStreamer
#   dask         what scripts/dask.sh installs Dask with
#   test         webrtc, examples, testbed, experiments and dask, and what the tests use, so that none is skipped; with
#                Chromium, a download of 113 MB (on Ubuntu, which has it as a snap alone, the test of the
#                server's page goes without)
#   ci           test, and what .ci/run uses
# Debian and Ubuntu: through apt-get, silent when nothing is missing. Elsewhere it says what to install.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=scripts/apt.sh
. "$ROOT/scripts/apt.sh"

# Meson asks dpkg-dev where Debian has libraries and elements.
declare -A packages=(
  [run]="gcc libc6-dev dpkg-dev meson ninja-build pkgconf python3 python3-jinja2 python3-matplotlib libgstreamer1.0-dev
    libgstreamer-plugins-base1.0-dev libjson-glib-dev libqrencode-dev libsoup-3.0-dev libsrtp2-dev libssl-dev openssl gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
    gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav iproute2 ethtool"
  [tcp]="iperf3"
  [webrtc]="gstreamer1.0-nice python3-gi gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0"
  [examples]="curl python3-gi gir1.2-gstreamer-1.0"
  [profile]=""
  [packages]="build-essential debhelper git lintian rpm util-linux"
  [chroot]="debootstrap debian-archive-keyring util-linux"
  [images]="buildah curl debootstrap debian-archive-keyring iproute2 python3 util-linux"
  [musl]="gcc meson musl-tools ninja-build"
  [docs]="python3 python3-jinja2 mkdocs mkdocs-material python3-pymdownx doxygen"
  [test]="tshark abigail-tools binutils clang git nftables python3-cryptography"
  [testbed]="qemu-system-x86 kmod procps iputils-ping iperf3 tcpdump python3-yaml python3-numpy
    python3-pandas"
  [experiments]="g++ libns3-dev libglib2.0-dev libc6-dev meson ninja-build pkgconf git python3 python3-jinja2 python3-numpy
    python3-pandas python3-matplotlib"
  [dask]="python3 python3-pip"
  [ci]="ccache clang-format gcovr llvm valgrind"
)
declare -A commands=(
  [run]="cc meson ninja pkg-config gst-launch-1.0"
  [tcp]="iperf3"
  [webrtc]=""
  [examples]="curl"
  [profile]="perf"
  [packages]="dpkg-buildpackage dh git rpmbuild unshare"
  [chroot]="debootstrap chroot unshare"
  [images]="buildah curl debootstrap ip unshare"
  [musl]="meson musl-gcc ninja"
  [docs]="mkdocs doxygen"
  [test]="abidiff clang git nft readelf tshark"
  [testbed]="qemu-system-x86_64 modprobe sysctl ping iperf3 tcpdump"
  [experiments]="c++ meson ninja pkg-config git"
  [dask]=""
  [ci]="clang-format gcovr valgrind"
)
modules=(gio-2.0 gstreamer-1.0 gstreamer-base-1.0 gstreamer-check-1.0 gstreamer-app-1.0 gstreamer-rtp-1.0 gstreamer-sdp-1.0
  gstreamer-video-1.0 json-glib-1.0 libcrypto libsoup-3.0 libsrtp2)
elements=(tsparse mpegtsmux x264enc h264parse avdec_h264 avenc_aac rtpmp2tpay)

case ${1:-run} in
  run) sets=(run) ;;
  tcp | webrtc | examples | profile | packages | testbed) sets=(run "$1") ;;
  experiments | chroot | images | musl | docs | dask) sets=("$1") ;;
  test) sets=(run test webrtc examples testbed experiments dask) ;;
  ci) sets=(run test webrtc examples testbed experiments dask ci) ;;
  *) die "unknown set '$1'; one of run, tcp, webrtc, examples, profile, packages, chroot, images, musl, docs, testbed, experiments, dask, test, ci" ;;
esac
wanted=()
needed=()
for name in "${sets[@]}"; do
  read -r -d '' -a list <<<"${packages[$name]}" || true
  wanted+=("${list[@]}")
  read -r -d '' -a list <<<"${commands[$name]}" || true
  needed+=("${list[@]}")
done

wanted_set() {
  [[ " ${sets[*]} " == *" $1 "* ]]
}

# The package of the sanitizers' runtime has the version of clang in its name. If the package lists
# are not known yet, the name is one that is not installed, so that the lists are updated.
clang_runtime() {
  local version candidate
  version=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
  for candidate in "libclang-rt-$version-dev" "libclang-common-$version-dev"; do
    if apt-cache show "$candidate" >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
  echo libclang-rt-dev
}

# The package of perf, if there is none
profiler() {
  have perf && return
  if grep -q '^ID=ubuntu' /etc/os-release 2>/dev/null; then echo linux-tools-generic; else echo linux-perf; fi
}

# A browser for the test of the server's page; Ubuntu's package is a snap in disguise.
browser() {
  grep -q '^ID=ubuntu' /etc/os-release 2>/dev/null || echo chromium
}

# Sets the array 'missing' to those of the wanted packages that are not installed.
find_missing() {
  local package installed others=()
  [ "${sets[-1]}" != ci ] || others+=("$(clang_runtime)")
  # shellcheck disable=SC2207 # one name or none
  ! wanted_set profile || others+=($(profiler))
  # shellcheck disable=SC2207
  ! wanted_set test || others+=($(browser))
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
  missing=()
  for package in "${others[@]}" "${wanted[@]}"; do
    grep -qxF "$package" <<<"$installed" || missing+=("$package")
  done
}

install_with_apt() {
  local install
  find_missing
  [ ${#missing[@]} -gt 0 ] || return 0

  can_be_root || die "these packages are missing: ${missing[*]}
Type as root: apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  if ! apt-cache show "${missing[@]}" >/dev/null 2>&1; then
    read_package_lists
    find_missing
  fi
  say "Installing ${missing[*]}"
  # Without this answer the installation asks whether all users may capture packets.
  if [[ " ${missing[*]} " == *" tshark "* ]]; then
    echo "wireshark-common wireshark-common/install-setuid boolean false" |
      as_root debconf-set-selections
  fi
  install=(as_root apt-get install -y -qq --no-install-recommends "${missing[@]}")
  "${install[@]}" >/dev/null && return
  # Old package lists name versions that the mirror no longer has.
  read_package_lists
  "${install[@]}" >/dev/null || die "apt-get could not install: ${missing[*]}"
}

name_what_is_missing() {
  local name missing=()
  for name in "${needed[@]}"; do
    have "$name" || missing+=("the command $name")
  done
  if wanted_set run || wanted_set experiments; then
    "$PYTHON" -c 'import jinja2, matplotlib' 2>/dev/null || missing+=("Python 3 with jinja2 and matplotlib")
  fi
  ! wanted_set docs || "$PYTHON" -c 'import jinja2' 2>/dev/null || missing+=("Python 3 with jinja2")
  if wanted_set run; then
    for name in "${modules[@]}"; do
      pkg-config --exists "$name" 2>/dev/null || missing+=("the development files of $name")
    done
    for name in "${elements[@]}"; do
      gst-inspect-1.0 --exists "$name" 2>/dev/null || missing+=("the GStreamer element $name")
    done
    if ! have ip || ! have ethtool; then
      say "Without iproute2 (ip, tc) and ethtool pipelines/stream-demo.sh runs over plain loopback."
    fi
  fi
  if wanted_set examples; then
    "$PYTHON" -c 'import gi; gi.require_version("Gst", "1.0")' 2>/dev/null ||
      missing+=("Python 3 with PyGObject and the typelib of GStreamer")
  fi
  if wanted_set experiments; then
    echo '#include <ns3/core-module.h>' | c++ -E -x c++ - >/dev/null 2>&1 ||
      missing+=("the development files of ns-3")
    pkg-config --exists glib-2.0 2>/dev/null || missing+=("the development files of GLib")
    "$PYTHON" -c 'import numpy, pandas' 2>/dev/null || missing+=("Python 3 with numpy and pandas")
  fi
  [ ${#missing[@]} -gt 0 ] || return 0
  say "This is neither Debian nor Ubuntu, so please install by hand:"
  printf '  %s\n' "${missing[@]}"
  say "In Debian these are in the packages ${wanted[*]}."
  return 1
}

if have apt-get && have dpkg-query; then
  install_with_apt
  ! wanted_set testbed || "$ROOT/scripts/guest-kernel.sh"
else
  name_what_is_missing
fi
