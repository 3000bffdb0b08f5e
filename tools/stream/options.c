/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line, see options.h */
#include "options.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "secret.h"

/* Of a passphrase, in bytes, as the elements have it */
#define PASSPHRASE_MIN 10
#define PASSPHRASE_MAX 79

#define MAX_S 31536000.0 /* a year */
#define MIN_INTERVAL_S 0.1
#define MAX_INTERVAL_S 86400.0

/* As read, before it is checked */
typedef struct
{
  gchar **rest, *passphrase_path, *key_passphrase_path, *format, *metrics_port;
  gboolean version;
} Raw;

/* ---- the table ------------------------------------------------------------- */

static void
add_entries (GOptionContext *context, Options *options, Raw *raw, gboolean receives)
{
  const GOptionEntry common[] = {
    { "passphrase-file", 'p', 0, G_OPTION_ARG_FILENAME, &raw->passphrase_path,
        "protect the stream with the passphrase in this file, which only its owner may open",
        "FILE" },
    { "key-passphrase-file", 0, 0, G_OPTION_ARG_FILENAME, &raw->key_passphrase_path,
        "the same for the passphrase of an encrypted private key", "FILE" },
    { "peer-name", 0, 0, G_OPTION_ARG_STRING, &options->peer_name,
        "name that the certificate of the other end has to have", "NAME" },
    { "duration", 'd', 0, G_OPTION_ARG_DOUBLE, &options->duration_s,
        "end the stream this number of seconds after the other end was met", "S" },
    { "timeout", 't', 0, G_OPTION_ARG_DOUBLE, &options->timeout_s,
        "give up when the other end has been absent for this number of seconds", "S" },
    { "stats-interval", 'i', 0, G_OPTION_ARG_DOUBLE, &options->interval_s,
        "seconds between progress lines and between statistics; 1 by default", "S" },
    { "stats-file", 's', 0, G_OPTION_ARG_FILENAME, &options->stats_path,
        "write statistics to this file; - is standard output", "FILE" },
    { "stats-format", 'f', 0, G_OPTION_ARG_STRING, &raw->format,
        "form of these statistics: text (by default) or json, an object a line", "FORMAT" },
    { "metrics-port", 'm', 0, G_OPTION_ARG_STRING, &raw->metrics_port,
        "let Prometheus read metrics at this TCP port; 0 is any free port", "PORT" },
    { "metrics-address", 0, 0, G_OPTION_ARG_STRING, &options->metrics_address,
        "and at this address of the host; 127.0.0.1 by default", "ADDRESS" },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &options->quiet, "print no progress line", NULL },
    { "version", 0, 0, G_OPTION_ARG_NONE, &raw->version, "print the version and end", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &raw->rest, NULL, NULL },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
  };
  const GOptionEntry receiving[] = {
    { "sink", 0, 0, G_OPTION_ARG_STRING, &options->sink,
        "hand the stream to these elements instead of OUTPUT, as gst-launch-1.0 takes them",
        "ELEMENTS" },
    { "tell-latency", 0, 0, G_OPTION_ARG_NONE, &options->tells_latency,
        "tell the sender the latency, so that it drops what would be too late: OUTPUT is played",
        NULL },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
  };

  const GOptionEntry sending[] = {
    { "sdp", 0, 0, G_OPTION_ARG_FILENAME, &options->sdp_path,
        "write the description of the stream for players (SDP) to this file; - is standard output",
        "FILE" },
    { "stay", 0, 0, G_OPTION_ARG_NONE, &options->stays,
        "go on when the receiver has left, and wait for the next one", NULL },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
  };

  g_option_context_add_main_entries (context, common, NULL);
  g_option_context_add_main_entries (context, receives ? receiving : sending, NULL);
}

/* ---- checks ---------------------------------------------------------------- */

static gboolean
refuse (GError **error, const gchar *format, const gchar *text)
{
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, format, text);
  return FALSE;
}

static gboolean
check_time (const gchar *name, gdouble value_s, gdouble min_s, gdouble max_s, GError **error)
{
  if (isfinite (value_s) && value_s >= min_s && value_s <= max_s)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "%s: %g is not a number of seconds from %g to %.0f", name, value_s, min_s, max_s);
  return FALSE;
}

static gboolean
check_metrics (Options *options, const gchar *port_text, GError **error)
{
  GInetAddress *address;
  guint64 port;

  if (port_text != NULL) {
    if (!g_ascii_string_to_unsigned (port_text, 10, 0, G_MAXUINT16, &port, NULL))
      return refuse (error, "--metrics-port: %s is not a number from 0 to 65535", port_text);
    options->metrics_port = (gint) port;
  }
  if (options->metrics_address == NULL)
    return TRUE;
  if (options->metrics_port == -1)
    return refuse (error, "%s needs --metrics-port", "--metrics-address");
  address = g_inet_address_new_from_string (options->metrics_address);
  if (address == NULL)
    return refuse (
        error, "--metrics-address: %s is not a numeric address", options->metrics_address);
  g_object_unref (address);
  return TRUE;
}

