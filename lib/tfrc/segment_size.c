/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mean segment size, see segment_size.h. */
#include "segment_size.h"

#define LOSS_INTERVALS 4.0
#define MAX_WINDOW_PACKETS 4096.0

void
tfrc_segment_size_init (TfrcSegmentSize *size, double initial_bytes)
{
  size->mean_bytes = initial_bytes;
  size->packets = 0;
}

void
tfrc_segment_size_on_packet (TfrcSegmentSize *size, uint32_t bytes, double p)
{
  double window = MAX_WINDOW_PACKETS;

  if (p > LOSS_INTERVALS / MAX_WINDOW_PACKETS)
    window = LOSS_INTERVALS / p;
  size->packets = size->packets + 1 < window ? size->packets + 1 : (uint32_t) window;
  /* The mean of all packets until the window is full, an exponentially weighted mean afterwards */
  size->mean_bytes += (bytes - size->mean_bytes) / size->packets;
}
