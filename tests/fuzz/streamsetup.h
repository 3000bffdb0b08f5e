/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Begins and ends the flow of the target srcstream. */
#ifndef STREAMSETUP_H
#define STREAMSETUP_H

#include "streamchecks.h"

static guint64
wall_ns (void)
{
  return fuzz.now + fuzz.wall_offset;
}

/* One bit each: keep-listening, order of arrival, a small queue, a refused configuration, an
 * honest sender.  The last two bits: the addresses from which packets are accepted. */
static void
start (unsigned what)
{
  GstTfrcReceiveFlowConfig config = { .limits.window_ns = SECOND / 5,
    .limits.max_time_ns = what & 4 ? SECOND / 100 : 0,
    .keep_listening = what & 1,
    .ssrc = OWN_SSRC,
    .cname = "fuzz",
    .wall_ns = wall_ns };
  guint8 secret[GST_TFRC_SECRET_BYTES];

  for (unsigned i = 0; i < N_SENDERS; i++)
    fuzz.senders[i].address = make_address (i);
  fuzz.now = fuzz.began = 1000 * SECOND;
  fuzz.honest = (what & 16) != 0;
  if (what >> 6 > 0) { /* one host, one address, or a prefix */
    fuzz.filter.address = make_address (0);
    fuzz.filter.prefix_bits = what >> 6 == 3 ? 31 : 32;
    if (what >> 6 != 2)
      fuzz.filter.address.u.v4.sin_port = 0;
  }
  gst_tfrc_random_fill (secret, sizeof secret);
  config.secret = secret;
  config.senders = fuzz.filter;
  tfrc_receiver_config_init (&config.receiver);
  if (what & 8)
    config.receiver.history_length = 1;
  fuzz.flow = gst_tfrc_receive_flow_new (&config, fuzz.now);
  fuzz.base = gst_tfrc_receive_flow_base (fuzz.flow);
  fuzz.probe_reasons = 2;
  fuzz.header.payload_type = TFRC_WIRE_PAYLOAD_TYPE;
  fuzz.header.has_rtt_sendts = TRUE;
  fuzz.header.rtt_us = 50000;
}

static void
stop (void)
{
  gst_tfrc_receive_flow_say_bye (fuzz.flow);
  pump ();
  gst_tfrc_receive_flow_free (fuzz.flow);
}

#endif
