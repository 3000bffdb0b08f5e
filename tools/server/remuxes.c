/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cache of remuxed movies, see remuxes.h */
#include "remuxes.h"

#include <gst/app/gstappsink.h>
#include <sys/stat.h>

#include "error.h"
#include "tools/remux/remux.h"

GST_DEBUG_CATEGORY_STATIC (remuxes_debug);
#define GST_CAT_DEFAULT remuxes_debug

/* What is written at once: small ones cost more calls */
#define CHUNK_BYTES (64 * 1024)
/* Bytes a second of all movies that are remuxed, together, unless a viewer waits: a movie of 1 GB is done after 40 s, and
 * the streams that play keep the processor. */
#define PACE_BPS G_GUINT64_CONSTANT (25000000)
/* A transport stream of pictures is up to this part larger than MP4 and Matroska. */
#define OVERHEAD_PART 8
#define OVERHEAD_BYTES (1 << 20)

typedef struct
{
  Remuxes *remuxes;
  struct stat file;
  guint64 expected_bytes;
  Growing *growing;
  GstElement *pipeline; /* NULL: has ended */
  guint watch;
  GByteArray *pending; /* of the streaming thread: not written yet */
  gboolean has_begun;  /* of the streaming thread */

  /* with the lock of the cache */
  guint64 taken_bytes; /* also what could not be written */
  gboolean has_ended;  /* neither a pipeline nor a thread has it any more */
} Remux;

struct _Remuxes
{
  gchar *folder;
  guint64 max_bytes;
  gint active; /* atomic: with a pipeline */

  GMutex
      lock; /* of the next, and of each first reference of a reader: a thread that remuxes drops what has none */
  GQueue all; /* Remux, the one that was opened last at the tail */
  guint64 taken_bytes;
};

static void remux_free (gpointer data);

/* ---- the streaming thread --------------------------------------------------------- */

/* Takes out what was opened first of those that have ended and that nobody reads.  With the lock.
 *
 * @dropped: gets it
 * @return FALSE: there is none */
static gboolean
drop_ended (Remuxes *remuxes, GQueue *dropped)
{
  GList *link;

  for (link = remuxes->all.head; link != NULL; link = link->next) {
    Remux *remux = link->data;

    if (!remux->has_ended || growing_is_shared (remux->growing))
      continue;
    remuxes->taken_bytes -= remux->taken_bytes;
    remux->taken_bytes = 0;
    g_queue_unlink (&remuxes->all, link);
    g_queue_push_tail_link (dropped, link);
    return TRUE;
  }
  return FALSE;
}

/* A movie may need more than was expected. */
static gboolean
take_room (Remux *remux, gsize bytes)
{
  Remuxes *remuxes = remux->remuxes;
  GQueue dropped = G_QUEUE_INIT;
  gboolean has_room;

  g_mutex_lock (&remuxes->lock);
  while (!(has_room = remuxes->taken_bytes + bytes <= remuxes->max_bytes)
      && drop_ended (remuxes, &dropped))
    ;
  if (has_room) {
    remuxes->taken_bytes += bytes;
    remux->taken_bytes += bytes;
  }
  g_mutex_unlock (&remuxes->lock);
  g_queue_clear_full (&dropped, remux_free);
  return has_room;
}

/* The disk may have less room than the cache may take.  @return whether there is more now */
static gboolean
free_disk (Remuxes *remuxes)
{
  GQueue dropped = G_QUEUE_INIT;
  gboolean has_more;

  g_mutex_lock (&remuxes->lock);
  has_more = drop_ended (remuxes, &dropped);
  g_mutex_unlock (&remuxes->lock);
  g_queue_clear_full (&dropped, remux_free);
  return has_more;
}

/* What is written is no longer pending. */
static gboolean
append (Remux *remux, GError **error)
{
  GByteArray *pending = remux->pending;
  GError *problem = NULL;
  gboolean goes_on;

  do {
    const guint64 before = growing_get_bytes (remux->growing, NULL);

    g_clear_error (&problem);
    growing_append (remux->growing, pending->data, pending->len, &problem);
    g_byte_array_remove_range (
        pending, 0, (guint) (growing_get_bytes (remux->growing, NULL) - before));
    goes_on = g_error_matches (problem, G_FILE_ERROR, G_FILE_ERROR_NOSPC)
        && free_disk (remux->remuxes);
  } while (goes_on);
  if (problem == NULL)
    return TRUE;
  g_propagate_error (error, problem);
  return FALSE;
}

