/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way of datagrams out of a port: which socket each leaves from, sealing, and what becomes of
 * each. Runs without the lock of the port. */
#ifndef GST_TFRC_OUTLETS_H
#define GST_TFRC_OUTLETS_H

#include "../flow/flow.h"
#include "../io/endpoint.h"

G_BEGIN_DECLS

/** The sockets that datagrams leave from while the port is not locked */
typedef struct
{
  GstTfrcEndpoint *active;
  GstTfrcEndpoint *old;  /**< of a migration; NULL: none */
  GstTfrcEndpoint *rtcp; /**< NULL: RTCP leaves from the others; lasts as long as the port */
} GstTfrcOutlets;

/** Take and give up references to the sockets that another thread may close meanwhile. */
void gst_tfrc_outlets_ref (const GstTfrcOutlets *outlets);
void gst_tfrc_outlets_unref (const GstTfrcOutlets *outlets);

/** Seals and sends what a poll has handed out, in order, and sets the result of each datagram. Data
 * packets with one destination leave together; the first that fails stops those behind it. */
void gst_tfrc_outlets_send (const GstTfrcOutlets *outlets, GstTfrcPolled *polled);

G_END_DECLS
#endif
