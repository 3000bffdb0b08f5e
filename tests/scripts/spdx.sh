#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/spdx.sh finds and adds the line with the licence in made-up files; and every source of the
# project has the line.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
have git || skip "git is not installed"

spdx() {
  SPDX_ROOT=$SCRATCH/tree "$ROOT/scripts/spdx.sh" "$@"
}

mkdir -p "$SCRATCH/tree/tests/vectors"
cd "$SCRATCH/tree"
git init -q .
licence=LGPL-2.1-or-later
printf '/* SPDX-%s: %s */\nint a;\n' License-Identifier $licence >good.c
printf '#!/bin/sh\n# SPDX-%s: %s\n' License-Identifier $licence >good.sh
printf '/* a */\nint b;\n' >bare.c
printf '#!/usr/bin/env python3\n"""Text"""\n' >bare.py
printf "project('x')" >meson.build
: >empty.h
printf '#!/bin/sh\nexit\n' >program
chmod 755 program
printf '#!/bin/sh\n\n# SPDX-%s: %s\n' License-Identifier $licence >late.sh
printf '/* SPDX-%s: MIT */\n' License-Identifier >other.h
printf 'text\n' >text.md
printf '1,2\n' >tests/vectors/data.csv
cp -a . "$SCRATCH/before"

! spdx --check >"$SCRATCH/output" || fail "files without the line passed"
equals "files without the line" "bare.c bare.py empty.h late.sh meson.build other.h program" \
  "$(sed 's/:.*//' "$SCRATCH/output" | tr '\n' ' ' | sed 's/ $//')"
cmp bare.c "$SCRATCH/before/bare.c" || fail "--check has changed a file"

spdx --add
spdx --check || fail "--add leaves files without the line"
equals "a C file" "/* SPDX-License-Identifier: $licence */" "$(head -n 1 bare.c)"
equals "the rest of a C file" "$(cat "$SCRATCH/before/bare.c")" "$(tail -n +2 bare.c)"
equals "an empty file" 1 "$(wc -l <empty.h)"
equals "a script" "#!/usr/bin/env python3 # SPDX-License-Identifier: $licence \"\"\"Text\"\"\"" "$(tr '\n' ' ' <bare.py | sed 's/ $//')"
equals "meson.build" "# SPDX-License-Identifier: $licence project('x')" "$(tr '\n' ' ' <meson.build | sed 's/ $//')"
equals "the mode of a program" 755 "$(stat -c %a program)"
for file in good.c good.sh text.md tests/vectors/data.csv; do
  cmp $file "$SCRATCH/before/$file" || fail "$file has changed"
done
cp bare.c again.c
spdx --add
cmp bare.c again.c || fail "the line was added twice"
! spdx >/dev/null 2>&1 || fail "no argument was accepted"

cd "$ROOT"
git rev-parse --git-dir >/dev/null 2>&1 || skip "this is no checkout; made-up files pass"
scripts/spdx.sh --check
