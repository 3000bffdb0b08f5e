/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The record of the bytes that a sender has sent: the bound on X_recv.
 *
 * A receiver cannot receive faster than the sender has sent.  RFC 5348 lets the sender send
 * twice X_recv (section 4.3 step 4), so a receiver with a false X_recv would set the rate.  The
 * record has the times at which bytes left, and gives the highest rate of any interval of the
 * length that X_recv covers. */
#ifndef TFRC_SENT_RECORD_H
#define TFRC_SENT_RECORD_H

#include <stdbool.h>
#include <stdint.h>

/* Marks are a tenth of an interval apart, so the record covers eight intervals. */
#define TFRC_SENT_RECORD_MARKS 80

typedef struct
{
  /* A mark stands for the packets from its time until the next mark. */
  struct
  {
    uint64_t time_ns;
    uint64_t last_ns;              /* when the last of its packets left; see below for the newest */
    uint64_t bytes;                /* sent before time_ns */
  } marks[TFRC_SENT_RECORD_MARKS]; /* a ring */
  unsigned n;                      /* marks in use */
  unsigned newest;                 /* index of the newest mark */
  bool complete;                   /* the record reaches back to the first packet */
  uint64_t last_ns;                /* when the last packet left */
  uint64_t bytes;                  /* sent in all */
  double highest_Bps;              /* of all rates that the record has given so far */
} TfrcSentRecord;

void tfrc_sent_record_init (TfrcSentRecord *record);

/* A packet leaves; interval_ns is the interval that feedback covers. */
void tfrc_sent_record_on_packet (
    TfrcSentRecord *record, uint32_t bytes, uint64_t interval_ns, uint64_t now_ns);

/* Takes back a packet of tfrc_sent_record_on_packet() that did not leave. */
void tfrc_sent_record_cancel (TfrcSentRecord *record, uint32_t bytes);

/* Returns the highest mean rate of any interval of that length that ends after since_ns.  The
 * result is never below the true value, whenever the packets left, because a receiver that tells the
 * truth is not to be taken for a liar.  It counts at most the bytes of an interval that is a fifth
 * longer.  If the record does not reach back to since_ns, the result is the highest rate known. */
double tfrc_sent_record_peak_Bps (
    TfrcSentRecord *record, uint64_t interval_ns, uint64_t since_ns, uint64_t now_ns);

/* Returns the number of bytes that had left before that time.  Between two marks, bytes count as
 * if they had left evenly.  A time before the first mark gives the bytes before the first mark. */
double tfrc_sent_record_bytes_before (const TfrcSentRecord *record, uint64_t time_ns);

#endif
