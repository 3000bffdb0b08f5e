#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A program that was compiled for a library with shorter structs runs with a library whose structs have
# grown. Exit status: 0 passed, 1 failed, 77 abidiff, cc, git, meson or ninja is missing.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/scripts/abi-revisions.sh
. "$(dirname "$0")/abi-revisions.sh"

# Every struct that grows gets a field at its end, with a default that is not 0.
revision grown
grow() {
  edit grown "$include/$1" "s/^} $2;/  double grown_first, grown_second;\n&/"
}
grow sender.h TfrcSenderConfig
grow sender.h TfrcSenderStats
grow receiver.h TfrcReceiverConfig
grow receiver.h TfrcReceiverStats
grow receiver.h TfrcLossStatistics
grow handover.h TfrcHandover
grow path.h TfrcPathConfig
grow wire.h TfrcWireRtcp
edit grown lib/tfrc/config.c 's/^  config->rate_scale = 1;/&\n  config->grown_second = 42;/'
edit grown lib/tfrc/sender.c 's/^  if (result != TFRC_OK)/  if (result == TFRC_OK \&\& known.grown_second != 42)\n    return TFRC_ERROR_RANGE;\n&/'
edit grown lib/tfrc/sender.c 's/^  return tfrc_struct_write (stats, .*/  known.grown_first = known.grown_second = 42;\n&/'
compatible grown

# ---- an older program, and a newer one ---------------------------------

cat >"$SCRATCH/program.c" <<'PROGRAM'
#include <stdio.h>
#include <string.h>
#include <tfrc/path.h>
#include <tfrc/tfrc.h>
#include <tfrc/wire.h>

#define GUARDED(type) struct { type value; unsigned char guard[64]; }
#define REQUIRE(condition) \
  if (!(condition)) { \
    printf ("%s failed\n", #condition); \
    return 1; \
  }
#define ARM(guarded) memset (&guarded, 0xa5, sizeof guarded)
#define INTACT(guarded) is_intact (guarded.guard)

static int
is_intact (const unsigned char *guard)
{
  for (int i = 0; i < 64; i++) {
    if (guard[i] != 0xa5)
      return 0;
  }
  return 1;
}

int
main (void)
{
  GUARDED (TfrcSenderConfig) sender_config;
  GUARDED (TfrcReceiverConfig) receiver_config;
  GUARDED (TfrcSenderStats) sender_stats;
  GUARDED (TfrcReceiverStats) receiver_stats;
  GUARDED (TfrcLossStatistics) statistics;
  GUARDED (TfrcHandover) handover;
  GUARDED (TfrcPathConfig) path_config;
  GUARDED (TfrcWireRtcp) rtcp;
  const unsigned char empty_rr[] = { 0x80, 201, 0, 1, 0, 0, 0, 7 };
  unsigned char buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcSender *sender;
  TfrcReceiver *receiver;
  TfrcPath *path;

  ARM (sender_config);
  ARM (receiver_config);
  ARM (sender_stats);
  ARM (receiver_stats);
  ARM (statistics);
  ARM (rtcp);
  /* What lies behind the inputs would be refused if it was read as a field. */
  ARM (handover);
  ARM (path_config);
  memset (&handover.value, 0, sizeof handover.value);
  memset (&path_config.value, 0, sizeof path_config.value);
  path_config.value.full_bytes = TFRC_WIRE_MIN_PATH_BYTES;

  REQUIRE (tfrc_sender_config_init (&sender_config.value) == TFRC_OK);
  REQUIRE (tfrc_receiver_config_init (&receiver_config.value) == TFRC_OK);
  REQUIRE (tfrc_sender_new (&sender, &sender_config.value) == TFRC_OK);
  REQUIRE (tfrc_receiver_new (&receiver, &receiver_config.value) == TFRC_OK);
  REQUIRE (tfrc_sender_get_stats (sender, &sender_stats.value) == TFRC_OK);
  REQUIRE (sender_stats.value.x_Bps == 1316);
  REQUIRE (tfrc_receiver_get_stats (receiver, &receiver_stats.value) == TFRC_OK);
  REQUIRE (tfrc_receiver_get_loss_statistics (receiver, &statistics.value) == TFRC_OK);
  REQUIRE (tfrc_receiver_start_handover (receiver, &handover.value, 1) == TFRC_OK);
  REQUIRE (tfrc_path_new (&path) == TFRC_OK);
  REQUIRE (tfrc_path_start (path, &path_config.value, 1) == TFRC_OK);
  REQUIRE (tfrc_wire_parse_rtcp (empty_rr, sizeof empty_rr, 0, &rtcp.value) == TFRC_WIRE_OK);
  REQUIRE (rtcp.value.sender_ssrc == 7 && rtcp.value.has_rr);
  REQUIRE (tfrc_wire_write_receiver_report (buffer, &rtcp.value, "a") > 0);

  REQUIRE (INTACT (sender_config) && INTACT (receiver_config) && INTACT (sender_stats));
  REQUIRE (INTACT (receiver_stats) && INTACT (statistics) && INTACT (rtcp));
  tfrc_sender_free (sender);
  tfrc_receiver_free (receiver);
  tfrc_path_free (path);
  return 0;
}
PROGRAM

# run PROGRAMS_REVISION LIBRARYS_REVISION
run() {
  cc -std=c99 -g -I"$SCRATCH/$1/lib/include" -o "$SCRATCH/program" "$SCRATCH/program.c" "$SCRATCH/$1/libtfrc.so.0"
  LD_LIBRARY_PATH=$SCRATCH/$2 "$SCRATCH/program" >"$SCRATCH/output" 2>&1 || {
    cat "$SCRATCH/output"
    fail "a program for the $1 library does not run with the $2 one"
  }
}
run old old
run old grown
run grown grown

# A newer program gets 0 for fields that the library does not have. It does not run if it sets one
# of them.
run grown old
sed -i.before 's/^  REQUIRE (tfrc_sender_new.*/  sender_config.value.grown_second = 42;\n  REQUIRE (tfrc_sender_new (\&sender, \&sender_config.value) == TFRC_ERROR_SIZE);\n  sender_config.value.grown_second = 0;\n&/' \
  "$SCRATCH/program.c"
run grown old
