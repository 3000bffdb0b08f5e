# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# Copies of libtfrc that differ in something, for the tests of its binary interface. Source it after lib.sh.

for command in abidiff cc git meson ninja; do
  have $command || skip "$command is not installed"
done

include=lib/include/tfrc

# revision NAME: makes a copy of the library, for changes.
revision() {
  mkdir "$SCRATCH/$1"
  cp -r "$ROOT/lib" "$SCRATCH/$1/lib"
}

# build NAME: compiles the library as meson does, but with a single command.
build() {
  (cd "$SCRATCH/$1" && cc -std=c99 -g -fPIC -shared -fvisibility=hidden -Ilib/include \
    -Wl,--version-script=lib/tfrc/libtfrc.map -Wl,-soname,libtfrc.so.0 \
    -o libtfrc.so.0 lib/tfrc/*.c lib/tfrc/wire/*.c -lm)
}

# edit NAME FILE SED_SCRIPT: changes a file; fails if the script changes nothing.
edit() {
  local file=$SCRATCH/$1/$2
  sed -i.before "$3" "$file"
  ! cmp -s "$file" "$file.before" || fail "nothing to change in $2 for revision $1"
}

check() {
  "$ROOT/scripts/check-abi.sh" "$SCRATCH/old/libtfrc.so.0" "$SCRATCH/old/lib/include" \
    "$SCRATCH/$1/libtfrc.so.0" "$SCRATCH/$1/lib/include" >"$SCRATCH/output" 2>&1
}

compatible() {
  build "$1"
  check "$1" || {
    cat "$SCRATCH/output"
    fail "revision $1 is compatible, and was refused"
  }
}

# incompatible NAME TEXT: fails unless the revision is refused and the report has the text.
incompatible() {
  build "$1"
  ! check "$1" || fail "revision $1 is incompatible, and was accepted"
  contains "$SCRATCH/output" "$2"
  contains "$SCRATCH/output" "is not compatible"
}

revision old
build old
