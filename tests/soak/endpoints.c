/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One end of the soak test's streams: pipelines that send, or that receive and check.
 *
 *   soak-endpoints --line=LINE --streams=N --first=N
 *
 * LINE is a launch line with "{n}" and "{port}" (../bench/pipelines.h), counted from --first.  What
 * comes to an element with the name "out" is checked: each packet is one that a benchsrc has made,
 * comes once and in order.  Lines of the standard input:
 *
 *   report       prints a line of JSON
 *   NUMBER       prints the statistics of this stream's tfrcsink
 *   step SECONDS moves the wall clock of this process (clockstep.h)
 *   another      starts and stops one more stream, and prints a line of JSON (sparestream.h)
 *
 * When the input ends, the pipelines stop, and the program ends. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/benchpacket.h"
#include "../bench/benchsrc.h"
#include "../bench/pipelines.h"
#include "clockstep.h"
#include "sparestream.h"

#define SPARE_NUMBER 2000 /* of a stream, above --first */

typedef struct
{
  guint stream;
  guint64 packets, missing, duplicates, disordered, damaged;
  guint32 next; /* number of the packet that is expected */
  gboolean begun;
} Check;

static gchar *line = NULL;
static gint streams = 1, first = 0;

static const GOptionEntry entries[] = {
  { "line", 0, 0, G_OPTION_ARG_STRING, &line, "launch line of each pipeline", "LINE" },
  { "streams", 0, 0, G_OPTION_ARG_INT, &streams, "number of pipelines", "N" },
  { "first", 0, 0, G_OPTION_ARG_INT, &first, "number of the first stream", "N" },
  { 0 },
};

static GMutex lock; /* of the checks */

static gboolean
is_as_made (const GstMapInfo *map, guint stream, BenchMark *mark)
{
  guint8 expected[BENCH_PACKET_BYTES];

  if (map->size != BENCH_PACKET_BYTES || !bench_packet_read (map->data, map->size, mark))
    return FALSE;
  bench_packet_fill (expected, mark);
  return mark->stream == stream && memcmp (expected, map->data, sizeof expected) == 0;
}

static void
count (Check *check, guint32 number)
{
  gint32 ahead = (gint32) (number - check->next);

  if (!check->begun || ahead >= 0) {
    if (check->begun)
      check->missing += (guint32) ahead;
    check->next = number + 1;
    check->begun = TRUE;
  } else if (ahead == -1) {
    check->duplicates++;
  } else {
    check->disordered++;
  }
}

static void
on_packet (GstElement *element, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  Check *check = data;
  BenchMark mark;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  g_mutex_lock (&lock);
  check->packets++;
  if (is_as_made (&map, check->stream, &mark))
    count (check, mark.number);
  else
    check->damaged++;
  g_mutex_unlock (&lock);
  gst_buffer_unmap (buffer, &map);
}

static void
watch (BenchPipelines *pipelines, Check *checks)
{
  for (guint i = 0; i < pipelines->n; i++) {
    GstElement *out = gst_bin_get_by_name (GST_BIN (pipelines->items[i]), "out");

    checks[i].stream = (guint) first + i;
    if (out == NULL)
      continue;
    g_signal_connect (out, "handoff", G_CALLBACK (on_packet), &checks[i]);
    gst_object_unref (out);
  }
}

static void
add_repairs (const GValue *item, gpointer members)
{
  static const gchar *const fields[] = { "packets-sent", "packets-requested", "packets-repaired",
    "repairs-late", "repairs-duplicate" };
  GObject *element = g_value_get_object (item);
  GstStructure *stats = NULL;
  guint64 value;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "stats"))
    g_object_get (element, "stats", &stats, NULL);
  for (guint i = 0; stats && i < G_N_ELEMENTS (fields); i++)
    if (gst_structure_get_uint64 (stats, fields[i], &value))
      g_string_append_printf (members, ", \"%s\": %" G_GUINT64_FORMAT, fields[i], value);
  g_clear_pointer (&stats, gst_structure_free);
}

