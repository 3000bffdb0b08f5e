/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The responses that an end owes to challenges of its peer (docs/wire-format.md).
 *
 * Anybody can send challenges with the peer's address, so that responses are limited: 20 at once and
 * 20 per second for the peer, and as many for all others together. A host that forges challenges does
 * not know the peer's SSRC, so that the peer keeps its own turns.
 *
 * Challenges that come together are all answered: a sender challenges several of its receiver's
 * addresses at a time, and one of them with two sizes.
 *
 * No socket, no lock and no clock. */
#ifndef GST_TFRC_RESPONSES_H
#define GST_TFRC_RESPONSES_H

#include <tfrc/wire.h>

#include "../common/tokenbucket.h"
#include "../io/datagrams.h"

G_BEGIN_DECLS

#define GST_TFRC_RESPONSES_PER_S 20
#define GST_TFRC_RESPONSES_BURST 20

/** Responses that wait at most: all that the limit lets through at once. If more wait, the oldest is
 * forgotten. */
#define GST_TFRC_RESPONSES_MAX (2 * GST_TFRC_RESPONSES_BURST)

/** A response to send */
typedef struct
{
  guint8 data[TFRC_WIRE_PATH_DATA_BYTES]; /**< of the challenge */
  GstTfrcAddress to;                      /**< where the challenge came from */
  GstTfrcLocalPath path;                  /**< that the challenge came over */
} GstTfrcResponse;

/** For responses.c alone */
typedef struct
{
  GstTfrcTokenBucket tokens[2];                 /* for others than the peer; for the peer */
  GstTfrcResponse owed[GST_TFRC_RESPONSES_MAX]; /* a ring */
  guint first, n;
} GstTfrcResponses;

void gst_tfrc_responses_init (GstTfrcResponses *self);

/** A challenge has come.
 * @param is_peer the challenge names the SSRC of the peer
 * @param data that the response has to repeat
 * @param packet that the challenge came in
 * @return FALSE: too many have come, and this one is not answered */
gboolean gst_tfrc_responses_on_challenge (GstTfrcResponses *self, gboolean is_peer,
    const guint8 data[TFRC_WIRE_PATH_DATA_BYTES], const GstTfrcReceivedPacket *packet);

/** Takes the oldest response.
 * @return FALSE: none is owed, and @a response is as it was */
gboolean gst_tfrc_responses_take (GstTfrcResponses *self, GstTfrcResponse *response);

/** Is a response owed? */
gboolean gst_tfrc_responses_are_owed (const GstTfrcResponses *self);

G_END_DECLS
#endif
