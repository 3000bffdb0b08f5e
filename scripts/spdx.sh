#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The line with the licence in every source file: spdx.sh --check names the files without the line and
# fails if there is one; spdx.sh --add adds the line, first of all or after '#!'.
# SPDX_ROOT names another tree than this one, for the test.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
readonly LINE="SPDX-License-Identifier: LGPL-2.1-or-later"

# Sources of this tree, also those that git does not know yet. A program without a suffix is one that
# begins with '#!'. Data of tests does not count as a source.
sources() {
  git ls-files --cached --others --exclude-standard | sort -u | while read -r file; do
    [ -f "$file" ] || continue
    case $file in
      tests/vectors/*.csv | tests/fuzz/corpus/*) ;;
      *.c | *.cc | *.h | *.py | *.sh | meson.build | */meson.build | meson_options.txt) printf '%s\n' "$file" ;;
      *) ! starts_with_interpreter "$file" || printf '%s\n' "$file" ;;
    esac
  done
}

# starts_with_interpreter FILE
starts_with_interpreter() {
  local start=
  IFS= read -r -N 2 start <"$1" || true
  [ "$start" = '#!' ]
}

# place FILE: the number of the line that the licence has or gets
place() {
  if starts_with_interpreter "$1"; then echo 2; else echo 1; fi
}

# has_line FILE: reads without another program, as there are more than a thousand files.
has_line() {
  local line=
  {
    IFS= read -r line || true
    [[ $line != '#!'* ]] || IFS= read -r line || true
  } <"$1"
  [ "$line" = "# $LINE" ] || [ "$line" = "/* $LINE */" ]
}

# add_line FILE: the file keeps its mode.
add_line() {
  local comment="# $LINE" before text
  case $1 in
    *.c | *.cc | *.h) comment="/* $LINE */" ;;
  esac
  before=$(($(place "$1") - 1))
  text=$SCRATCH/text
  { head -n $before "$1" && printf '%s\n' "$comment" && tail -n "+$((before + 1))" "$1"; } >"$text"
  cat "$text" >"$1"
}

SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
main() {
  local without=() count=0 file
  cd "${SPDX_ROOT:-$ROOT}"
  case ${1:-} in
    --add | --check) ;;
    *) die "usage: spdx.sh --add|--check" ;;
  esac
  while read -r file; do
    count=$((count + 1))
    has_line "$file" || without+=("$file")
  done < <(sources)
  [ $count -gt 0 ] || die "found no sources"
  for file in "${without[@]}"; do
    if [ "$1" = --add ]; then add_line "$file"; else say "$file: no '$LINE'"; fi
  done
  [ "$1" = --add ] || [ ${#without[@]} = 0 ]
}

# The script may add the line to itself, after which bash must read no more of it.
main "$@"; exit
