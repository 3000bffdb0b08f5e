/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements at both ends, see elements.h */
#include "elements.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

GstElement *
elements_make (const gchar *factory, GError **error)
{
  GstElement *element = gst_element_factory_make (factory, NULL);

  if (element == NULL)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "GStreamer has no element %s", factory);
  return element;
}

static void
set_protection (GstElement *element, const Options *options)
{
  if (options->passphrase != NULL)
    g_object_set (element, "passphrase", options->passphrase, NULL);
  if (options->key_passphrase != NULL)
    g_object_set (element, "private-key-passphrase", options->key_passphrase, NULL);
  if (options->peer_name != NULL)
    g_object_set (element, "peer-name", options->peer_name, NULL);
}

/* GStreamer would only say that the URI is not valid. */
static gboolean
check_scheme (const Program *program, const gchar *uri, GError **error)
{
  if (gst_uri_has_protocol (uri, "tfrc"))
    return TRUE;
  g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_UNSUPPORTED_PROTOCOL,
      "%s does not begin with tfrc://; the arguments are %s", uri, program->arguments);
  return FALSE;
}

GstElement *
elements_make_tfrc (const Program *program, const Options *options, const gchar *uri,
    Status *status, GError **error)
{
  GstElement *element = elements_make (program->factory, error);

  *status = STATUS_FAILED;
  if (element == NULL) {
    g_prefix_error (error, "GST_PLUGIN_PATH_1_0 has to say where the plugin of gst-tfrc is: ");
    return NULL;
  }
  *status = STATUS_USAGE;
  if (!check_scheme (program, uri, error)
      || !gst_uri_handler_set_uri (GST_URI_HANDLER (element), uri, error)) {
    gst_object_unref (gst_object_ref_sink (element));
    return NULL;
  }
  set_protection (element, options);
  if (options->tells_latency)
    gst_util_set_object_arg (G_OBJECT (element), "tell-latency", "true");
  return element;
}

/* ---- the other end --------------------------------------------------------- */

static GstElement *
make_descriptor (GstURIType type, GError **error)
{
  const gboolean reads = type == GST_URI_SRC;
  const gint fd = reads ? STDIN_FILENO : STDOUT_FILENO;
  GstElement *element;

  if (isatty (fd)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "standard %s is a terminal, which cannot carry a transport stream",
        reads ? "input" : "output");
    return NULL;
  }
  element = elements_make (reads ? "fdsrc" : "fdsink", error);
  if (element != NULL)
    g_object_set (element, "fd", fd, NULL);
  return element;
}

static gboolean
is_fifo (const gchar *path)
{
  struct stat status;

  return stat (path, &status) == 0 && S_ISFIFO (status.st_mode);
}

static void
close_fd (gpointer fd)
{
  close (GPOINTER_TO_INT (fd));
}

/* In a FIFO nothing may happen for as long as the other end likes. filesrc and filesink wait for it in a system call that
 * nothing ends; fdsrc and fdsink wait in poll(), for the end of the program as well. A FIFO to write to is opened once there
 * is a reader. */
static GstElement *
make_fifo (GstURIType type, const gchar *path, GError **error)
{
  const gboolean reads = type == GST_URI_SRC;
  int fd = open (path, reads ? O_RDONLY | O_NONBLOCK | O_CLOEXEC : O_WRONLY | O_CLOEXEC);
  GstElement *element;

  if (fd < 0 || fcntl (fd, F_SETFL, O_NONBLOCK) != 0) {
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "cannot open %s: %s", path,
        g_strerror (errno));
    if (fd >= 0)
      close (fd);
    return NULL;
  }
  element = elements_make (reads ? "fdsrc" : "fdsink", error);
  if (element == NULL) {
    close (fd);
    return NULL;
  }
  g_object_set (element, "fd", fd, NULL);
  g_object_set_data_full (G_OBJECT (element), "fd-of-fifo", GINT_TO_POINTER (fd), close_fd);
  return element;
}

static GstElement *
make_file (GstURIType type, const gchar *path, GError **error)
{
  GstElement *element = elements_make (type == GST_URI_SRC ? "filesrc" : "filesink", error);

  if (element != NULL)
    g_object_set (element, "location", path, NULL);
  if (element != NULL && type == GST_URI_SINK)
    g_object_set (element, "append", TRUE, NULL); /* see elements_empty_output() */
  return element;
}

/* Returns the path of a file, which may be named by a URI, or NULL if the name is of something else. */
static gchar *
get_path (const gchar *name)
{
  if (strcmp (name, "-") == 0)
    return NULL;
  if (!gst_uri_is_valid (name) || strstr (name, "://") == NULL)
    return g_strdup (name);
  return gst_uri_has_protocol (name, "file") ? g_filename_from_uri (name, NULL, NULL) : NULL;
}

GstElement *
elements_make_end (GstURIType type, const gchar *name, GError **error)
{
  gchar *path = get_path (name);
  GstElement *element;

  if (path != NULL)
    element = is_fifo (path) ? make_fifo (type, path, error) : make_file (type, path, error);
  else if (strcmp (name, "-") == 0)
    element = make_descriptor (type, error);
  else
    element = gst_element_make_from_uri (type, name, NULL, error);
  g_free (path);
  return element;
}

gboolean
elements_empty_output (const gchar *name, GError **error)
{
  gchar *path = get_path (name);
  /* EINVAL: a pipe or a device */
  gboolean empty = path == NULL || truncate (path, 0) == 0 || errno == EINVAL;

  if (!empty)
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "cannot empty %s: %s", name,
        g_strerror (errno));
  g_free (path);
  return empty;
}

/* ---- the pipeline ---------------------------------------------------------- */

GstElement *
elements_link (GstElement *const *elements, GError **error)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  guint i;

  for (i = 0; elements[i] != NULL; i++)
    gst_bin_add (GST_BIN (pipeline), elements[i]);
  for (i = 1; elements[i] != NULL; i++) {
    if (gst_element_link (elements[i - 1], elements[i]))
      continue;
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "%s does not take what %s delivers", GST_OBJECT_NAME (elements[i]),
        GST_OBJECT_NAME (elements[i - 1]));
    gst_object_unref (pipeline);
    return NULL;
  }
  return pipeline;
}

/* gst_element_send_event() would hold the lock of the pipeline's state while the source waits for its
 * streaming thread. That thread may wait in the sink for the pipeline to play, which takes the same
 * lock. */
void
elements_end (GstElement *pipeline)
{
  GST_ELEMENT_GET_CLASS (pipeline)->send_event (pipeline, gst_event_new_eos ());
}
