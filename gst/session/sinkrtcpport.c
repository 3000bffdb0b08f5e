/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP on ports of its own, see sinkrtcpport.h. */
#include "sinkrtcpport.h"

GstTfrcEndpoint *
gst_tfrc_sink_rtcp_port_open (const GstTfrcSocketConfig *config, guint16 data_port,
    const GstTfrcEndpointCallbacks *callbacks, gpointer owner, GError **error)
{
  GstTfrcSocketConfig rtcp = *config;
  GstTfrcEndpoint *endpoint = NULL;

  rtcp.bind_port = (guint16) (data_port + 1);
  if (config->bind_port != 0)
    return gst_tfrc_endpoint_open (&rtcp, callbacks, owner, error);
  if (rtcp.bind_port != 0)
    endpoint = gst_tfrc_endpoint_open (&rtcp, callbacks, owner, NULL);
  if (endpoint)
    return endpoint;
  rtcp.bind_port = 0;
  return gst_tfrc_endpoint_open (&rtcp, callbacks, owner, error);
}

GstTfrcAddress
gst_tfrc_sink_rtcp_port_address (const GstTfrcAddress *receiver, guint16 port)
{
  GstTfrcAddress address = *receiver;

  if (gst_tfrc_address_family (receiver) == AF_INET6)
    address.u.v6.sin6_port = g_htons (port);
  else
    address.u.v4.sin_port = g_htons (port);
  return address;
}
