/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender's knowledge of its one receiver: whether the receiver is there, under which SSRC, and what
 * its reports say.
 *
 * The states, and what leads from one to another:
 *
 *                   heard                       silence
 *      WAITING -------------> CONNECTED -----------------------> LOST
 *                              |  ^  ^                            |
 *                          bye |  |  | heard                      |
 *                              v  |  +----------------------------+
 *                            GONE -+
 *                       (the BYE is doubted, and believed when no answer has come)
 *
 *     transition            function
 *     heard                 gst_tfrc_receiver_view_on_report(), _on_feedback(), _on_moved()
 *     silence               gst_tfrc_receiver_view_lose()
 *     bye                   gst_tfrc_receiver_view_on_bye()
 *     the BYE is believed   gst_tfrc_receiver_view_on_time()
 *
 * Challenges show that a host is there, and nothing more: they change no state. WAITING never comes
 * back.
 *
 * What always holds is in gst_tfrc_receiver_view_check(). No lock and no clock. */
#ifndef GST_TFRC_RECEIVERVIEW_H
#define GST_TFRC_RECEIVERVIEW_H

#include <glib.h>
#include <tfrc/wire.h>

#include "mediatimeout.h"
#include "playout.h"

G_BEGIN_DECLS

typedef enum
{
  GST_TFRC_PEER_WAITING,   /**< not heard of yet, or by challenges alone */
  GST_TFRC_PEER_CONNECTED, /**< heard of by feedback, or by a report about this stream */
  GST_TFRC_PEER_GONE,      /**< has said BYE */
  GST_TFRC_PEER_LOST       /**< silent for GST_TFRC_PEER_TIMEOUT_NS */
} GstTfrcPeerState;

#define GST_TFRC_PEER_TIMEOUT_NS (10 * G_GUINT64_CONSTANT (1000000000))

/** A packet of the peer has come.  It may have waited while this program was stopped, and that wait is no
 * silence of the peer. */
typedef struct
{
  guint64 ns;           /**< when */
  guint64 packets_sent; /**< by the sender until then, since its start */
} GstTfrcHeard;

/** For receiverview.c alone; all zero at first. */
typedef struct
{
  GstTfrcPeerState state;
  guint64 heard_ns;    /* when the peer was heard last, or when the stream began if that is later */
  guint64 answered_ns; /* when it showed last that the stream's packets come to it; 0: never */
  GstTfrcMediaTimeout media;
  guint32 ssrc;
  gboolean has_receiver; /* feedback of that SSRC has been used */
  gboolean counts_anew;  /* the peer's counters cannot be compared with earlier ones */
  gboolean has_says;
  TfrcWireState says;       /* the peer's last state; its counters can be true */
  TfrcWirePlayout playout;  /* with has_says: of the same feedback */
  guint64 counters_refused; /* how often counters could not be true */
  guint16 first_seq;        /* the first transport sequence number of the sender's SSRC */
  guint64 packets_before;   /* packets sent with earlier SSRCs */
  gboolean bye_believed;    /* if GONE: the BYE was true */
  guint64 believe_bye_ns;   /* if GONE: when the BYE will be taken as true */
  gboolean bye_answered;    /* the receiver knows of the sender's BYE: has said BYE, or is gone */
} GstTfrcReceiverView;

/** The first packet of a stream leaves.
 * @param first_seq its transport sequence number
 * @param packets_before that have left before it */
void gst_tfrc_receiver_view_begin (
    GstTfrcReceiverView *self, guint16 first_seq, guint64 packets_before, guint64 now_ns);

/** The sender has another SSRC: the receiver counts its feedback from 0. */
void gst_tfrc_receiver_view_renew (GstTfrcReceiverView *self);

/* ---- incoming ------------------------------------------------------------  */

/** A report of the peer has come.
 * @param is_echo it shows that RTCP of this stream has come to the peer lately */
void gst_tfrc_receiver_view_on_report (
    GstTfrcReceiverView *self, const TfrcWireRtcp *rtcp, gboolean is_echo, GstTfrcHeard heard);

/** The receiver is at another address now. */
void gst_tfrc_receiver_view_on_moved (GstTfrcReceiverView *self, guint64 now_ns);

/** Feedback has been used. Counters that cannot be true keep their last value. The rest of the
 * feedback is used: one forged packet of data can make the counters of an honest receiver wrong for
 * good, and the sender must not lose that receiver's feedback. */
void gst_tfrc_receiver_view_on_feedback (
    GstTfrcReceiverView *self, const TfrcWireRtcp *rtcp, GstTfrcHeard heard);

/** Such feedback has come as gst_tfrc_receiver_view_is_repeated() is about. */
void gst_tfrc_receiver_view_on_repeated (
    GstTfrcReceiverView *self, const TfrcWireRtcp *rtcp, GstTfrcHeard heard);

/** The peer has been silent for its timeout. */
void gst_tfrc_receiver_view_lose (GstTfrcReceiverView *self);

/** The peer has said BYE.
 * @param has_ended the sender has said BYE before
 * @return TRUE if the BYE is in doubt, as any host that sees the stream can forge it: the caller asks
 *   with a sender report, and calls gst_tfrc_receiver_view_doubt_bye() */
gboolean gst_tfrc_receiver_view_on_bye (GstTfrcReceiverView *self, gboolean has_ended);

/** The BYE is taken as true if the peer has not been heard until @a believe_ns. */
void gst_tfrc_receiver_view_doubt_bye (GstTfrcReceiverView *self, guint64 believe_ns);

