/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The TTL that follows the length of the route, see adaptivettl.h. */
#include "adaptivettl.h"

#include <math.h>
#include <string.h>

/* A product that is whole but for the rounding of binary numbers counts as whole: 0.55 * 100 is
 * 55.000000000000007, and must not become 56 hops. */
#define ROUNDING 1e-9

/* ---- equation 11 -------------------------------------------------------- */

gboolean
gst_tfrc_adaptive_ttl_check (const GstTfrcAdaptiveTtlConfig *config, GError **error)
{
  if (!config->enabled)
    return TRUE;
  if (config->min < 1 || config->min > GST_TFRC_MAX_TTL || config->max < 1
      || config->max > GST_TFRC_MAX_TTL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "ttl-min %u and ttl-max %u must be 1 to %d", config->min, config->max, GST_TFRC_MAX_TTL);
  else if (config->min > config->max)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "ttl-min %u is more than ttl-max %u", config->min, config->max);
  else if (!(config->alpha >= 0.5 && config->alpha < 1))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "ttl-alpha %g is not at least 0.5 and less than 1", config->alpha);
  else
    return TRUE;
  return FALSE;
}

/* TTL_rt is TTL_est(i) + alpha (TTL_est(i) - TTL_est(i-1)), with the terms put together. Where the
 * difference is negative, TTL_est(i-1) is the inner maximum. */
guint
gst_tfrc_ttl_equation (guint estimate, guint previous, const GstTfrcAdaptiveTtlConfig *config)
{
  guint wanted = MAX (estimate, previous);

  if (estimate > previous)
    wanted += (guint) ceil (config->alpha * (estimate - previous) - ROUNDING);
  return MAX (config->min, MIN (wanted, config->max));
}

/* ---- the changes that are remembered ------------------------------------- */

/* A TTL that stays is remembered anew after this time: far less than the 35 min after which send times seem to lie in the
 * future, and far more than feedback is late. */
#define REMEMBERED_US (600 * 1000000u)

static const GstTfrcTtlChange *
newest_change (const GstTfrcAdaptiveTtl *ttl)
{
  return ttl->n_changes == 0 ? NULL : &ttl->changes[(ttl->n_changes - 1) % GST_TFRC_TTL_CHANGES];
}

/* Returns the change that holds for a packet; NULL: the packet is too old. */
static const GstTfrcTtlChange *
change_of (const GstTfrcAdaptiveTtl *ttl, guint32 send_time_us)
{
  guint n = MIN (ttl->n_changes, GST_TFRC_TTL_CHANGES);

  for (guint i = 1; i <= n; i++) {
    const GstTfrcTtlChange *change = &ttl->changes[(ttl->n_changes - i) % GST_TFRC_TTL_CHANGES];

    if ((gint32) (send_time_us - change->send_time_us) >= 0)
      return change;
  }
  return NULL;
}

static void
remember (GstTfrcAdaptiveTtl *ttl, guint32 send_time_us)
{
  const GstTfrcTtlChange *newest = newest_change (ttl);
  GstTfrcTtlChange *change = &ttl->changes[ttl->n_changes % GST_TFRC_TTL_CHANGES];

  if (newest && newest->ttl == ttl->in_use && newest->signals == ttl->signals
      && send_time_us - newest->send_time_us < REMEMBERED_US)
    return;
  change->send_time_us = send_time_us;
  change->ttl = (guint8) ttl->in_use;
  change->signals = ttl->signals;
  ttl->n_changes++;
}

/* ---- the TTL in use ------------------------------------------------------ */

void
gst_tfrc_adaptive_ttl_init (GstTfrcAdaptiveTtl *ttl, const GstTfrcAdaptiveTtlConfig *config,
    guint start, gboolean is_protected)
{
  memset (ttl, 0, sizeof *ttl);
  ttl->config = *config;
  ttl->is_protected = is_protected;
  ttl->start = ttl->in_use = start;
}

/* The changes stay, since feedback about older packets still comes. */
void
gst_tfrc_adaptive_ttl_restart (GstTfrcAdaptiveTtl *ttl, guint start)
{
  ttl->start = ttl->in_use = start;
  ttl->hops = 0;
  ttl->signals++;
}

