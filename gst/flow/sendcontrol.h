/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The control datagrams that a flow sends: responses to challenges, key packets, sender reports,
 * challenges and BYE. Errors of the system do not matter for them: later ones repeat what is lost.
 *
 * No socket, no lock and no clock. */
#ifndef GST_TFRC_SENDCONTROL_H
#define GST_TFRC_SENDCONTROL_H

#include "../keys/sinkkeys.h"
#include "flow.h"
#include "sendsession.h"

G_BEGIN_DECLS

/** The shortest time between two BYEs: twice the round-trip time if that is longer. A receiver that reports often is not
 * answered each time, and one on a short path has time to answer. */
#define GST_TFRC_MIN_BYE_INTERVAL_NS (G_GUINT64_CONSTANT (50) * 1000000)

/** For sendcontrol.c alone */
typedef struct
{
  GstTfrcSendSession *session;
  GstTfrcSinkKeys *keys; /* NULL: nothing is protected */
  guint16 rtcp_port;     /* of the receiver; 0: that of the data */
  gboolean wants_bye;
  guint64 bye_ns; /* when a BYE was added last; 0: never */
} GstTfrcSendControl;

/** @param keys NULL: nothing is protected
 * @param rtcp_port of the receiver, if its RTCP has a port of its own; 0: that of the data */
void gst_tfrc_send_control_init (GstTfrcSendControl *self, GstTfrcSendSession *session,
    GstTfrcSinkKeys *keys, guint16 rtcp_port);

/** Has gst_tfrc_send_control_poll_bye() add a BYE, unless the receiver knows that the stream has
 * ended. */
void gst_tfrc_send_control_say_bye (GstTfrcSendControl *self);

/** RTCP of the receiver was used. If the stream has ended, and the receiver still reports on it two round trips after
 * the last BYE, that BYE has been lost, or came before the receiver had validated the sender: another one leaves. */
void gst_tfrc_send_control_on_heard (GstTfrcSendControl *self);

/** Is a BYE to leave? */
gboolean gst_tfrc_send_control_wants_bye (const GstTfrcSendControl *self);

/** Adds responses and key packets.
 * @return FALSE if there was no room for all of them */
gboolean gst_tfrc_send_control_poll_first (
    GstTfrcSendControl *self, guint64 now_ns, GstTfrcPolled *polled);

/** Adds the sender report and the challenges that are due, as far as there is room. */
void gst_tfrc_send_control_poll_rtcp (
    GstTfrcSendControl *self, guint64 now_ns, GstTfrcPolled *polled);

/** Adds the BYE that is to leave, if there is room. */
void gst_tfrc_send_control_poll_bye (
    GstTfrcSendControl *self, guint64 now_ns, GstTfrcPolled *polled);

G_END_DECLS
#endif
