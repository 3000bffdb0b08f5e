/* Which link a packet came over, see srclinks.h. */
#include "srclinks.h"

void
gst_tfrc_src_links_change (GstTfrcSrcLinks *links, const GstTfrcLink *link)
{
  links->in_use = *link;
  links->number++;
}

void
gst_tfrc_src_links_forget (GstTfrcSrcLinks *links)
{
  const GstTfrcLink any = { 0 };

  links->in_use = any;
}

gboolean
gst_tfrc_src_link_is_any (const GstTfrcLink *link)
{
  return link->interface == 0 && gst_tfrc_address_family (&link->local) == AF_UNSPEC;
}

gboolean
gst_tfrc_src_link_covers (const GstTfrcLink *link, const GstTfrcLink *other)
{
  if (link->interface != 0 && link->interface != other->interface)
    return FALSE;
  return gst_tfrc_address_family (&link->local) == AF_UNSPEC
      || gst_tfrc_address_same_host (&link->local, &other->local);
}

gboolean
gst_tfrc_src_links_is_in_use (const GstTfrcSrcLinks *links, const GstTfrcReceivedPacket *packet)
{
  const GstTfrcLink link = { packet->interface, packet->local };

  return gst_tfrc_src_link_covers (&links->in_use, &link);
}

guint8
gst_tfrc_src_links_number_of (const GstTfrcSrcLinks *links, const GstTfrcReceivedPacket *packet)
{
  return gst_tfrc_src_links_is_in_use (links, packet) ? links->number
                                                      : (guint8) (links->number - 1);
}
