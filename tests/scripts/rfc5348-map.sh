#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# docs/rfc5348-map.md is right: every function that it names is in the file that it names, and every
# test that it names is registered in tests/check. Exit status: 0 passed, 1 something is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
map=docs/rfc5348-map.md

status=0
missing() {
  echo "$map names $1, which is not there"
  status=1
}

functions=0
while IFS=: read -r file function; do
  functions=$((functions + 1))
  grep -qE "^($function \(|#define $function\b)" "$file" 2>/dev/null || missing "$file:$function"
done < <(grep -oE '`[a-z0-9_/]+\.[ch]:[A-Za-z0-9_]+`' "$map" | tr -d '`' | sort -u)

tests=0
while read -r name; do
  tests=$((tests + 1))
  grep -rqE "GST_START_TEST \($name\)" tests/check && grep -rqzE "tcase_add[a-z_]*test \([a-z_]+,\s*$name\b" tests/check \
    || missing "$name"
done < <(grep -oE '`test_[a-z0-9_]+`' "$map" | tr -d '`' | sort -u)

# An empty table is an error, too.
echo "$functions functions, $tests tests"
[ $functions -gt 0 ] && [ $tests -gt 0 ] || status=1
exit $status