static gboolean
check_format (Options *options, const gchar *format, GError **error)
{
  options->stats_are_json = g_strcmp0 (format, "json") == 0;
  if (format != NULL && !options->stats_are_json && strcmp (format, "text") != 0)
    return refuse (error, "--stats-format: %s is neither text nor json", format);
  if (format != NULL && options->stats_path == NULL)
    return refuse (error, "%s needs --stats-file", "--stats-format");
  return TRUE;
}

/* tfrc-recv has either an output or --sink; an output takes standard output only once. */
static gboolean
check_ends (Options *options, gchar **rest, GError **error)
{
  guint wanted = options->sink != NULL ? 1 : 2, given = rest != NULL ? g_strv_length (rest) : 0;

  if (given != wanted) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "%u arguments are wanted%s, and %u are given (--help shows them)", wanted,
        options->sink != NULL ? " besides --sink" : "", given);
    return FALSE;
  }
  options->from = g_strdup (rest[0]);
  options->to = g_strdup (rest[1]);
  if (g_strcmp0 (options->to, "-") == 0 && g_strcmp0 (options->stats_path, "-") == 0)
    return refuse (error, "%s and the stream cannot both go to standard output", "--stats-file");
  return TRUE;
}

/* A pipeline that starts only to find this out has already emptied its output. */
static gboolean
check_passphrase (const gchar *passphrase, GError **error)
{
  gsize length = passphrase != NULL ? strlen (passphrase) : PASSPHRASE_MIN;

  if (length >= PASSPHRASE_MIN && length <= PASSPHRASE_MAX)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--passphrase-file: a passphrase has %d to %d bytes", PASSPHRASE_MIN, PASSPHRASE_MAX);
  return FALSE;
}

/* As of a variable that is not set. The element would refuse it, too, after the output was emptied. */
static gboolean
check_peer_name (const gchar *name, GError **error)
{
  return name == NULL || *name != '\0'
      || refuse (error, "%s: a name is wanted, and it is empty", "--peer-name");
}

static gboolean
read_secrets (Options *options, const Raw *raw, GError **error)
{
  if (raw->passphrase_path != NULL
      && (options->passphrase = secret_read (raw->passphrase_path, error)) == NULL)
    return FALSE;
  if (raw->key_passphrase_path != NULL
      && (options->key_passphrase = secret_read (raw->key_passphrase_path, error)) == NULL)
    return FALSE;
  return check_passphrase (options->passphrase, error);
}

static gboolean
check (Options *options, const Raw *raw, GError **error)
{
  return check_ends (options, raw->rest, error)
      && check_time ("--duration", options->duration_s, 0, MAX_S, error)
      && check_time ("--timeout", options->timeout_s, 0, MAX_S, error)
      && check_time ("--stats-interval", options->interval_s, MIN_INTERVAL_S, MAX_INTERVAL_S, error)
      && check_format (options, raw->format, error)
      && check_metrics (options, raw->metrics_port, error)
      && check_peer_name (options->peer_name, error) && read_secrets (options, raw, error);
}

/* ---- the whole ------------------------------------------------------------- */

static GOptionContext *
make_context (const Program *program, Options *options, Raw *raw)
{
  GOptionContext *context = g_option_context_new (program->arguments);

  g_option_context_set_summary (context, program->summary);
  add_entries (context, options, raw, g_str_equal (program->factory, "tfrcsrc"));
  g_option_context_add_group (context, gst_init_get_option_group ());
  return context;
}

static void
clear_raw (Raw *raw)
{
  g_strfreev (raw->rest);
  g_free (raw->passphrase_path);
  g_free (raw->key_passphrase_path);
  g_free (raw->format);
  g_free (raw->metrics_port);
}

gint
options_parse (Options *options, const Program *program, int *argc, char ***argv)
{
  Raw raw = { 0 };
  GOptionContext *context;
  GError *error = NULL;
  gint status = -1;

  memset (options, 0, sizeof *options);
  options->interval_s = 1;
  options->metrics_port = -1;
  context = make_context (program, options, &raw);
  if (!g_option_context_parse (context, argc, argv, &error)) {
    status = program_complain (program, STATUS_USAGE, error);
  } else if (raw.version) {
    g_print ("%s (gst-tfrc) %s\n", program->name, PROJECT_VERSION);
    status = STATUS_OK;
  } else if (!check (options, &raw, &error)) {
    status = program_complain (program, STATUS_USAGE, error);
  }
  g_option_context_free (context);
  clear_raw (&raw);
  return status;
}

void
options_clear (Options *options)
{
  g_free (options->from);
  g_free (options->to);
  g_free (options->sink);
  g_free (options->sdp_path);
  secret_free (options->passphrase);
  secret_free (options->key_passphrase);
  g_free (options->peer_name);
  g_free (options->stats_path);
  g_free (options->metrics_address);
}
