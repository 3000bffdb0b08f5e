#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/check-abi.sh distinguishes compatible from incompatible changes of libtfrc; the test changes
# copies of the library. Exit status: 0 passed, 1 failed, 77 abidiff, cc, git, meson or ninja is missing.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/scripts/abi-revisions.sh
. "$(dirname "$0")/abi-revisions.sh"

revision same
compatible same

revision function
echo 'TFRC_API int tfrc_added (void); int tfrc_added (void) { return 1; }' >>"$SCRATCH/function/lib/tfrc/version.c"
edit function lib/tfrc/libtfrc.map 's/tfrc_version;/&\n    tfrc_added;/'
compatible function

revision removed
edit removed lib/tfrc/libtfrc.map '/tfrc_sender_cancel;/d'
incompatible removed tfrc_sender_cancel

revision parameter
edit parameter $include/smoother.h 's/tfrc_smoother_take (TfrcSmoother \*smoother, uint32_t/tfrc_smoother_take (TfrcSmoother *smoother, uint64_t/'
edit parameter lib/tfrc/smoother.c 's/tfrc_smoother_take (TfrcSmoother \*smoother, uint32_t/tfrc_smoother_take (TfrcSmoother *smoother, uint64_t/'
incompatible parameter tfrc_smoother_take

revision inserted
edit inserted $include/sender.h 's/^  double x_recv_Bps;.*/  double inserted;\n&/'
incompatible inserted TfrcSenderStats

revision packet
edit packet $include/packets.h 's/reserved\[3\]/reserved[5]/'
incompatible packet TfrcFeedback

# ---- against the last release --------------------------------------------

project=$SCRATCH/project
mkdir "$project"
cp -r "$ROOT"/{lib,scripts,meson.build,meson_options.txt,experiments} "$project"
mkdir "$project/gst"
cp -r "$ROOT/gst/queue" "$project/gst"
in_project() {
  git -C "$project" -c user.name=test -c user.email=test@localhost -c commit.gpgsign=false "$@"
}
change_feedback() {
  sed -i "s/reserved\[$1\]/reserved[$2]/" "$project/$include/packets.h"
}
# compares_with REVISION [DIRECTORY]: the check would compare the clone with the revision
compares_with() {
  equals "the revision to compare with" "$1" "$("${2:-$project}/scripts/check-abi.sh" --base)"
}
in_project init -q
in_project add -A
in_project commit -q -m first
first=$(in_project rev-parse HEAD)
compares_with "$first"

# Without a release: the commit before the last one that changed a public header.
echo '/* end */' >>"$project/$include/packets.h"
in_project commit -q -a -m header
header=$(in_project rev-parse HEAD)
in_project commit -q --allow-empty -m other
compares_with "$first"
# A clone of the last commits, without tags as any clone of a branch may be, has an older one to compare with, or itself.
for depth in 1 2 3; do
  git clone -q --no-tags --depth $depth "file://$project" "$SCRATCH/clone-$depth"
done
compares_with "$(in_project rev-parse HEAD)" "$SCRATCH/clone-1"
compares_with "$header" "$SCRATCH/clone-2"
compares_with "$first" "$SCRATCH/clone-3"
"$SCRATCH/clone-3/scripts/check-abi.sh" >"$SCRATCH/output" 2>&1 || {
  cat "$SCRATCH/output"
  fail "a comment is refused"
}
contains "$SCRATCH/output" "libtfrc since $first"

# A release is compared with the one before, which the first one does not have, and what is changed in it with itself.
in_project tag v0.1.0
compares_with "$first"
in_project commit -q --allow-empty -m later
compares_with v0.1.0
in_project tag v0.1.1
compares_with v0.1.0
echo '/* changed */' >>"$project/$include/packets.h"
compares_with v0.1.1
in_project checkout -q -- "$include/packets.h"
in_project tag -d v0.1.1
sed -i "s/reserved\[3\]/reserved[5]/" "$project/$include/packets.h"
! "$project/scripts/check-abi.sh" >"$SCRATCH/output" 2>&1 || fail "a larger TfrcFeedback was accepted"
contains "$SCRATCH/output" TfrcFeedback