static gboolean
write_pending (Remux *remux)
{
  GError *error = NULL;
  gboolean is_finished;

  growing_get_bytes (remux->growing, &is_finished);
  if (is_finished)
    return FALSE;
  if (!take_room (remux, remux->pending->len)) {
    growing_finish (remux->growing, "the cache is full (--cache-size)");
    return FALSE;
  }
  if (!append (remux, &error)) {
    gchar *problem = g_strdup_printf ("cannot write to %s (--cache names another folder): %s",
        remux->remuxes->folder, error->message);

    growing_finish (remux->growing, problem);
    g_free (problem);
    g_error_free (error);
    return FALSE;
  }
  return TRUE;
}

static gboolean
pace (Remux *remux)
{
  const guint64 active = (guint64) MAX (1, g_atomic_int_get (&remux->remuxes->active));

  return growing_rest (remux->growing, (gint64) (CHUNK_BYTES * active * G_USEC_PER_SEC / PACE_BPS));
}

static gboolean
add (GstBuffer **buffer, guint unused, gpointer user)
{
  GByteArray *pending = ((Remux *) user)->pending;
  gsize bytes = gst_buffer_get_size (*buffer);
  guint at = pending->len;

  g_byte_array_set_size (pending, at + (guint) bytes);
  gst_buffer_extract (*buffer, 0, pending->data + at, bytes);
  return TRUE;
}

static gboolean
tell_duration (GstElement *unused, GstPad *pad, gpointer user)
{
  gint64 duration_ns;

  if (!gst_pad_query_duration (pad, GST_FORMAT_TIME, &duration_ns) || duration_ns <= 0)
    return TRUE;
  growing_set_duration (((Remux *) user)->growing, (guint64) duration_ns);
  return FALSE;
}

static void
begin (Remux *remux)
{
  GstElement *demux = gst_bin_get_by_name (GST_BIN (remux->pipeline), "demux");

  remux->has_begun = TRUE;
  gst_element_foreach_src_pad (demux, tell_duration, remux);
  gst_object_unref (demux);
}

static GstFlowReturn
on_sample (GstAppSink *sink, gpointer user)
{
  Remux *remux = user;
  GstSample *sample = gst_app_sink_pull_sample (sink);
  GstBuffer *buffer;

  if (sample == NULL)
    return GST_FLOW_EOS;
  if (!remux->has_begun)
    begin (remux);
  buffer = gst_sample_get_buffer (sample);
  if (buffer != NULL)
    add (&buffer, 0, remux);
  else
    gst_buffer_list_foreach (gst_sample_get_buffer_list (sample), add, remux);
  gst_sample_unref (sample);
  if (remux->pending->len < CHUNK_BYTES)
    return GST_FLOW_OK;
  return write_pending (remux) && pace (remux) ? GST_FLOW_OK : GST_FLOW_EOS;
}

static void
on_eos (GstAppSink *sink, gpointer user)
{
  Remux *remux = user;

  if (write_pending (remux))
    growing_finish (remux->growing, NULL);
}

/* On any thread: a viewer must not take a movie for complete that has failed. */
static GstBusSyncReply
on_sync_message (GstBus *bus, GstMessage *message, gpointer user)
{
  GError *error;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    growing_finish (((Remux *) user)->growing, error->message);
    g_error_free (error);
  }
  return GST_BUS_PASS;
}

/* ---- a movie ------------------------------------------------------------------------ */

static void
end (Remux *remux)
{
  Remuxes *remuxes = remux->remuxes;
  GstBus *bus;

  if (remux->pipeline == NULL)
    return;
  growing_finish (remux->growing, "the movie is not needed any more");
  gst_element_set_state (remux->pipeline, GST_STATE_NULL);
  bus = gst_element_get_bus (remux->pipeline);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_object_unref (bus);
  if (remux->watch != 0)
    g_source_remove (remux->watch);
  remux->watch = 0;
  gst_clear_object (&remux->pipeline);
  g_byte_array_unref (g_steal_pointer (&remux->pending));
  g_atomic_int_add (&remuxes->active, -1);
  g_mutex_lock (&remuxes->lock);
  remux->has_ended = TRUE;
  g_mutex_unlock (&remuxes->lock);
}

static void
remux_free (gpointer data)
{
  Remux *remux = data;

  end (remux);
  g_mutex_lock (&remux->remuxes->lock);
  remux->remuxes->taken_bytes -= remux->taken_bytes;
  g_mutex_unlock (&remux->remuxes->lock);
  growing_unref (remux->growing);
  g_free (remux);
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer user)
{
  Remux *remux = user;
  gchar *problem;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR
      && GST_MESSAGE_TYPE (message) != GST_MESSAGE_EOS)
    return G_SOURCE_CONTINUE;
  problem = growing_dup_problem (remux->growing);
  GST_INFO ("%p: remuxed, %" G_GUINT64_FORMAT " bytes: %s", remux->growing,
      growing_get_bytes (remux->growing, NULL), problem != NULL ? problem : "complete");
  g_free (problem);
  remux->watch = 0;
  end (remux);
  return G_SOURCE_REMOVE;
}

