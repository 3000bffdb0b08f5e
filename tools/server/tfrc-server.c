/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrc-server: plays the movies of a folder to many receivers, each at the rate that TFRC allows.
 * See man/tfrc-server.1 and docs/howto/run-a-server.md. */
#include <gst/gst.h>
#include <glib-unix.h>
#include <stdio.h>
#include <sys/resource.h>

#include "door.h"
#include "hosts.h"
#include "http.h"
#include "keysfile.h"
#include "movies.h"
#include "streams.h"

enum
{
  STATUS_OK,
  STATUS_FAILED,
  STATUS_USAGE
};

#define DEFAULT_CACHE "/var/tmp"

static gchar *listen_address = "127.0.0.1";
static gchar *media_address = "::", *keys_path, *cache_folder;
static gint cache_mb = 10000;
static gint port = 8080, media_port = 5004, max_streams = 100, max_per_host = 10, absent_s = 30,
            keep_s = 600, keep_number = 100;
static gchar **allowed, **unresponsive, **folders;
static gboolean version;

static const GOptionEntry entries[] = {
  { "listen", 0, 0, G_OPTION_ARG_STRING, &listen_address,
      "take requests at this address of this host, 127.0.0.1 by default", "ADDRESS" },
  { "port", 0, 0, G_OPTION_ARG_INT, &port, "TCP port for requests, 8080; 0: any free port",
      "PORT" },
  { "media-listen", 0, 0, G_OPTION_ARG_STRING, &media_address,
      "take calls of receivers at this address of this host, every one by default", "ADDRESS" },
  { "media-port", 0, 0, G_OPTION_ARG_INT, &media_port,
      "UDP port for calls and for movies to who calls, 5004; 0: take no calls", "PORT" },
  { "allow", 0, 0, G_OPTION_ARG_STRING_ARRAY, &allowed,
      "play to hosts of this prefix only; may be given again", "CIDR" },
  { "allow-unresponsive", 0, 0, G_OPTION_ARG_STRING_ARRAY, &unresponsive,
      "play to hosts of this prefix also if they do not answer; may be given again", "CIDR" },
  { "keys", 0, 0, G_OPTION_ARG_FILENAME, &keys_path,
      "play movies with the passphrases in this file, which SIGHUP reads again", "FILE" },
  { "cache", 0, 0, G_OPTION_ARG_FILENAME, &cache_folder,
      "where .mp4, .mkv and .webm files are kept as transport streams, /var/tmp", "FOLDER" },
  { "cache-size", 0, 0, G_OPTION_ARG_INT, &cache_mb, "room of all of these, in MB, 10000", "MB" },
  { "max-streams", 0, 0, G_OPTION_ARG_INT, &max_streams, "most streams at the same time, 100",
      "N" },
  { "max-per-host", 0, 0, G_OPTION_ARG_INT, &max_per_host,
      "take no further call of a host with this number of streams, 10", "N" },
  { "absent-time", 0, 0, G_OPTION_ARG_INT, &absent_s,
      "end a stream whose receiver has been absent for this time, 30", "S" },
  { "keep-time", 0, 0, G_OPTION_ARG_INT, &keep_s,
      "keep the status of an ended stream for this time, 600", "S" },
  { "keep-number", 0, 0, G_OPTION_ARG_INT, &keep_number,
      "keep the status of at most this number of ended streams, 100", "N" },
  { "version", 0, 0, G_OPTION_ARG_NONE, &version, "print the version and end", NULL },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &folders, NULL, "FOLDER" },
  { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL }
};

static const gchar *
find_misuse (void)
{
  if (folders == NULL || folders[1] != NULL)
    return "one folder of movies is wanted (--help shows the options)";
  if (port < 0 || port > G_MAXUINT16)
    return "--port must be from 0 to 65535";
  if (media_port < 0 || media_port > G_MAXUINT16)
    return "--media-port must be from 0 to 65535";
  if (max_per_host < 1 || max_per_host > 10000)
    return "--max-per-host must be from 1 to 10000";
  if (max_streams < 1 || max_streams > 10000)
    return "--max-streams must be from 1 to 10000";
  if (absent_s < 1 || absent_s > 86400 || keep_s < 0 || keep_s > 86400)
    return "--absent-time and --keep-time must not be more than a day, and --absent-time not 0";
  if (cache_mb < 1 || cache_mb > 1000000000)
    return "--cache-size must be from 1 to 1000000000";
  if (keep_number < 0 || keep_number > 10000)
    return "--keep-number must be from 0 to 10000";
  return NULL;
}

/* The default may be missing: a server of .ts files needs no cache. */
static gboolean
check_cache (GError **error)
{
  if (cache_folder == NULL || g_file_test (cache_folder, G_FILE_TEST_IS_DIR))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOTDIR, "--cache: %s is no folder", cache_folder);
  return FALSE;
}

static int
complain (int status, GError *error)
{
  fprintf (stderr, "tfrc-server: %s\n", error->message);
  g_error_free (error);
  return status;
}

/* ---- the end ----------------------------------------------------------------- */

typedef struct
{
  GMainLoop *loop;
  Streams *streams;
  gboolean ending;
} Server;

static void
on_all_ended (gpointer unused, gpointer loop)
{
  g_main_loop_quit (loop);
}

/* The first signal lets each receiver be told of the end, the second one does not wait for that. */
static gboolean
on_signal (gpointer data)
{
  Server *server = data;

  if (server->ending)
    g_main_loop_quit (server->loop);
  else
    streams_stop_all (server->streams, on_all_ended, server->loop);
  server->ending = TRUE;
  return G_SOURCE_CONTINUE;
}

/* ---- passphrases --------------------------------------------------------------- */

