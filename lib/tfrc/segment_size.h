/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mean segment size s (RFC 5348 section 4.1).  With loss, it covers the last four loss
 * intervals, of 1/p packets each.  Without loss, it covers all packets, but at most some
 * thousands. */
#ifndef TFRC_SEGMENT_SIZE_H
#define TFRC_SEGMENT_SIZE_H

#include <stdint.h>

typedef struct
{
  double mean_bytes;
  uint32_t packets; /* number of packets in the mean, up to the window */
} TfrcSegmentSize;

/* initial_bytes is s until a packet has been counted. */
void tfrc_segment_size_init (TfrcSegmentSize *size, double initial_bytes);

/* Counts one packet; p is the loss event rate, 0 if none is known. */
void tfrc_segment_size_on_packet (TfrcSegmentSize *size, uint32_t bytes, double p);

#endif
