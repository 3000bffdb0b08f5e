/* Which link a packet came over, see tfrcsrclinks.h. */
#include "tfrcsrclinks.h"

void
tfrc_src_links_change (TfrcSrcLinks *links, const TfrcLink *link)
{
  links->in_use = *link;
  links->number++;
}

void
tfrc_src_links_forget (TfrcSrcLinks *links)
{
  const TfrcLink any = { 0 };

  links->in_use = any;
}

gboolean
tfrc_src_link_is_any (const TfrcLink *link)
{
  return link->interface == 0 && tfrc_address_family (&link->local) == AF_UNSPEC;
}

gboolean
tfrc_src_link_covers (const TfrcLink *link, const TfrcLink *other)
{
  if (link->interface != 0 && link->interface != other->interface)
    return FALSE;
  return tfrc_address_family (&link->local) == AF_UNSPEC
      || tfrc_address_same_host (&link->local, &other->local);
}

gboolean
tfrc_src_links_is_in_use (const TfrcSrcLinks *links, const TfrcReceivedPacket *packet)
{
  const TfrcLink link = { packet->interface, packet->local };

  return tfrc_src_link_covers (&links->in_use, &link);
}

guint8
tfrc_src_links_number_of (const TfrcSrcLinks *links, const TfrcReceivedPacket *packet)
{
  return tfrc_src_links_is_in_use (links, packet) ? links->number : (guint8) (links->number - 1);
}