/** The receiver knows of the sender's BYE. */
void gst_tfrc_receiver_view_on_bye_answered (GstTfrcReceiverView *self);

/* ---- time ---------------------------------------------------------------- */

/** Returns when a BYE is to be believed; G_MAXUINT64: there is none in doubt. */
guint64 gst_tfrc_receiver_view_next_ns (const GstTfrcReceiverView *self);

/** @return TRUE if a BYE is believed now */
gboolean gst_tfrc_receiver_view_on_time (GstTfrcReceiverView *self, guint64 now_ns);

/* ---- queries ------------------------------------------------------------- */

GstTfrcPeerState gst_tfrc_receiver_view_get_state (const GstTfrcReceiverView *self);

/** Returns whether the peer is connected, and shows that the stream's packets come to it: by feedback, by a
 * response to a challenge, or by reports that are echoes.  Whoever knows the SSRC can send other reports in
 * the peer's name.  After a media timeout (mediatimeout.h) only an arrival of data is an answer.
 * @param lost_ns when the peer is lost if it is not heard any more; G_MAXUINT64: never.  The answers end
 *   after as much time without one */
gboolean gst_tfrc_receiver_view_answers (
    const GstTfrcReceiverView *self, guint64 lost_ns, guint64 now_ns);

/** Returns when the peer was heard last, or when the stream began if that is later. */
guint64 gst_tfrc_receiver_view_get_heard_ns (const GstTfrcReceiverView *self);

/** Returns the SSRC of who was heard last; 0: nobody yet. */
guint32 gst_tfrc_receiver_view_get_ssrc (const GstTfrcReceiverView *self);

/** Has feedback been used? */
gboolean gst_tfrc_receiver_view_has_receiver (const GstTfrcReceiverView *self);

/** Is this the SSRC of the receiver whose feedback has been used? */
gboolean gst_tfrc_receiver_view_is_receiver (const GstTfrcReceiverView *self, guint32 ssrc);

/** Can the counters of feedback with this SSRC not be compared with earlier ones? */
gboolean gst_tfrc_receiver_view_counts_anew (const GstTfrcReceiverView *self, guint32 ssrc);

/** Has the sender another SSRC, of which there was no feedback yet? */
gboolean gst_tfrc_receiver_view_is_renewed (const GstTfrcReceiverView *self);

/** Is this feedback of the receiver, and newer than all that was used? A feedback number that has
 * been used before proves nothing: any host may repeat that feedback. */
gboolean gst_tfrc_receiver_view_is_newer (
    const GstTfrcReceiverView *self, const TfrcWireRtcp *rtcp);

/** Is nothing new in this feedback, of which gst_tfrc_receiver_view_is_newer() is true, but its number?
 * No packet has come since, and the feedback shows only where the receiver is. */
gboolean gst_tfrc_receiver_view_is_repeated (
    const GstTfrcReceiverView *self, const TfrcWireRtcp *rtcp);

/** Returns what the receiver's last feedback has said of its state; NULL: it has not.  */
const TfrcWireState *gst_tfrc_receiver_view_get_says (const GstTfrcReceiverView *self);

/** Has the newest packet come to the receiver, as its last feedback says?
 * @param packets_sent by the sender since its start */
gboolean gst_tfrc_receiver_view_has_newest (const GstTfrcReceiverView *self, guint64 packets_sent);

/** Returns what the receiver's last feedback has told of its player; nothing, if it has no state.  The
 * numbers are as they came: a receiver that lies spoils its own movie, and so does, without keys, a
 * host that forges the receiver's feedback. */
GstTfrcPlayout gst_tfrc_receiver_view_get_playout (const GstTfrcReceiverView *self);

/** Returns the number of the newest feedback that was used; 0: none, or without a number. */
guint32 gst_tfrc_receiver_view_get_number (const GstTfrcReceiverView *self);

/** Returns the transport sequence number of the first packet of the sender's SSRC. */
guint16 gst_tfrc_receiver_view_get_first_seq (const GstTfrcReceiverView *self);

/** Returns how often counters could not be true. */
guint64 gst_tfrc_receiver_view_get_refused (const GstTfrcReceiverView *self);

/** Does the receiver know of the sender's BYE? */
gboolean gst_tfrc_receiver_view_is_bye_answered (const GstTfrcReceiverView *self);

/** @return when it showed last that the stream's packets come to it, monotonic; 0: never */
guint64 gst_tfrc_receiver_view_get_answered_ns (const GstTfrcReceiverView *self);

/** Is there no receiver, as far as can be known?
 * @param is_controlled reports of RTP control the rate
 * @param is_unanswered the nofeedback timer has expired */
gboolean gst_tfrc_receiver_view_is_absent (
    const GstTfrcReceiverView *self, gboolean is_controlled, gboolean is_unanswered);

/** Returns which rule of this file does not hold, as a static English sentence; NULL: all hold. For
 * tests. */
const gchar *gst_tfrc_receiver_view_check (const GstTfrcReceiverView *self);

/** Returns one line with all that is known, to be freed: for a debugger (print
 * gst_tfrc_receiver_view_print (view)) and for logs. */
gchar *gst_tfrc_receiver_view_print (const GstTfrcReceiverView *self);

/** Returns the name of a state in messages and `stats'. */
const gchar *gst_tfrc_peer_state_get_name (GstTfrcPeerState state);

G_END_DECLS
#endif
