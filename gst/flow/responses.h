/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The responses that a flow owes to challenges of its receiver (docs/wire-format.md).
 *
 * Anybody can send challenges with the receiver's address, so that responses are limited: 20 at once and
 * 20 per second for the receiver, and as many for all others together. A host that forges challenges
 * does not know the receiver's SSRC, so that the receiver keeps its own turns.
 *
 * No socket, no lock and no clock. */
#ifndef GST_TFRC_RESPONSES_H
#define GST_TFRC_RESPONSES_H

#include <tfrc/wire.h>

#include "../common/tokenbucket.h"
#include "../io/address.h"

G_BEGIN_DECLS

#define GST_TFRC_RESPONSES_PER_S 20
#define GST_TFRC_RESPONSES_BURST 20

/** Responses that wait at most: all that the limit lets through at once. If more wait, the oldest is
 * forgotten. */
#define GST_TFRC_RESPONSES_MAX (2 * GST_TFRC_RESPONSES_BURST)

/** For responses.c alone */
typedef struct
{
  GstTfrcTokenBucket tokens[2]; /* for others than the receiver; for the receiver */
  struct
  {
    guint8 data[TFRC_WIRE_PATH_DATA_BYTES];
    GstTfrcAddress to;
  } owed[GST_TFRC_RESPONSES_MAX]; /* a ring */
  guint first, n;
} GstTfrcResponses;

void gst_tfrc_responses_init (GstTfrcResponses *self);

/** A challenge has come.
 * @param is_receiver it names the SSRC of the receiver
 * @param data that the response has to repeat, TFRC_WIRE_PATH_DATA_BYTES
 * @return FALSE: too many have come, and this one is not answered */
gboolean gst_tfrc_responses_on_challenge (GstTfrcResponses *self, gboolean is_receiver,
    const guint8 *data, const GstTfrcAddress *from, guint64 now_ns);

/** Takes the oldest response.
 * @param data set to what the response repeats
 * @param to set to the destination
 * @return FALSE: none is owed */
gboolean gst_tfrc_responses_take (GstTfrcResponses *self, guint8 *data, GstTfrcAddress *to);

/** Is a response owed? */
gboolean gst_tfrc_responses_are_owed (const GstTfrcResponses *self);

G_END_DECLS
#endif
