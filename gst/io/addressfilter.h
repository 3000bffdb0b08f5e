/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The address filter of a receiver: from which addresses it takes packets (the property
 * `sender-address'). */
#ifndef GST_TFRC_ADDRESSFILTER_H
#define GST_TFRC_ADDRESSFILTER_H

#include "address.h"

G_BEGIN_DECLS

/** A plain value.  All zero: every address passes. */
typedef struct
{
  GstTfrcAddress address; /**< "no address": any host; port 0: any port */
  guint prefix_bits;      /**< how many bits of the address matter */
} GstTfrcAddressFilter;

/** Reads a host ("192.0.2.1", "2001:db8::1", "name.example"), a host and its
 * port ("192.0.2.1:5004", "[2001:db8::1]:5004") or a prefix ("192.0.2.0/24",
 * "2001:db8::/32").
 *
 * @param text NULL or "": every address passes
 * @return FALSE with @a error set (the message names what is wrong) and @a filter undefined
 *
 * Blocks while a name is looked up.  Any thread. */
gboolean gst_tfrc_address_filter_parse (
    GstTfrcAddressFilter *filter, const gchar *text, GError **error);

/** Returns whether this address passes. */
gboolean gst_tfrc_address_filter_allows (
    const GstTfrcAddressFilter *filter, const GstTfrcAddress *from);

/** Returns whether only one address with its port passes, so that packets can be sent there. */
gboolean gst_tfrc_address_filter_is_one_address (const GstTfrcAddressFilter *filter);

G_END_DECLS
#endif
