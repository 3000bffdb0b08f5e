/* Over which of this host's links a packet has come: the one that a receiver
 * has changed to, or the one before.  No socket, no clock, no locks. */
#ifndef TFRC_SRC_LINKS_H
#define TFRC_SRC_LINKS_H

#include "../common/tfrcdatagrams.h"

G_BEGIN_DECLS

/** All zero: any link, and none before. */
typedef struct
{
  TfrcLink in_use; /**< what is known of it; answers leave over it */
  guint8 number;   /**< of it, as TfrcData has it; wraps */
} TfrcSrcLinks;

/** Another link is in use from now on. */
void tfrc_src_links_change (TfrcSrcLinks *links, const TfrcLink *link);

/** From now on any link is the one in use. */
void tfrc_src_links_forget (TfrcSrcLinks *links);

/** Tells whether all that is known of the link in use is true of the packet. */
gboolean tfrc_src_links_is_in_use (const TfrcSrcLinks *links, const TfrcReceivedPacket *packet);

/** Returns the number of the link that the packet has come over: all but the
 * one in use count as the one before. */
guint8 tfrc_src_links_number_of (const TfrcSrcLinks *links, const TfrcReceivedPacket *packet);

/** Tells whether nothing is known of the link; whether all that is known of it is
 * true of the other. */
gboolean tfrc_src_link_is_any (const TfrcLink *link);
gboolean tfrc_src_link_covers (const TfrcLink *link, const TfrcLink *other);

G_END_DECLS
#endif
