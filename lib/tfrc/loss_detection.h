/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detection of packets that are lost or marked, and of those that start loss events (RFC 5348
 * sections 5.1 and 5.2).
 *
 * This keeps the gaps between packets, and no list of packets.  A gap is a run of missing
 * packets, or one marked packet.  A gap below NDUPACK later packets is confirmed.  The loss
 * intervals are the fold of the confirmed gaps, in order (loss_history.h).  A late packet that
 * fills a hole shrinks its gap, and the fold is made again from the gaps that are remembered.  So
 * the cost of a loss does not depend on the number of packets before it, and a late packet takes
 * back exactly the effect of its absence.
 *
 * Where packets overtake each other, a gap below NDUPACK later packets is awaited for the reordering
 * window (reorder_window.h), from the arrival of the packet behind it on, before it is confirmed.  A
 * mark is not awaited, and neither are the gaps before it. */
#ifndef TFRC_LOSS_DETECTION_H
#define TFRC_LOSS_DETECTION_H

#include "loss_history.h"
#include "reorder_window.h"

/* Section 5.1 */
#define TFRC_NDUPACK 3

/* The number of gaps that late packets can still fill */
#define TFRC_MAX_GAPS 40

/* The number of gaps that are not confirmed, at most.  The others are left for late packets to fill.
 * More gaps within the window of at most R are more losses than reordering explains, or a rate at
 * which one loss event for each R follows anyway. */
#define TFRC_MAX_AWAITED_GAPS (TFRC_MAX_GAPS / 2)

/* Tells whether a link has lost the packets, this many in a row, that are missing before the packet
 * that has just arrived.  Otherwise congestion has. */
typedef bool (*TfrcLinkErrorFunc) (void *user, uint32_t count);

typedef struct
{
  TfrcLossRules rules;
  TfrcLossHistory all;         /* every loss */
  TfrcLossHistory *congestion; /* without link errors; NULL: link errors are not told apart */
  TfrcLinkErrorFunc is_link_error;
  void *link_error_user;
  TfrcGap gaps[TFRC_MAX_GAPS]; /* in order of sequence numbers */
  uint32_t n_gaps;
  uint32_t n_confirmed;       /* number of confirmed gaps, which come first in gaps[] */
  uint64_t top[TFRC_NDUPACK]; /* the highest sequence numbers received, highest first; 0: none */
  uint64_t last_seq;          /* the packet that arrived last ... */
  uint64_t last_ns;
  uint64_t path_seq; /* of the first packet on the path in use; 0: the stream has had one path */
  uint64_t lost;     /* packets in confirmed gaps since the start, without those that came late */
  uint64_t link_errors; /* those of them that is_link_error has told */
  TfrcReorderWindow window;
} TfrcLossDetection;

/* The change that a packet made to the loss events */
typedef enum
{
  TFRC_LOSS_NOTHING,
  TFRC_LOSS_NEW_EVENT,
  TFRC_LOSS_EVENT_REMOVED
} TfrcLossChange;

void tfrc_loss_detection_init (TfrcLossDetection *detection, TfrcLossIntervalMethod method,
    uint32_t n, bool discounting, TfrcFirstIntervalFunc first_interval, void *user);

/* Keeps a second history without link errors, in *congestion, which is not to be moved or freed
 * while the detection is in use.  is_link_error gets the user.  To be called before the first
 * packet. */
void tfrc_loss_detection_classify (TfrcLossDetection *detection, TfrcLossHistory *congestion,
    TfrcLinkErrorFunc is_link_error, void *user);

/* Starts the history. first_seq: of the stream's first packet, which need not have arrived */
void tfrc_loss_detection_start (TfrcLossDetection *detection, uint64_t first_seq, uint64_t now_ns);

/* Handles a packet above all others. */
TfrcLossChange tfrc_loss_detection_on_next (
    TfrcLossDetection *detection, uint64_t seq, bool ce, uint32_t rtt_us, uint64_t now_ns);

/* Handles a packet that is not above all others. *duplicate: the packet came before, or it is
 * too old to tell; then nothing has changed. */
TfrcLossChange tfrc_loss_detection_on_behind (TfrcLossDetection *detection, uint64_t seq, bool ce,
    uint32_t rtt_us, uint64_t now_ns, bool *duplicate);

/* Returns when tfrc_loss_detection_expire() has something to do, unless a packet arrives before;
 * TFRC_TIME_NEVER: there is nothing to wait for. */
uint64_t tfrc_loss_detection_expiry_ns (const TfrcLossDetection *detection, uint32_t rtt_us);

/* Confirms the gaps that are not awaited any longer. */
TfrcLossChange tfrc_loss_detection_expire (
    TfrcLossDetection *detection, uint32_t rtt_us, uint64_t now_ns);

/* The sender has restarted its sequence numbers at seq.  The numbers between do not count as lost;
 * packets that were missing before are lost. */
void tfrc_loss_detection_restart (
    TfrcLossDetection *detection, uint64_t seq, uint32_t rtt_us, uint64_t now_ns);

/* The packet that has just arrived is the first on another path.  Packets that are missing
 * before it were overtaken, or lost on the old path, so they do not count as lost on the new
 * path. */
void tfrc_loss_detection_new_path (TfrcLossDetection *detection);

/* Starts new histories on the path in use, as if all loss intervals before it had this length,
 * which is at least 1. */
void tfrc_loss_detection_rebuild (TfrcLossDetection *detection, double interval);

/* Starts the moments of the loss intervals anew, with the intervals that end above all packets
 * that have arrived. */
void tfrc_loss_detection_reset_moments (TfrcLossDetection *detection);

#endif
