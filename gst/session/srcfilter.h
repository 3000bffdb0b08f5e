/* Whose packets a receiver takes at all: the property `sender-address'. */
#ifndef GST_TFRC_SRCFILTER_H
#define GST_TFRC_SRCFILTER_H

#include "../io/address.h"

G_BEGIN_DECLS

/** A plain value.  All zero: everybody's. */
typedef struct
{
  GstTfrcAddress address; /**< "no address": any host; port 0: any port */
  guint prefix_bits;      /**< so many of the address matter */
} GstTfrcSrcFilter;

/** Reads a host ("192.0.2.1", "2001:db8::1", "name.example"), a host and its
 * port ("192.0.2.1:5004", "[2001:db8::1]:5004") or a prefix ("192.0.2.0/24",
 * "2001:db8::/32").
 *
 * @param text NULL or "": everybody
 * @return FALSE with @a error set (names what is wrong) and @a filter undefined
 *
 * Blocks while a name is looked up.  Any thread. */
gboolean gst_tfrc_src_filter_parse (GstTfrcSrcFilter *filter, const gchar *text, GError **error);

/** Tells whether packets from this address are taken. */
gboolean gst_tfrc_src_filter_allows (const GstTfrcSrcFilter *filter, const GstTfrcAddress *from);

/** Tells whether the filter names one address with its port, so that packets
 * can be sent there. */
gboolean gst_tfrc_src_filter_is_one_address (const GstTfrcSrcFilter *filter);

G_END_DECLS
#endif
