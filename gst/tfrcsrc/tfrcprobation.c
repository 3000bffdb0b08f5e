/* Streams on probation, see tfrcprobation.h. */
#include "tfrcprobation.h"

#include <string.h>

void
tfrc_probation_hold (TfrcProbation * probation,
    const TfrcReceivedPacket * packet, const TfrcWireData * header)
{
  probation->holds = TRUE;
  probation->header = *header;
  probation->packet = *packet;
  probation->from = *packet->from;
  memcpy (probation->data, packet->data, packet->size);
  probation->packet.from = &probation->from;
  probation->packet.data = probation->data;
}

gboolean
tfrc_probation_is_passed (const TfrcProbation * probation,
    const TfrcReceivedPacket * packet, const TfrcWireData * header)
{
  return probation->holds
      && header->ssrc == probation->header.ssrc
      && header->seq == (guint16) (probation->header.seq + 1)
      && tfrc_address_equal (packet->from, &probation->from);
}