static GstElement *
make_sink (Remux *remux)
{
  GstAppSinkCallbacks callbacks = { .new_sample = on_sample, .eos = on_eos };
  GstElement *sink = gst_element_factory_make ("appsink", "sink");

  g_object_set (sink, "sync", FALSE, "buffer-list", TRUE, NULL);
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, remux, NULL);
  return sink;
}

/* A list, whatever its name is, names other files and hosts. */
static void
on_type (GstElement *typefind, guint probability, const GstCaps *form, gpointer pipeline)
{
  static const gchar *const movies[] = { "video/quicktime", "audio/x-m4a", "application/x-3gp",
    "video/mj2", "video/x-matroska", "audio/x-matroska", "video/webm", "audio/webm", NULL };
  const gchar *name = gst_structure_get_name (gst_caps_get_structure (form, 0));
  GstElement *sink = gst_bin_get_by_name (pipeline, "sink");

  if (g_strv_contains (movies, name))
    remux_link (pipeline, typefind, sink, form);
  else
    GST_ELEMENT_ERROR (typefind, STREAM, WRONG_TYPE,
        ("The file is no MP4, Matroska or WebM, as its name says, but %s.", name), (NULL));
  gst_object_unref (sink);
}

/* The name in /proc leads to the file that was checked, whatever the folder has by now. */
static gboolean
start (Remux *remux, int fd, GError **error)
{
  gchar *line = g_strdup_printf ("filesrc location=/proc/self/fd/%d ! typefind name=type", fd);
  GError *problem = NULL;
  GstElement *typefind;
  GstBus *bus;

  remux->pipeline = gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &problem);
  g_free (line);
  if (remux->pipeline == NULL) {
    g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_FAILED, problem->message);
    g_error_free (problem);
    return FALSE;
  }
  g_atomic_int_inc (&remux->remuxes->active);
  remux->pending = g_byte_array_new ();
  gst_bin_add (GST_BIN (remux->pipeline), make_sink (remux));
  typefind = gst_bin_get_by_name (GST_BIN (remux->pipeline), "type");
  g_signal_connect (typefind, "have-type", G_CALLBACK (on_type), remux->pipeline);
  gst_object_unref (typefind);
  bus = gst_element_get_bus (remux->pipeline);
  gst_bus_set_sync_handler (bus, on_sync_message, remux, NULL);
  remux->watch = gst_bus_add_watch (bus, on_message, remux);
  gst_object_unref (bus);
  if (gst_element_set_state (remux->pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE)
    return TRUE;
  g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_FAILED, "the movie cannot be read");
  return FALSE;
}

/* ---- the cache ------------------------------------------------------------------------ */

Remuxes *
remuxes_new (const gchar *folder, guint64 max_bytes)
{
  Remuxes *remuxes = g_new0 (Remuxes, 1);

  GST_DEBUG_CATEGORY_INIT (remuxes_debug, "tfrcremux", 0, "movies as transport streams");
  remuxes->folder = g_strdup (folder);
  remuxes->max_bytes = max_bytes;
  g_mutex_init (&remuxes->lock);
  return remuxes;
}

void
remuxes_free (Remuxes *remuxes)
{
  GQueue all;

  g_mutex_lock (&remuxes->lock);
  all = remuxes->all;
  g_queue_init (&remuxes->all);
  g_mutex_unlock (&remuxes->lock);
  g_queue_clear_full (&all, remux_free);
  g_mutex_clear (&remuxes->lock);
  g_free (remuxes->folder);
  g_free (remuxes);
}

static gboolean
is_of (const Remux *remux, const struct stat *file)
{
  const struct stat *own = &remux->file;

  return own->st_dev == file->st_dev && own->st_ino == file->st_ino && own->st_size == file->st_size
      && own->st_mtim.tv_sec == file->st_mtim.tv_sec
      && own->st_mtim.tv_nsec == file->st_mtim.tv_nsec;
}

static gboolean
has_failed (const Remux *remux)
{
  gchar *problem = growing_dup_problem (remux->growing);

  g_free (problem);
  return problem != NULL;
}