/* Statistics of the tfrcsink or tfrcsrc of a pipeline, as members of an object in JSON */
static gchar *
repairs_of (GstElement *pipeline)
{
  GString *members = g_string_new (NULL);
  GstIterator *elements = gst_bin_iterate_elements (GST_BIN (pipeline));

  gst_iterator_foreach (elements, add_repairs, members);
  gst_iterator_free (elements);
  return g_string_free (members, FALSE);
}

static void
report (BenchPipelines *pipelines, const Check *checks)
{
  gchar **members = g_new0 (gchar *, pipelines->n + 1);

  for (guint i = 0; i < pipelines->n; i++)
    members[i] = repairs_of (pipelines->items[i]);
  g_mutex_lock (&lock);
  g_print ("{\"errors\": %u, \"made\": %" G_GUINT64_FORMAT ", \"streams\": [",
      __atomic_load_n (&pipelines->errors, __ATOMIC_RELAXED), bench_src_packets ());
  for (guint i = 0; i < pipelines->n; i++)
    g_print ("%s{\"stream\": %u, \"packets\": %" G_GUINT64_FORMAT
             ", \"missing\": %" G_GUINT64_FORMAT ", \"duplicates\": %" G_GUINT64_FORMAT
             ", \"disordered\": %" G_GUINT64_FORMAT ", \"damaged\": %" G_GUINT64_FORMAT "%s}",
        i ? ", " : "", checks[i].stream, checks[i].packets, checks[i].missing, checks[i].duplicates,
        checks[i].disordered, checks[i].damaged, members[i]);
  g_print ("]}\n");
  g_mutex_unlock (&lock);
  g_strfreev (members);
}

static void
print_stats (BenchPipelines *pipelines, guint stream)
{
  GstIterator *sinks;
  GValue item = G_VALUE_INIT;
  GstStructure *stats = NULL;
  gchar *text = NULL;

  if (stream - (guint) first >= pipelines->n)
    g_error ("there is no stream %u", stream);
  sinks = gst_bin_iterate_sinks (GST_BIN (pipelines->items[stream - (guint) first]));
  if (gst_iterator_next (sinks, &item) == GST_ITERATOR_OK)
    g_object_get (g_value_get_object (&item), "stats", &stats, NULL);
  if (stats != NULL)
    text = gst_structure_to_string (stats);
  g_print ("%s\n", text ? text : "none");
  g_free (text);
  g_clear_pointer (&stats, gst_structure_free);
  g_value_unset (&item);
  gst_iterator_free (sinks);
}

static void
obey (const gchar *word, BenchPipelines *pipelines, const Check *checks, SoakSpareStream *spare)
{
  if (g_str_has_prefix (word, "report"))
    report (pipelines, checks);
  else if (g_str_has_prefix (word, "step "))
    soak_clock_step (g_ascii_strtod (word + strlen ("step "), NULL));
  else if (g_str_has_prefix (word, "another"))
    soak_spare_stream_try (spare);
  else
    print_stats (pipelines, (guint) atoi (word));
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  BenchPipelines *pipelines;
  SoakSpareStream *spare;
  GError *error = NULL;
  gchar word[32];
  Check *checks;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || line == NULL || streams < 1)
    g_error ("%s", error ? error->message : "--line is needed, and at least one stream");
  setvbuf (stdout, NULL, _IOLBF, 0);
  bench_src_register ();
  pipelines = bench_pipelines_new (line, (guint) first, (guint) streams);
  checks = g_new0 (Check, streams);
  watch (pipelines, checks);
  spare = soak_spare_stream_new (line, (guint) first + SPARE_NUMBER);
  for (gint i = 0; i < streams; i++)
    if (gst_element_set_state (pipelines->items[i], GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
      g_error ("stream %d does not start", first + i);
  g_print ("ready\n");
  while (fgets (word, sizeof word, stdin) != NULL)
    obey (word, pipelines, checks, spare);
  soak_spare_stream_free (spare);
  bench_pipelines_free (pipelines);
  g_free (checks);
  g_option_context_free (context);
  return 0;
}
