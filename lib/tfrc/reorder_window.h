/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reordering window: how long a missing packet may still come, after NDUPACK later packets have
 * arrived, before it counts as lost.  RFC 5348 section 5.1 leaves an adaptive rule to later versions;
 * this one follows RACK-TLP (RFC 8985 section 6.2 step 4).
 *
 * The window is a number of quarters of R, at most four.  It is 0 until a packet has come after
 * NDUPACK later ones, and then long enough for that packet.  After each 16 loss events it becomes
 * what the packets since the last review have needed. */
#ifndef TFRC_REORDER_WINDOW_H
#define TFRC_REORDER_WINDOW_H

#include <stdint.h>

/* For reorder_window.c alone; all zero has no window. */
typedef struct
{
  uint64_t max_ns;      /* TfrcReceiverConfig.reorder_window_ns */
  uint32_t quarters;    /* the window */
  uint32_t needed;      /* the window that late packets have needed since the last review */
  uint32_t loss_events; /* since the last review */
} TfrcReorderWindow;

/* Starts without reordering. max_ns: the longest window; 0: there is none */
void tfrc_reorder_window_init (TfrcReorderWindow *window, uint64_t max_ns);

/* The window, at most R.  0 while no reordering has been seen. */
uint64_t tfrc_reorder_window_ns (const TfrcReorderWindow *window, uint32_t rtt_us);

/* A packet has come after NDUPACK later ones, late_ns after the first of them. */
void tfrc_reorder_window_on_late (TfrcReorderWindow *window, uint64_t late_ns, uint32_t rtt_us);

/* A packet that was not awaited any longer has started a loss event. */
void tfrc_reorder_window_on_loss_event (TfrcReorderWindow *window);

/* Packets take another path, whose reordering is not known. */
void tfrc_reorder_window_on_new_path (TfrcReorderWindow *window);

#endif