/* @return a reference to the one with the file, as the one that was opened last; NULL if there is none */
static Growing *
find (Remuxes *remuxes, const struct stat *file)
{
  Growing *found = NULL;
  GList *link;

  g_mutex_lock (&remuxes->lock);
  for (link = remuxes->all.head; link != NULL && found == NULL; link = link->next) {
    if (!is_of (link->data, file) || has_failed (link->data))
      continue;
    found = growing_ref (((Remux *) link->data)->growing);
    g_queue_unlink (&remuxes->all, link);
    g_queue_push_tail_link (&remuxes->all, link);
  }
  g_mutex_unlock (&remuxes->lock);
  return found;
}

/* One that is being remuxed has its room from the start. */
static guint64
get_taken (const Remux *remux)
{
  guint64 bytes = growing_get_bytes (remux->growing, NULL);

  return remux->pipeline != NULL ? MAX (bytes, remux->expected_bytes) : bytes;
}

/* Drops those that nobody reads, from the one that was opened first on.  @only_useless: no complete ones
 * @most_bytes: as soon as all take no more than that */
static guint64
drop (Remuxes *remuxes, gboolean only_useless, guint64 most_bytes)
{
  GQueue dropped = G_QUEUE_INIT;
  guint64 taken = 0;
  GList *link, *next;

  g_mutex_lock (&remuxes->lock);
  for (link = remuxes->all.head; link != NULL; link = link->next)
    taken += get_taken (link->data);
  for (link = remuxes->all.head; link != NULL && (only_useless || taken > most_bytes);
       link = next) {
    Remux *remux = link->data;

    next = link->next;
    if (growing_is_shared (remux->growing)
        || (only_useless && remux->pipeline == NULL && !has_failed (remux)))
      continue;
    GST_INFO ("%p: dropped, %" G_GUINT64_FORMAT " bytes", remux->growing,
        growing_get_bytes (remux->growing, NULL));
    taken -= get_taken (remux);
    g_queue_unlink (&remuxes->all, link);
    g_queue_push_tail_link (&dropped, link);
  }
  g_mutex_unlock (&remuxes->lock);
  g_queue_clear_full (&dropped, remux_free); /* waits for threads that may wait for the lock */
  return taken;
}

void
remuxes_tidy (Remuxes *remuxes)
{
  drop (remuxes, TRUE, 0);
}

static gboolean
make_room (Remuxes *remuxes, guint64 bytes, GError **error)
{
  if (bytes > remuxes->max_bytes) {
    g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_FAILED,
        "the movie is larger than the cache (--cache-size): a .ts file needs none");
    return FALSE;
  }
  if (drop (remuxes, FALSE, remuxes->max_bytes - bytes) <= remuxes->max_bytes - bytes)
    return TRUE;
  g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_BUSY,
      "the movies that play leave no room for another one in the cache (--cache-size)");
  return FALSE;
}

static guint64
expect_bytes (const struct stat *file)
{
  guint64 bytes = (guint64) file->st_size;

  return bytes + bytes / OVERHEAD_PART + OVERHEAD_BYTES;
}

static Remux *
begin_movie (Remuxes *remuxes, int fd, const struct stat *file, GError **error)
{
  Remux *remux = g_new0 (Remux, 1);
  GError *problem = NULL;

  remux->remuxes = remuxes;
  remux->file = *file;
  remux->expected_bytes = expect_bytes (file);
  remux->growing = growing_new (remuxes->folder, &problem);
  if (remux->growing == NULL) {
    g_set_error (error, SERVER_ERROR, SERVER_ERROR_FAILED, "%s (--cache names another folder)",
        problem->message);
    g_error_free (problem);
    g_free (remux);
    return NULL;
  }
  if (start (remux, fd, error))
    return remux;
  remux_free (remux);
  return NULL;
}

Growing *
remuxes_open (Remuxes *remuxes, int fd, GError **error)
{
  Growing *growing;
  Remux *remux;
  struct stat file;

  if (fstat (fd, &file) != 0) {
    g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_FAILED, "the movie cannot be read");
    return NULL;
  }
  growing = find (remuxes, &file);
  if (growing != NULL)
    return growing;
  remuxes_tidy (remuxes);
  if (!make_room (remuxes, expect_bytes (&file), error))
    return NULL;
  remux = begin_movie (remuxes, fd, &file, error);
  if (remux == NULL)
    return NULL;
  growing = growing_ref (remux->growing);
  GST_INFO (
      "%p: a movie of %" G_GUINT64_FORMAT " bytes is remuxed", growing, (guint64) file.st_size);
  g_mutex_lock (&remuxes->lock);
  g_queue_push_tail (&remuxes->all, remux);
  g_mutex_unlock (&remuxes->lock);
  return growing;
}
