/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a sender's stream, see drain.h. */
#include "drain.h"

#include "../common/clock.h"
#include "../flow/sendcontrol.h"

#define MS_NS G_GUINT64_CONSTANT (1000000)

/* BYEs at the end of a stream if no receiver answers, and the longest time between two */
#define MAX_BYES 5
#define MAX_BYE_INTERVAL_NS (1000 * MS_NS)

typedef struct
{
  GstTfrcAudience *audience;
  GstTfrcStreamingThread *thread;
  gboolean (*has_nobody) (gpointer user);
  gpointer user;
} Drain;

/* A flush, a stop or a pause has come, or nobody is there any more. */
static gboolean
is_cut_short (const Drain *drain) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  return gst_tfrc_streaming_thread_is_interrupted (drain->thread)
      || drain->has_nobody (drain->user);
}

/* Repeats the BYE until the receivers have answered, because the end of a stream often finds the
 * queues of the network full. */
static void
say_goodbye (const Drain *drain) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcAudience *audience = drain->audience;
  guint64 interval_ns = CLAMP (2 * gst_tfrc_audience_get_rtt_ns (audience),
      GST_TFRC_MIN_BYE_INTERVAL_NS, MAX_BYE_INTERVAL_NS);

  gst_tfrc_audience_say_bye (audience);
  for (guint i = 1; i < MAX_BYES && !gst_tfrc_audience_is_goodbye_over (audience); i++) {
    guint64 end_ns = gst_tfrc_clock_now_ns () + interval_ns;

    while (!is_cut_short (drain) && !gst_tfrc_audience_is_bye_answered (audience)
        && gst_tfrc_clock_now_ns () < end_ns)
      gst_tfrc_streaming_thread_wait (drain->thread, end_ns);
    if (is_cut_short (drain) || gst_tfrc_audience_is_bye_answered (audience))
      return;
    gst_tfrc_audience_say_bye (audience);
  }
}

/* When the wait for the last packets, and for their repairs, ends. */
static guint64
end_ns_of (const GstTfrcAudience *audience, guint64 start_ns)
{
  const GstTfrcSinkLimits limits = gst_tfrc_audience_get_limits (audience);
  guint64 timeout_ns = limits.drain_timeout_ns;

  if (limits.max_queue_time_ns > 0 && gst_tfrc_audience_is_absent (audience))
    timeout_ns = MIN (timeout_ns, limits.max_queue_time_ns);
  return MIN (start_ns + timeout_ns, gst_tfrc_audience_drains_until_ns (audience));
}

gboolean
gst_tfrc_drain (GstTfrcAudience *audience, GstTfrcStreamingThread *thread,
    gboolean (*has_nobody) (gpointer user), gpointer user, guint *dropped)
{
  const Drain drain = { audience, thread, has_nobody, user };
  guint64 start_ns = gst_tfrc_clock_now_ns (), end_ns;

  while (!is_cut_short (&drain)
      && gst_tfrc_clock_now_ns () < (end_ns = end_ns_of (audience, start_ns)))
    gst_tfrc_streaming_thread_wait (thread, end_ns);
  if (gst_tfrc_streaming_thread_take_interruption (thread))
    return FALSE;
  /* No packet may follow the BYE. */
  *dropped = gst_tfrc_audience_flush (audience, TRUE);
  if (!has_nobody (user))
    say_goodbye (&drain);
  return TRUE;
}
