/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP packets: types, sizes and fixed fields, for reading and writing; docs/wire-format.md,
 * "RTCP". */
#ifndef TFRC_WIRE_RTCP_H
#define TFRC_WIRE_RTCP_H

#include <tfrc/wire.h>

enum
{
  RTCP_TYPE_MIN = 192, /* types are in this range (RFC 5761 section 4) */
  RTCP_TYPE_SR = 200,
  RTCP_TYPE_RR = 201,
  RTCP_TYPE_SDES = 202,
  RTCP_TYPE_BYE = 203,
  RTCP_TYPE_APP = 204,
  RTCP_TYPE_RTPFB = 205,
  RTCP_TYPE_PSFB = 206,
  RTCP_TYPE_MAX = 223
};

#define RTCP_HEADER_BYTES 4
#define RTCP_MAX_BYTES (4 * 65536)
#define RTCP_SSRC_BYTES 4
#define RTCP_RR_BYTES (RTCP_HEADER_BYTES + RTCP_SSRC_BYTES)
#define RTCP_SR_BYTES (RTCP_RR_BYTES + 20)
#define RTCP_REPORT_BYTES 24
#define RTCP_BYE_BYTES (RTCP_HEADER_BYTES + RTCP_SSRC_BYTES)
#define RTCP_FEEDBACK_BYTES 28
#define RTCP_APP_BYTES 12 /* header, SSRC and name */
#define RTCP_APP_STATE_BYTES 36
#define RTCP_APP_CLASSIFIED_BYTES 8 /* more with TFRC_WIRE_STATE_CLASSIFIED */
#define RTCP_APP_ECN_BYTES 12       /* more with TFRC_WIRE_STATE_ECN, behind those */
#define RTCP_APP_PLAYOUT_BYTES 12   /* more behind those, see TfrcWirePlayout */
#define RTCP_PLAYOUT_DELAY_MS 2     /* the unit of the playout delay */
#define RTCP_PLAYOUT_DELAY_MAX 0xffffu
#define RTCP_APP_CLOCK_BYTES 16
#define RTCP_APP_NAME 0x54465243 /* "TFRC" */
#define RTCP_APP_NAME_RIST 0x52495354
#define RTCP_APP_SUBTYPE_RIST_REQUEST 0
#define RTCP_APP_SUBTYPE_STATE 0
#define RTCP_APP_SUBTYPE_CLOCK 1
#define RTCP_APP_SUBTYPE_CHALLENGE 2
#define RTCP_APP_SUBTYPE_RESPONSE 3
#define RTCP_FMT_NACK 1 /* generic NACK */
#define RTCP_FMT_TFRC 2
#define RTCP_FMT_PLI 1          /* picture loss indication, of RTCP_TYPE_PSFB */
#define RTCP_FMT_TRANSPORT 15   /* transport-wide feedback */
#define RTCP_NACK_PAIR_BYTES 4  /* PID and BLP */
#define RTCP_RIST_RANGE_BYTES 4 /* the first number, and how many follow it */
#define RTCP_FB_BYTES 12        /* header, SSRC of the receiver, SSRC of the media */
#define RTCP_P_ONE 4294967296.0 /* p = 1 in the unit of the wire; written as RTCP_P_MAX */
#define RTCP_P_MAX 0xffffffffu

/* The bytes of a state packet with these flags, without the words about playout */
static inline size_t
tfrc_rtcp_state_bytes (unsigned flags)
{
  return RTCP_APP_STATE_BYTES
      + ((flags & TFRC_WIRE_STATE_CLASSIFIED) != 0 ? RTCP_APP_CLASSIFIED_BYTES : 0)
      + ((flags & TFRC_WIRE_STATE_ECN) != 0 ? RTCP_APP_ECN_BYTES : 0);
}

#endif
