# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# What the project's scripts share: messages, waiting for a command's success, building, finding the built plugin.
# Source it from a script that runs with 'set -euo pipefail'.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# The distribution's Python has python3-matplotlib and python3-jinja2. Another Python in PATH may
# not.
# shellcheck disable=SC2034 # used by the scripts that source this file
PYTHON=/usr/bin/python3
[ -x "$PYTHON" ] || PYTHON=python3

say() {
  printf '%s\n' "$*"
}

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

have() {
  command -v "$1" >/dev/null 2>&1
}

# quietly LOG COMMAND...: keeps the output in LOG and shows its end only if the command fails.
quietly() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 && return 0
  local status=$?
  tail -n 40 "$log" >&2
  printf 'failed: %s (all of its output: %s)\n' "$*" "$log" >&2
  return $status
}

# at_most NUMBER ARGUMENT...: for a script without options. --help shows the comment that the script begins with; an option, or
# more arguments than this number, end the script before it does anything.
at_most() {
  local number=$1
  shift
  case ${1:-} in
    -h | --help) sed -n '3,${/^#/!q;s/^# \{0,1\}//p}' "$0" && exit 0 ;;
    -*) printf '%s: unknown option %s (--help shows more)\n' "$(basename "$0")" "$1" >&2 && exit 2 ;;
  esac
  [ $# -le "$number" ] ||
    { printf '%s: too many arguments: %s (--help shows more)\n' "$(basename "$0")" "${*:number+1}" >&2 && exit 2; }
}

# check_arguments PROGRAM ARGUMENT...: ends the script if the Python program refuses the arguments, or has shown its
# help, so that a mistake costs no installation and no build. A program that cannot start yet, for want of a package,
# is asked after the build.
check_arguments() {
  local errors status=0
  { errors=$(CHECK_ARGUMENTS=yes "$PYTHON" "$@" 2>&1 >&3) || status=$?; } 3>&1
  case $status in
    0) exit 0 ;;
    2) printf '%s\n' "$errors" >&2 && exit 2 ;;
  esac
}

# configure_project DIRECTORY [MESON OPTION...]: configures DIRECTORY once. A directory that was configured with other
# options gets these, too.
configure_project() {
  local directory=$1
  shift
  if [ ! -f "$directory/build.ninja" ]; then
    # A first try that failed, for want of a package for example, leaves a directory that meson refuses.
    rm -rf "$directory/meson-private"
    quietly "$directory/setup.log" meson setup "$directory" "$ROOT" "$@" || return
  elif [ $# -gt 0 ] && ! grep -qxF -- "$*" "$directory/options" 2>/dev/null; then
    quietly "$directory/setup.log" meson configure "$directory" "$@" || return
  fi
  [ $# = 0 ] || printf '%s\n' "$*" >"$directory/options"
}

# build_project DIRECTORY [MESON OPTION...]: configures DIRECTORY and compiles what has changed.
build_project() {
  configure_project "$@" || return
  quietly "$1/compile.log" meson compile -C "$1"
}

# make_tarball DIRECTORY: writes the tarball of 'meson dist', which has the last commit, to DIRECTORY/meson-dist.
make_tarball() {
  meson setup "$1" "$ROOT" -Dplugin=disabled -Dtools=disabled -Dexamples=disabled -Dtests=disabled &&
    meson dist -C "$1" --no-tests --allow-dirty
}

# use_plugin DIRECTORY: lets GStreamer find the elements built in DIRECTORY, with a plugin registry of their own. An installed
# gst-tfrc, for which the user may have set the same variables, comes after them. GStreamer does not read GST_PLUGIN_PATH where
# GST_PLUGIN_PATH_1_0 is set.
use_plugin() {
  local plugin others=${GST_PLUGIN_PATH_1_0-${GST_PLUGIN_PATH-}}
  plugin=$(find "$1/gst" -maxdepth 2 -name 'libgsttfrc.so' -print -quit 2>/dev/null)
  [ -n "$plugin" ] || return 1
  GST_PLUGIN_PATH_1_0=$(dirname "$plugin")${others:+:$others}
  LD_LIBRARY_PATH=$1/lib/tfrc${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export GST_PLUGIN_PATH_1_0 LD_LIBRARY_PATH GST_REGISTRY_1_0="$1/gst-registry.bin"
}
