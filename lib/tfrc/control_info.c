/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The checks of control information, see control_info.h. */
#include "control_info.h"

#include <string.h>

#include "units.h"

/* The time from packet to packet may differ by R or by this, between the receiver and the
 * sender.  A queue that has filled or emptied makes a difference of up to R; operating systems
 * and radio links make the other.  An honest packet that differs by more does no harm, because
 * the next packet is believed.  A forged packet can move R_sample by this amount, once. */
#define MIN_JITTER_NS (50 * 1000 * TFRC_NS_PER_US)

/* After this time without a believed packet, the sender's clock may be another one or have drifted, and
 * the first packet may have waited for a link that slept.  Clocks of 50 ppm differ by 50 ms after 17
 * minutes.  A receiver waits for a silent sender as long before it takes another sender. */
#define SILENCE_NS (5 * TFRC_NS_PER_S)

/* R may grow or shrink by this factor from packet to packet.  A sample of ten times R makes R
 * 1.9 times as long (section 4.3 step 2), so only rarer samples, handovers and forged packets
 * change R by more. */
#define MAX_RTT_FACTOR 2

void
tfrc_control_info_init (TfrcControlInfo *info)
{
  memset (info, 0, sizeof *info);
}

/* The time by which a packet has arrived earlier than expected from the other packet's send time
 * and arrival; below 0: later.  Both clocks wrap. */
static int64_t
early_ns (const TfrcData *data, uint64_t now_ns, uint32_t other_send_time_us, uint64_t other_ns)
{
  uint32_t sent_us = data->send_time_us - other_send_time_us;
  uint32_t passed_us = (uint32_t) (now_ns / TFRC_NS_PER_US)
      - (uint32_t) (other_ns / TFRC_NS_PER_US);

  return (int64_t) (int32_t) (sent_us - passed_us) * (int64_t) TFRC_NS_PER_US;
}

uint64_t
tfrc_control_info_jitter_ns (uint32_t rtt_us)
{
  return tfrc_max_ns (rtt_us * TFRC_NS_PER_US, MIN_JITTER_NS);
}

static bool
is_in_time (int64_t early, uint32_t rtt_us)
{
  int64_t limit_ns = (int64_t) tfrc_control_info_jitter_ns (rtt_us);

  return early >= -limit_ns && early <= limit_ns;
}

/* R = 0 means that R is not known: any R may follow. */
static bool
may_follow (uint32_t rtt_us, uint32_t other_us)
{
  return other_us == 0
      || (rtt_us <= (uint64_t) other_us * MAX_RTT_FACTOR
          && other_us <= (uint64_t) rtt_us * MAX_RTT_FACTOR);
}

static bool
agrees_with_doubted (
    const TfrcControlInfo *info, const TfrcData *data, uint32_t rtt_us, uint64_t now_ns)
{
  return info->doubts && may_follow (data->rtt_us, info->doubted_rtt_us)
      && is_in_time (early_ns (data, now_ns, info->doubted_send_time_us, info->doubted_ns), rtt_us);
}

static bool
is_silent (const TfrcControlInfo *info, uint64_t now_ns)
{
  return tfrc_sub_ns (now_ns, info->arrival_ns) >= SILENCE_NS;
}

/* A send time that does not fit would make feedback be about the packet before the silence, with the
 * drift of the clocks in its t_delay. */
static bool
fits_last_believed (const TfrcControlInfo *info, const TfrcData *data, bool highest,
    uint32_t rtt_us, uint64_t now_ns)
{
  return info->believed == 0 || (highest && is_silent (info, now_ns))
      || is_in_time (early_ns (data, now_ns, info->send_time_us, info->arrival_ns), rtt_us);
}

bool
tfrc_control_info_judge (TfrcControlInfo *info, const TfrcData *data,
    const TfrcControlContext *context, uint32_t rtt_us, uint64_t now_ns)
{
  bool believed = fits_last_believed (info, data, context->highest, rtt_us, now_ns)
      || (context->new_path && tfrc_control_info_is_new (info, data, now_ns));

  if (!context->highest)
    return believed;
  believed = (believed && (context->new_rtt || may_follow (data->rtt_us, rtt_us)))
      || agrees_with_doubted (info, data, rtt_us, now_ns);
  info->doubts = !believed;
  info->doubted_send_time_us = data->send_time_us;
  info->doubted_rtt_us = data->rtt_us;
  info->doubted_ns = now_ns;
  return believed;
}

void
tfrc_control_info_use (TfrcControlInfo *info, const TfrcData *data, bool highest, uint64_t now_ns)
{
  info->send_time_us = data->send_time_us;
  info->arrival_ns = now_ns;
  if (highest || info->believed == 0)
    info->newest_send_time_us = data->send_time_us;
  info->believed++;
}

bool
tfrc_control_info_is_new (const TfrcControlInfo *info, const TfrcData *data, uint64_t now_ns)
{
  /* One packet alone proves nothing about the sender's clock. */
  if (info->believed < 2 || is_silent (info, now_ns))
    return true;
  return data->has_tfrc && (int32_t) (data->send_time_us - info->newest_send_time_us) >= 0;
}
