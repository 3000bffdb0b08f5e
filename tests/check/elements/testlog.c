/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of a pipeline, see testlog.h. */
#include "testlog.h"

static void release_log (gpointer log);

static GstBusSyncReply
log_message (GstBus *bus, GstMessage *message, gpointer data)
{
  TestLog *log = data;

  g_mutex_lock (&log->lock);
  g_ptr_array_add (log->messages, gst_message_ref (message));
  g_cond_broadcast (&log->changed);
  g_mutex_unlock (&log->lock);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

TestLog *
test_log_new (GstElement *element)
{
  TestLog *log = g_atomic_rc_box_new0 (TestLog);
  GstBus *bus = gst_element_get_bus (element);

  g_mutex_init (&log->lock);
  g_cond_init (&log->changed);
  log->messages = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_message_unref);
  if (bus == NULL) {
    bus = gst_bus_new ();
    gst_element_set_bus (element, bus);
  }
  /* The handler holds a reference of its own: the bus may call it after the test has released
   * the log. */
  gst_bus_set_sync_handler (bus, log_message, g_atomic_rc_box_acquire (log), release_log);
  gst_object_unref (bus);
  return log;
}

static void
clear_log (gpointer data)
{
  TestLog *log = data;

  /* ThreadSanitizer does not see what GLib's count of references orders: the last use by another thread came before. */
  g_mutex_lock (&log->lock);
  g_mutex_unlock (&log->lock);
  g_ptr_array_unref (log->messages);
  g_cond_clear (&log->changed);
  g_mutex_clear (&log->lock);
}

static void
release_log (gpointer log)
{
  g_atomic_rc_box_release_full (log, clear_log);
}

void
test_log_free (TestLog *log)
{
  /* Messages hold their elements, elements hold the bus, and the bus holds the log. */
  g_mutex_lock (&log->lock);
  g_ptr_array_set_size (log->messages, 0);
  g_mutex_unlock (&log->lock);
  release_log (log);
}

static gboolean
matches (GstMessage *message, GstMessageType type, const gchar *name, const gchar *state)
{
  const GstStructure *s = gst_message_get_structure (message);

  return GST_MESSAGE_TYPE (message) & type
      && (name == NULL || (s && gst_structure_has_name (s, name)))
      && (state == NULL || (s && g_strcmp0 (gst_structure_get_string (s, "state"), state) == 0));
}

/* Returns the @n-th matching message, or NULL after it has subtracted the number of matches from
 * @n.  The caller holds the lock. */
static GstMessage *
find_message (TestLog *log, guint *n, GstMessageType type, const gchar *name, const gchar *state)
{
  for (guint i = 0; i < log->messages->len; i++) {
    GstMessage *message = g_ptr_array_index (log->messages, i);

    if (matches (message, type, name, state) && --*n == 0)
      return message;
  }
  return NULL;
}

guint
test_log_count (TestLog *log, GstMessageType type, const gchar *name, const gchar *state)
{
  guint n = G_MAXUINT;

  g_mutex_lock (&log->lock);
  find_message (log, &n, type, name, state);
  g_mutex_unlock (&log->lock);
  return G_MAXUINT - n;
}

guint
test_log_count_warnings (TestLog *log, const gchar *text)
{
  guint n = 0;

  g_mutex_lock (&log->lock);
  for (guint i = 0; i < log->messages->len; i++) {
    GstMessage *message = g_ptr_array_index (log->messages, i);
    GError *error = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
      gst_message_parse_warning (message, &error, NULL);
    n += error != NULL && strstr (error->message, text) != NULL;
    g_clear_error (&error);
  }
  g_mutex_unlock (&log->lock);
  return n;
}

static gchar *
describe_messages (TestLog *log)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < log->messages->len; i++) {
    GstMessage *message = g_ptr_array_index (log->messages, i);
    const GstStructure *s = gst_message_get_structure (message);
    gchar *structure = s ? gst_structure_to_string (s) : g_strdup ("");

    if (GST_MESSAGE_TYPE (message)
        & (GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS
            | GST_MESSAGE_QOS))
      g_string_append_printf (text, "\n%s %.300s", GST_MESSAGE_TYPE_NAME (message), structure);
    g_free (structure);
  }
  return g_string_free (text, FALSE);
}

GstMessage *
test_log_wait (TestLog *log, guint n, GstMessageType type, const gchar *name, const gchar *state)
{
  gint64 end = g_get_monotonic_time () + TEST_PATIENCE;
  gboolean in_time = TRUE;
  GstMessage *message;
  guint left = n;

  g_mutex_lock (&log->lock);
  while ((message = find_message (log, &left, type, name, state)) == NULL) {
    gchar *seen = in_time ? NULL : describe_messages (log);

    fail_unless (in_time, "no message %u of type %s %s %s; seen:%s", n,
        gst_message_type_get_name (type), GST_STR_NULL (name), GST_STR_NULL (state), seen);
    in_time = g_cond_wait_until (&log->changed, &log->lock, end);
    left = n;
  }
  gst_message_ref (message);
  g_mutex_unlock (&log->lock);
  return message;
}

void
test_log_wait_error (TestLog *log, GQuark domain, gint code)
{
  GstMessage *message = test_log_wait (log, 1, GST_MESSAGE_ERROR, NULL, NULL);
  GError *error = NULL;
  gchar *debug = NULL;

  gst_message_parse_error (message, &error, &debug);
  fail_unless (g_error_matches (error, domain, code), "%s: %s", error->message, debug);
  g_clear_error (&error);
  g_free (debug);
  gst_message_unref (message);
}

/* The newest statistics of @element, lock held */
static GstMessage *
newest_stats (TestLog *log, const gchar *element)
{
  for (guint i = log->messages->len; i-- > 0;) {
    GstMessage *message = g_ptr_array_index (log->messages, i);

    if (matches (message, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL)
        && g_str_equal (GST_MESSAGE_SRC_NAME (message), element))
      return message;
  }
  return NULL;
}

static guint64
stat_of (GstMessage *message, const gchar *field)
{
  const GstStructure *s = gst_message_get_structure (message);
  guint64 value = 0;
  guint small = 0;

  fail_unless (gst_structure_has_field (s, field), "no field %s", field);
  if (gst_structure_get_uint (s, field, &small))
    return small;
  gst_structure_get_uint64 (s, field, &value);
  return value;
}

void
test_log_wait_stat (TestLog *log, const gchar *element, const gchar *field, guint64 least)
{
  gint64 end = g_get_monotonic_time () + TEST_PATIENCE;
  GstMessage *message;

  g_mutex_lock (&log->lock);
  while ((message = newest_stats (log, element)) == NULL || stat_of (message, field) < least)
    fail_unless (g_cond_wait_until (&log->changed, &log->lock, end),
        "%s of %s stays below %" G_GUINT64_FORMAT " at %" G_GUINT64_FORMAT, field, element, least,
        message ? stat_of (message, field) : 0);
  g_mutex_unlock (&log->lock);
}

void
test_log_wait_warning (TestLog *log, gint code, const gchar *text, const gchar *details)
{
  GstMessage *message = test_log_wait (log, 1, GST_MESSAGE_WARNING, NULL, NULL);
  GError *error = NULL;
  gchar *debug = NULL;

  gst_message_parse_warning (message, &error, &debug);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, code));
  fail_unless (strstr (error->message, text) != NULL, "%s", error->message);
  fail_unless (strstr (debug, details) != NULL, "%s", debug);
  g_error_free (error);
  g_free (debug);
  gst_message_unref (message);
}
