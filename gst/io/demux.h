/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A demultiplexer: gives a packet to the session that it belongs to.
 *
 * A packet belongs to a session when it comes from the session's remote address and has the SSRC of
 * the sender there (RFC 3550 section 8.2).  The table holds sessions that the owner has accepted,
 * and so a flood of other packets does not fill it.
 *
 * The demultiplexer does not know what a session is.  No socket, no clock, no locks. */
#ifndef GST_TFRC_DEMUX_H
#define GST_TFRC_DEMUX_H

#include "address.h"

G_BEGIN_DECLS

typedef struct
{
  GHashTable *sessions; /* by address and SSRC */
  GHashTable *hosts; /* by address: a GQueue of sessions, in the order in which they were added */
} GstTfrcDemux;

/** Begins without sessions.  To be freed with gst_tfrc_demux_clear(). */
void gst_tfrc_demux_init (GstTfrcDemux *self);

/** Frees the table.  The sessions stay the owner's. */
void gst_tfrc_demux_clear (GstTfrcDemux *self);

/** Adds a session.  A session that had this address and SSRC before is replaced.  O(1).
 * @param session not NULL; stays the owner's, and valid until gst_tfrc_demux_remove() */
void gst_tfrc_demux_add (
    GstTfrcDemux *self, const GstTfrcAddress *address, guint32 ssrc, gpointer session);

/** Removes the session with this address and SSRC, if there is one.  O(n) in the sessions of the
 * address. */
void gst_tfrc_demux_remove (GstTfrcDemux *self, const GstTfrcAddress *address, guint32 ssrc);

/** Returns the session that a packet belongs to; NULL: none.  O(1).
 * @param address where the packet comes from
 * @param ssrc of its sender */
gpointer gst_tfrc_demux_find (
    const GstTfrcDemux *self, const GstTfrcAddress *address, guint32 ssrc);

/** Returns the session that was added first of those at this address, whatever the SSRC; NULL: there
 * is none.  O(1). */
gpointer gst_tfrc_demux_find_at (const GstTfrcDemux *self, const GstTfrcAddress *address);

/** Returns the session that a packet belongs to by the SSRC in its header, or else the session that
 * was added first of those at its address; NULL: there is neither.  Nothing else of the packet is
 * looked at, so that the packet may be protected or no RTP at all.  O(1). */
gpointer gst_tfrc_demux_find_packet (
    const GstTfrcDemux *self, const GstTfrcAddress *from, const guint8 *data, gsize size);

/** Returns how many sessions there are. */
guint gst_tfrc_demux_size (const GstTfrcDemux *self);

G_END_DECLS
#endif
