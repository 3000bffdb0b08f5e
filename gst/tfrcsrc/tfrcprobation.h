/* The first packet of what may become another stream, kept until its second
 * shows that it is one: RFC 3550 appendix A.1 with MIN_SEQUENTIAL 2.  So one
 * forged packet ends no stream, and no packet of a new one is lost.  No clock
 * and no locks. */
#ifndef TFRC_PROBATION_H
#define TFRC_PROBATION_H

#include <glib.h>
#include <tfrc/wire.h>

#include "../common/tfrcdatagrams.h"

G_BEGIN_DECLS

/** All zero holds nothing. */
typedef struct
{
  gboolean holds;               /**< the rest is valid */
  TfrcWireData header;
  TfrcReceivedPacket packet;    /**< its pointers lead to what follows */
  TfrcAddress from;
  guint8 data[TFRC_MAX_PACKET_BYTES];
} TfrcProbation;

/** Copies the packet; one that is held gives way to it. */
void tfrc_probation_hold (TfrcProbation * probation,
    const TfrcReceivedPacket * packet, const TfrcWireData * header);

/** Tells whether the packet follows the one that is held: from the same
 * address, of the same stream, with the next sequence number. */
gboolean tfrc_probation_is_passed (const TfrcProbation * probation,
    const TfrcReceivedPacket * packet, const TfrcWireData * header);

G_END_DECLS
#endif