typedef struct
{
  Streams *streams;
  KeysFile *keys;
} Keys;

static gboolean
load_keys (Keys *keys, GError **error)
{
  KeysFile *fresh = keys_file_read (keys_path, error);

  if (fresh == NULL)
    return FALSE;
  streams_set_keys (keys->streams, fresh);
  keys_file_free (keys->keys);
  keys->keys = fresh;
  return TRUE;
}

/* A file that is wrong leaves all as it was. */
static gboolean
on_hangup (gpointer keys)
{
  GError *error = NULL;

  if (load_keys (keys, &error)) {
    printf ("tfrc-server: the passphrases were read again\n");
    fflush (stdout);
  } else {
    complain (STATUS_FAILED, error);
  }
  return G_SOURCE_CONTINUE;
}

/* ---- the run ------------------------------------------------------------------- */

static void
say_where (const Http *http, const Door *door)
{
  gchar *uri = http_dup_uri (http);

  printf ("tfrc-server: listening on %s\n", uri);
  g_free (uri);
  if (door != NULL) {
    uri = door_dup_uri (door);
    printf ("tfrc-server: receivers call %s/MOVIE\n", uri);
    g_free (uri);
  }
  fflush (stdout);
}

static void
wait_for_end (Streams *streams)
{
  Server server = { g_main_loop_new (NULL, FALSE), streams, FALSE };

  g_unix_signal_add (SIGINT, on_signal, &server);
  g_unix_signal_add (SIGTERM, on_signal, &server);
  /* With passphrases it has their file read again. */
  if (keys_path == NULL)
    g_unix_signal_add (SIGHUP, on_signal, &server);
  g_main_loop_run (server.loop);
  g_main_loop_unref (server.loop);
}

static gboolean
serve (Movies *movies, Streams *streams, GError **error)
{
  Http *http = http_new (
      movies, streams, (guint16) media_port, listen_address, (guint16) port, error);
  Door *door = NULL;
  gboolean ok = http != NULL;

  if (ok && media_port > 0) {
    door = door_new (streams, media_address, (guint16) media_port, error);
    ok = door != NULL;
  }
  if (ok) {
    say_where (http, door);
    wait_for_end (streams);
  }
  door_free (door);
  g_clear_pointer (&http, http_free);
  return ok;
}

static gboolean
run (const GPtrArray *hosts, const GPtrArray *mute, GError **error)
{
  const StreamsConfig config = { (guint) max_streams, (guint) max_per_host, (guint) keep_number,
    (guint) keep_s, (guint) absent_s };
  Movies *movies = movies_new (folders[0], error);
  gboolean ok = FALSE;

  if (movies != NULL) {
    Remuxes *remuxes = remuxes_new (
        cache_folder != NULL ? cache_folder : DEFAULT_CACHE, (guint64) cache_mb * 1000000);
    Streams *streams = streams_new (movies, remuxes, hosts, mute, &config);
    Keys keys = { streams, NULL };

    ok = keys_path == NULL || load_keys (&keys, error);
    if (ok && keys_path != NULL)
      g_unix_signal_add (SIGHUP, on_hangup, &keys);
    ok = ok && serve (movies, streams, error);
    streams_free (streams);
    remuxes_free (remuxes);
    keys_file_free (keys.keys);
    movies_free (movies);
  }
  return ok;
}

static gboolean
read_hosts (GPtrArray **hosts, const gchar *option, gchar **prefixes, GError **error)
{
  *hosts = hosts_new (prefixes, error);
  if (*hosts == NULL)
    g_prefix_error (error, "%s: ", option);
  return *hosts != NULL;
}

/* The usual soft limit, 1024, is for programs that use select(), which this one does not.  A stream has four descriptors,
 * and one more for each further rendition, so that 100 streams of movies in eight renditions would be too many. */
static void
use_all_descriptors (void)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit (RLIMIT_NOFILE, &limit);
}

/* A stream cannot start without these. */
static gboolean
check_elements (GError **error)
{
  static const gchar *const names[] = { "appsrc", "appsink", "filesrc", "tsparse", "tfrcsink",
    "parsebin", "multiqueue", "mpegtsmux" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    GstElementFactory *factory = gst_element_factory_find (names[i]);

    if (factory == NULL) {
      g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
          "GStreamer has no element %s (GST_PLUGIN_PATH_1_0 says where tfrcsink is)", names[i]);
      return FALSE;
    }
    gst_object_unref (factory);
  }
  return TRUE;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("- play the movies of a folder to receivers");
  GError *error = NULL;
  GPtrArray *hosts = NULL, *mute = NULL;
  const gchar *misuse;
  gboolean ok;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  ok = g_option_context_parse (context, &argc, &argv, &error);
  g_option_context_free (context);
  if (!ok)
    return complain (STATUS_USAGE, error);
  if (version) {
    printf ("tfrc-server (gst-tfrc) %s\n", PROJECT_VERSION);
    return STATUS_OK;
  }
  misuse = find_misuse ();
  if (misuse != NULL) {
    fprintf (stderr, "tfrc-server: %s\n", misuse);
    return STATUS_USAGE;
  }
  if (!read_hosts (&hosts, "--allow", allowed, &error)
      || !read_hosts (&mute, "--allow-unresponsive", unresponsive, &error)) {
    g_clear_pointer (&hosts, g_ptr_array_unref);
    return complain (STATUS_USAGE, error);
  }
  use_all_descriptors ();
  ok = check_cache (&error) && check_elements (&error) && run (hosts, mute, &error);
  g_ptr_array_unref (hosts);
  g_ptr_array_unref (mute);
  return ok ? STATUS_OK : complain (STATUS_FAILED, error);
}