static gboolean
adapts (const GstTfrcAdaptiveTtl *ttl)
{
  return ttl->config.enabled && ttl->start > 0;
}

static void
use (GstTfrcAdaptiveTtl *ttl, guint wanted)
{
  if (wanted > ttl->start && !ttl->is_protected) {
    ttl->was_capped = TRUE;
    wanted = ttl->start;
  }
  ttl->in_use = wanted;
}

guint8
gst_tfrc_adaptive_ttl_on_send (GstTfrcAdaptiveTtl *ttl, guint32 send_time_us)
{
  if (ttl->start == 0)
    return 0;
  ttl->has_sent = TRUE;
  remember (ttl, send_time_us);
  return ttl->config.enabled ? (guint8) ttl->in_use : 0;
}

void
gst_tfrc_adaptive_ttl_on_feedback (GstTfrcAdaptiveTtl *ttl, guint32 send_time_us, guint8 seen)
{
  const GstTfrcTtlChange *change = change_of (ttl, send_time_us);
  guint estimate, previous;

  ttl->has_sent = FALSE;
  if (change == NULL || change->signals != ttl->signals || seen == 0 || seen > change->ttl)
    return;
  if (ttl->hops > 0 && send_time_us == ttl->observed_us)
    return;
  ttl->observed_us = send_time_us;
  estimate = change->ttl - seen + 1u;
  previous = ttl->hops > 0 ? ttl->hops : estimate;
  ttl->hops = estimate;
  if (adapts (ttl))
    use (ttl, gst_tfrc_ttl_equation (estimate, previous, &ttl->config));
}

void
gst_tfrc_adaptive_ttl_on_signal (GstTfrcAdaptiveTtl *ttl)
{
  guint before = ttl->in_use;

  if (!adapts (ttl))
    return;
  use (ttl, MAX (ttl->in_use, ttl->config.max));
  if (ttl->in_use != before)
    ttl->signals++;
}

void
gst_tfrc_adaptive_ttl_on_silence (GstTfrcAdaptiveTtl *ttl)
{
  if (ttl->has_sent)
    gst_tfrc_adaptive_ttl_on_signal (ttl);
}

void
gst_tfrc_adaptive_ttl_on_new_path (GstTfrcAdaptiveTtl *ttl)
{
  gst_tfrc_adaptive_ttl_restart (ttl, ttl->start);
}

void
gst_tfrc_adaptive_ttl_on_handover (GstTfrcAdaptiveTtl *ttl)
{
  if (!adapts (ttl))
    return;
  ttl->hops = 0;
  use (ttl, MAX (ttl->in_use, ttl->start));
  ttl->signals++;
  ttl->has_sent = FALSE;
}

void
gst_tfrc_adaptive_ttl_set_start (GstTfrcAdaptiveTtl *ttl, guint start)
{
  if (start != ttl->start)
    gst_tfrc_adaptive_ttl_restart (ttl, start);
}

/* ---- queries -------------------------------------------------------------- */

guint
gst_tfrc_adaptive_ttl_get (const GstTfrcAdaptiveTtl *ttl)
{
  return ttl->in_use;
}

guint8
gst_tfrc_adaptive_ttl_get_for_rtcp (const GstTfrcAdaptiveTtl *ttl)
{
  return ttl->config.enabled ? (guint8) ttl->in_use : 0;
}

guint
gst_tfrc_adaptive_ttl_get_hops (const GstTfrcAdaptiveTtl *ttl)
{
  return ttl->hops;
}

gboolean
gst_tfrc_adaptive_ttl_is_raised (const GstTfrcAdaptiveTtl *ttl)
{
  return ttl->config.enabled && ttl->in_use > ttl->start;
}

gboolean
gst_tfrc_adaptive_ttl_take_warning (GstTfrcAdaptiveTtl *ttl)
{
  gboolean is_first = ttl->was_capped && !ttl->has_warned;

  ttl->has_warned |= ttl->was_capped;
  return is_first;
}
