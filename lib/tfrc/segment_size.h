/* The mean segment size s (RFC 5348 section 4.1): over the last four loss intervals, whose length the sender knows as
 * 1/p packets each; over all packets, but at most some thousands, while there is no loss. */
#ifndef TFRC_SEGMENT_SIZE_H
#define TFRC_SEGMENT_SIZE_H

#include <stdint.h>

typedef struct
{
  double mean_bytes;
  uint32_t packets; /* averaged so far, up to the window */
} TfrcSegmentSize;

/* initial_bytes stands for s until a packet has been counted. */
void tfrc_segment_size_init (TfrcSegmentSize *size, double initial_bytes);

/* Counts one packet; p is the loss event rate, 0 if none is known. */
void tfrc_segment_size_on_packet (TfrcSegmentSize *size, uint32_t bytes, double p);

#endif
