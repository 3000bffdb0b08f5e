/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream's memory of its path, see pathrecall.h. */
#include "pathrecall.h"

#include "../common/clock.h"
#include "../common/log.h"
#include "../io/routes.h"
#include "../port/pathmemory.h"

/* A socket that is bound to an address always sends from there. */
static gboolean
find_local (const GstTfrcEndpoint *socket, const GstTfrcAddress *peer, GstTfrcLocalPath *local)
{
  const GstTfrcAddress *bound = gst_tfrc_endpoint_get_address (socket);

  if (!gst_tfrc_route_get (peer, local, NULL))
    return FALSE;
  if (gst_tfrc_address_is_unicast (bound))
    local->local = *bound;
  return TRUE;
}

void
gst_tfrc_path_recall (
    const GstTfrcEndpoint *socket, const GstTfrcAddress *peer, GstTfrcSinkRateConfig *rate)
{
  GstTfrcLocalPath local;
  GstTfrcPathMemory memory;

  if (!find_local (socket, peer, &local))
    return;
  memory = gst_tfrc_path_memory_take (peer, &local, gst_tfrc_clock_now_ns ());
  if (memory.rate_Bps <= 0)
    return;
  rate->remembered_rate_Bps = memory.rate_Bps;
  rate->remembered_rtt_ns = memory.rtt_ns;
  gst_tfrc_log (rate, INFO, "the path to %s has carried %.0f byte/s with R = %.3f ms",
      GST_TFRC_ADDRESS_TEXT (peer), memory.rate_Bps, memory.rtt_ns / 1e6);
}

void
gst_tfrc_path_remember (GstTfrcPort *port, GstTfrcSendFlow *flow)
{
  GstTfrcSendSession *session = gst_tfrc_send_flow_get_session (flow);
  const GstTfrcAddress *peer = gst_tfrc_send_paths_get_peer (
      gst_tfrc_send_session_get_paths (session));
  GstTfrcEndpoint *socket = gst_tfrc_port_ref_socket (port);
  GstTfrcLocalPath local;
  GstTfrcPathMemory memory;

  memory.rate_Bps = gst_tfrc_rate_control_get_proven_Bps (
      gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (session)), &memory.rtt_ns);
  if (find_local (socket, peer, &local))
    gst_tfrc_path_memory_put (peer, &local, &memory, gst_tfrc_clock_now_ns ());
  gst_tfrc_endpoint_unref (socket);
}
