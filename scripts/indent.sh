#!/usr/bin/env bash
# Formats every .c file in GStreamer's style (gst-indent); with --check only tells which files differ.
# Lines are 100 wide in lib/, where comments carry units and ranges, and 80 in the rest, as in GStreamer.
set -euo pipefail
cd "$(dirname "$0")/.."
style=(--braces-on-if-line --case-brace-indentation0 --case-indentation2 --braces-after-struct-decl-line
  --no-tabs --cuddle-else --dont-line-up-parentheses --continuation-indentation4 --honour-newlines
  --tab-size8 --indent-level2 --leave-preprocessor-space --dont-format-comments)
status=0
while read -r file; do
  case $file in lib/*) width=100 ;; *) width=80 ;; esac
  # GNU indent needs a second pass to reach its fixed point on some constructs.
  formatted=$(indent "${style[@]}" --line-length$width -st <"$file" | indent "${style[@]}" --line-length$width -st)
  [ "$formatted" = "$(cat "$file")" ] && continue
  if [ "${1:-}" = --check ]; then
    echo "style: $file"
    diff -u "$file" <(printf '%s\n' "$formatted") | head -20
    status=1
  else
    printf '%s\n' "$formatted" >"$file"
  fi
done < <({ git ls-files '*.c'; git ls-files --others --exclude-standard '*.c'; } | sort -u)
exit $status
