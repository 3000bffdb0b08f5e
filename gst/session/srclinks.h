/* Over which of this host's links a packet has come: the one that a receiver
 * has changed to, or the one before.  No socket, no clock, no locks. */
#ifndef GST_TFRC_SRCLINKS_H
#define GST_TFRC_SRCLINKS_H

#include "../io/datagrams.h"

G_BEGIN_DECLS

/** All zero: any link, and none before. */
typedef struct
{
  GstTfrcLink in_use; /**< what is known of it; answers leave over it */
  guint8 number;      /**< of it, as TfrcData has it; wraps */
} GstTfrcSrcLinks;

/** Another link is in use from now on. */
void gst_tfrc_src_links_change (GstTfrcSrcLinks *links, const GstTfrcLink *link);

/** From now on any link is the one in use. */
void gst_tfrc_src_links_forget (GstTfrcSrcLinks *links);

/** Tells whether all that is known of the link in use is true of the packet. */
gboolean gst_tfrc_src_links_is_in_use (
    const GstTfrcSrcLinks *links, const GstTfrcReceivedPacket *packet);

/** Returns the number of the link that the packet has come over: all but the
 * one in use count as the one before. */
guint8 gst_tfrc_src_links_number_of (
    const GstTfrcSrcLinks *links, const GstTfrcReceivedPacket *packet);

/** Tells whether nothing is known of the link; whether all that is known of it is
 * true of the other. */
gboolean gst_tfrc_src_link_is_any (const GstTfrcLink *link);
gboolean gst_tfrc_src_link_covers (const GstTfrcLink *link, const GstTfrcLink *other);

G_END_DECLS
#endif
