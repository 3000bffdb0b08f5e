/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP on ports of its own (RFC 3550 section 11), for a receiver without RTP/RTCP multiplexing: a
 * second endpoint of a sink's stream. The stream's RTCP leaves from there for the receiver's RTCP
 * port, and what comes there is handled as what comes at the port of the data. */
#ifndef GST_TFRC_SINKRTCPPORT_H
#define GST_TFRC_SINKRTCPPORT_H

#include "../io/endpoint.h"

G_BEGIN_DECLS

/** Opens an endpoint beside that of the data, on the next port.  If the port of the data was the
 * system's choice and the next one is not free, on any.
 * @param config of the socket of the data
 * @param data_port that this socket is bound to
 * @return NULL with @a error set */
GstTfrcEndpoint *gst_tfrc_sink_rtcp_port_open (const GstTfrcSocketConfig *config, guint16 data_port,
    const GstTfrcEndpointCallbacks *callbacks, gpointer owner, GError **error);

/** Returns the address of the receiver's RTCP: its host with another port. */
GstTfrcAddress gst_tfrc_sink_rtcp_port_address (const GstTfrcAddress *receiver, guint16 port);

G_END_DECLS
#endif
