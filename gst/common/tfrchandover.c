/* News of handovers, see tfrchandover.h. */
#include "tfrchandover.h"

/* More that nobody has taken yet is not kept: the oldest goes. */
#define MAX_NEWS 64

static const GEnumValue phases[] = { { TFRC_HANDOVER_NORMAL, "No handover", "normal" },
  { TFRC_HANDOVER_STARTED, "Started: nothing has arrived since", "started" },
  { TFRC_HANDOVER_OLD_LINK, "Packets arrive over the old link", "old-link" },
  { TFRC_HANDOVER_NEW_LINK, "Packets arrive over the new link", "new-link" },
  { TFRC_HANDOVER_ECHO, "The new link is known", "echo" }, { 0, NULL, NULL } };

GType
gst_tfrc_handover_phase_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcHandoverPhase", phases));
  return type;
}

GType
gst_tfrc_handover_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { TFRC_HANDOVER_MODE_DIRECT,
                                           "Wait for a sample of the new link's RTT", "direct" },
    { TFRC_HANDOVER_MODE_PAPER, "As in the paper: estimate it", "paper" }, { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcHandoverMode", values));
  return type;
}

const gchar *
tfrc_handover_phase_to_string (TfrcHandoverPhase phase)
{
  return phases[phase].value_nick;
}

/* ---- log --------------------------------------------------------------- */

static gint
compare_kind (gconstpointer news, gconstpointer kind)
{
  return ((const TfrcHandoverNews *) news)->kind != *(const TfrcHandoverNewsKind *) kind;
}

static void
drop (TfrcHandoverLog *log, GQueue *queue, GList *link)
{
  if (link == NULL)
    return;
  g_free (link->data);
  g_queue_delete_link (queue, link);
  log->dropped++;
}

static void
release (TfrcHandoverLog *log, guint64 now_ns)
{
  if (log->bucket.interval_ns == 0)
    tfrc_token_bucket_init (&log->bucket, TFRC_HANDOVER_NEWS_PER_SECOND, TFRC_HANDOVER_NEWS_BURST);
  while (!g_queue_is_empty (&log->held) && tfrc_token_bucket_take (&log->bucket, now_ns)) {
    if (g_queue_get_length (&log->news) == MAX_NEWS)
      drop (log, &log->news, log->news.head);
    g_queue_push_tail (&log->news, g_queue_pop_head (&log->held));
  }
}

static TfrcHandoverNews *
add_news (TfrcHandoverLog *log, TfrcHandoverNewsKind kind, TfrcHandoverPhase phase, guint64 now_ns)
{
  TfrcHandoverNews *news = g_new0 (TfrcHandoverNews, 1);

  drop (log, &log->held, g_queue_find_custom (&log->held, &kind, compare_kind));
  news->kind = kind;
  news->phase = phase;
  g_queue_push_tail (&log->held, news);
  release (log, now_ns);
  return news;
}

static void
add_end (TfrcHandoverLog *log, const TfrcHandoverView *after, gboolean completed, guint64 now_ns)
{
  TfrcHandoverNews *news = add_news (
      log, TFRC_HANDOVER_NEWS_COMPLETED, TFRC_HANDOVER_NORMAL, now_ns);

  news->duration_ns = now_ns - log->started_ns;
  news->before = log->before;
  news->after = *after;
  news->completed = completed;
}

gboolean
tfrc_handover_log_update (TfrcHandoverLog *log, const TfrcHandoverView *view, guint64 now_ns)
{
  const TfrcHandoverView last = log->last;
  gboolean started = view->handovers != last.handovers;
  gboolean was_under_way = last.phase != TFRC_HANDOVER_NORMAL;
  gboolean is_under_way = view->phase != TFRC_HANDOVER_NORMAL;

  log->last = *view;
  if (started && was_under_way)
    add_end (log, view, FALSE, now_ns);
  if (started) {
    log->before = last;
    log->started_ns = now_ns;
    add_news (log, TFRC_HANDOVER_NEWS_STARTED, view->phase, now_ns);
  }
  if (view->phase != last.phase || (started && is_under_way))
    add_news (log, TFRC_HANDOVER_NEWS_PHASE, view->phase, now_ns);
  if ((started || was_under_way) && !is_under_way)
    add_end (log, view, view->completed != last.completed, now_ns);
  release (log, now_ns);
  return !g_queue_is_empty (&log->news);
}

TfrcHandoverNews *
tfrc_handover_log_take (TfrcHandoverLog *log)
{
  return g_queue_pop_head (&log->news);
}

void
tfrc_handover_log_clear (TfrcHandoverLog *log)
{
  g_queue_clear_full (&log->held, g_free);
  g_queue_clear_full (&log->news, g_free);
}

/* ---- telling ----------------------------------------------------------- */

void
tfrc_handover_install_signals (GType type)
{
  /**
   * GstTfrcSrc::handover-started:
   *
   * The receiver has changed to another link.
   */
  g_signal_new ("handover-started", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  /**
   * GstTfrcSrc::handover-phase:
   * @phase: the phase that the adaptation has entered
   */
  g_signal_new ("handover-phase", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
      GST_TYPE_TFRC_HANDOVER_PHASE);
  /**
   * GstTfrcSrc::handover-completed:
   * @result: what it was like, as in the message tfrc-handover-completed
   */
  g_signal_new ("handover-completed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
      GST_TYPE_STRUCTURE);
  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_HANDOVER_PHASE, 0);
}

static GstStructure *
new_result (const TfrcHandoverNews *news)
{
  guint64 before = news->before.packets_lost, after = news->after.packets_lost;

  return gst_structure_new ("tfrc-handover-completed", "completed", G_TYPE_BOOLEAN, news->completed,
      "duration", G_TYPE_UINT64, news->duration_ns, "rtt-before", G_TYPE_UINT64,
      news->before.rtt_ns, "rtt-after", G_TYPE_UINT64, news->after.rtt_ns, "rate-before",
      G_TYPE_DOUBLE, news->before.rate_bps, "rate-after", G_TYPE_DOUBLE, news->after.rate_bps,
      /* a late packet may have taken losses back */
      "packets-lost", G_TYPE_UINT64, after - MIN (before, after), NULL);
}

void
tfrc_handover_tell (GstElement *element, const TfrcHandoverNews *news)
{
  GstStructure *structure = NULL;

  switch (news->kind) {
    case TFRC_HANDOVER_NEWS_STARTED:
      structure = gst_structure_new_empty ("tfrc-handover-started");
      g_signal_emit_by_name (element, "handover-started");
      break;
    case TFRC_HANDOVER_NEWS_PHASE:
      structure = gst_structure_new (
          "tfrc-handover-phase", "phase", GST_TYPE_TFRC_HANDOVER_PHASE, news->phase, NULL);
      g_signal_emit_by_name (element, "handover-phase", news->phase);
      break;
    case TFRC_HANDOVER_NEWS_COMPLETED:
      structure = new_result (news);
      g_signal_emit_by_name (element, "handover-completed", structure);
      break;
  }
  gst_element_post_message (element, gst_message_new_element (GST_OBJECT (element), structure));
}
