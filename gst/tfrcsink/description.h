/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The description of a stream for players (SDP, RFC 8866): MP2T in RTP (RFC 3551, RFC 2250). */
#ifndef GST_TFRC_DESCRIPTION_H
#define GST_TFRC_DESCRIPTION_H

#include <glib.h>

G_BEGIN_DECLS

/** Only description.c and who fills it in use the fields. */
typedef struct
{
  const gchar *host; /**< of the receiver, a name or an address */
  gint port;
  gint rtcp_port;        /**< of the receiver; 0: RTCP has the port of the data */
  gboolean transport_cc; /**< packets are numbered for transport-wide feedback */
  guint kept_ms; /**< for how long lost packets may be asked for (RFC 4588); 0: they may not */
  gboolean fec;  /**< there is forward error correction */
} GstTfrcDescription;

/** Returns the text, to be freed with g_free(). Any thread. */
gchar *gst_tfrc_description_new (const GstTfrcDescription *stream);

G_END_DECLS
#endif
