/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a viewer misses of a movie at a constant rate below its scenes: the outbox of a flow with its
 * deadline (gst/queue/deadline.h), in virtual time. docs/decisions/deadline.md has the figures. */
#include <gst/check/gstcheck.h>
#include <stdio.h>
#include <string.h>

#include "gst/queue/outbox.h"

#define MS GST_MSECOND
#define NOW (1000 * GST_SECOND)
#define BYTES GST_TFRC_PACKET_MAX_PAYLOAD_BYTES
#define SLACK (900 * MS)

/* The movie as a transport stream has 640 kbit/s, of which its pictures are 574.5 kbit/s. */
#define TRANSPORT_STREAM (640.0 / 574.458)
#define PICTURES 15000

typedef enum
{
  FIRST_IN_FIRST_OUT, /* nothing is dropped, and what is late is missed */
  NO_CLASSES,
  CLASSES
} Policy;

typedef struct
{
  GstTfrcClass class;
  guint packets, in_time;
} Picture;

typedef struct
{
  Policy policy;
  GstTfrcOutbox outbox;
  gdouble rate_Bps;
  guint64 now_ns, free_ns;        /* free_ns: when the next packet may leave */
  guint64 bytes, bytes_in_time;   /* of all pictures */
  Picture pictures[PICTURES + 1]; /* by number */
} Movie;

static GstTfrcPacketPool *pool;
static Movie movie;

static void
setup (void)
{
  pool = gst_tfrc_packet_pool_new ();
}

static void
teardown (void)
{
  gst_tfrc_packet_pool_free (pool);
}

/* A packet leaves. Its payload tells the picture to the test. */
static void
on_left (GstTfrcOutgoing *outgoing)
{
  guint bytes = gst_tfrc_outgoing_get_payload_bytes (outgoing);
  guint32 picture;

  memcpy (&picture, gst_tfrc_packet_get_payload (gst_tfrc_outgoing_get_packet (outgoing)),
      sizeof picture);
  if (movie.now_ns <= gst_tfrc_outgoing_get_due_ns (outgoing) + SLACK) {
    movie.pictures[picture].in_time++;
    movie.bytes_in_time += bytes;
  }
  movie.free_ns = movie.now_ns + (guint64) (bytes * 1e9 / movie.rate_Bps);
  gst_tfrc_outbox_on_left (&movie.outbox, outgoing, movie.now_ns);
}

static void
send_until (guint64 until_ns)
{
  GstTfrcOutgoing *outgoing;

  while ((movie.now_ns = MAX (movie.now_ns, movie.free_ns)) <= until_ns) {
    gst_tfrc_outbox_begin (&movie.outbox);
    gst_tfrc_outbox_drop_overdue (&movie.outbox, movie.now_ns);
    if ((outgoing = gst_tfrc_outbox_take (&movie.outbox)) == NULL)
      break;
    on_left (outgoing);
  }
  movie.now_ns = MAX (movie.now_ns, until_ns);
}

static void
offer (const GstTfrcImportance *importance, guint bytes, guint64 due_ns)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);

  movie.pictures[importance->picture].packets++;
  movie.bytes += bytes;
  memcpy (gst_tfrc_packet_payload (packet), &importance->picture, sizeof importance->picture);
  gst_tfrc_packet_set_payload_bytes (packet, bytes);
  if (movie.policy == CLASSES)
    gst_tfrc_packet_set_importance (packet, importance);
  fail_unless_equals_int (gst_tfrc_outbox_admit (&movie.outbox, due_ns, due_ns), GST_TFRC_ADMIT);
  gst_tfrc_outbox_push (&movie.outbox, packet, GST_TFRC_RTP_MEDIA, due_ns, due_ns);
}

/* All packets of a picture are due together. */
static void
offer_picture (char type, guint32 picture, guint32 group, guint bytes, guint64 due_ns)
{
  const GstTfrcClass class = type == 'I' ? GST_TFRC_CLASS_RANDOM_ACCESS
      : type == 'P'                      ? GST_TFRC_CLASS_REFERENCE
                                         : GST_TFRC_CLASS_NON_REFERENCE;
  const GstTfrcImportance importance = { (guint8) class, picture, group };
  guint n = (bytes + BYTES - 1) / BYTES;

  movie.pictures[picture].class = class;
  for (guint i = 0; i < n; i++)
    offer (&importance, bytes * (i + 1) / n - bytes * i / n, due_ns);
}

static void
play (Policy policy, gdouble rate_kbps)
{
  gchar *name = g_build_filename (
      g_getenv ("TFRC_TRACES_DIR"), "v-for-vendetta-like-600s.csv", NULL);
  FILE *file = fopen (name, "r");
  guint32 picture = 0, group = 0;
  char line[200], type;
  guint time_ms, size;

  fail_unless (file != NULL, "%s", name);
  memset (&movie, 0, sizeof movie);
  movie.policy = policy;
  movie.rate_Bps = rate_kbps * 125;
  fail_unless (gst_tfrc_outbox_init (&movie.outbox, 0));
  gst_tfrc_outbox_set_limits (&movie.outbox, 100000, 0, GST_TFRC_LEAKY_NONE);
  gst_tfrc_outbox_set_receiver (&movie.outbox, FALSE, movie.rate_Bps, TRUE);
  gst_tfrc_outbox_set_deadline (&movie.outbox, policy != FIRST_IN_FIRST_OUT, SLACK);
  while (fgets (line, sizeof line, file) && picture < PICTURES) {
    if (sscanf (line, "%*u,%c,%u,%u", &type, &time_ms, &size) != 3)
      continue;
    send_until (NOW + time_ms * MS);
    picture++;
    group += type == 'I';
    offer_picture (
        type, picture, group, (guint) (size * TRANSPORT_STREAM + 0.5), NOW + time_ms * MS);
  }
  send_until (NOW + 3600 * GST_SECOND);
  fail_unless (gst_tfrc_outbox_is_empty (&movie.outbox));
  gst_tfrc_outbox_clear (&movie.outbox);
  fclose (file);
  g_free (name);
}

static guint
missed_permille (void)
{
  return (guint) ((movie.bytes - movie.bytes_in_time) * 1000.0 / movie.bytes + 0.5);
}

/* Returns how many pictures of a class lack a packet. */
static guint
damaged (GstTfrcClass class)
{
  guint n = 0;

  for (guint i = 1; i <= PICTURES; i++)
    n += movie.pictures[i].class == class && movie.pictures[i].in_time < movie.pictures[i].packets;
  return n;
}

/* Returns how many packets have left in time for pictures that lack another. */
static guint
left_in_vain (void)
{
  guint n = 0;

  for (guint i = 1; i <= PICTURES; i++)
    if (movie.pictures[i].in_time < movie.pictures[i].packets)
      n += movie.pictures[i].in_time;
  return n;
}

static void
assert_missed (Policy policy, gdouble rate_kbps, guint permille)
{
  play (policy, rate_kbps);
  fail_unless (missed_permille () == permille, "%.0f kbit/s: %u, and not %u", rate_kbps,
      missed_permille (), permille);
}

static void
assert_damaged (Policy policy, gdouble rate_kbps, guint intra, guint predicted, guint bidirectional)
{
  guint i, p, b;

  play (policy, rate_kbps);
  i = damaged (GST_TFRC_CLASS_RANDOM_ACCESS);
  p = damaged (GST_TFRC_CLASS_REFERENCE);
  b = damaged (GST_TFRC_CLASS_NON_REFERENCE);
  fail_unless (i == intra && p == predicted && b == bidirectional,
      "%.0f kbit/s: %u, %u, %u, and not %u, %u, %u", rate_kbps, i, p, b, intra, predicted,
      bidirectional);
}

GST_START_TEST (a_deadline_alone_misses_what_exceeds_the_rate)
{
  assert_missed (FIRST_IN_FIRST_OUT, 640, 920);
  assert_missed (FIRST_IN_FIRST_OUT, 700, 560);
  assert_missed (FIRST_IN_FIRST_OUT, 800, 273);
  assert_missed (FIRST_IN_FIRST_OUT, 1000, 30);
  assert_missed (NO_CLASSES, 640, 109);
  assert_missed (NO_CLASSES, 700, 76);
  assert_missed (NO_CLASSES, 800, 40);
  assert_missed (NO_CLASSES, 1000, 10);
}

GST_END_TEST;

GST_START_TEST (classes_save_the_pictures_that_others_need)
{
  assert_damaged (NO_CLASSES, 640, 274, 113, 58);
  assert_damaged (NO_CLASSES, 700, 160, 78, 43);
  assert_damaged (NO_CLASSES, 800, 73, 38, 28);
  assert_damaged (NO_CLASSES, 1000, 15, 8, 15);
  assert_damaged (CLASSES, 640, 5, 122, 1411);
  assert_damaged (CLASSES, 700, 2, 64, 798);
  assert_damaged (CLASSES, 800, 1, 20, 346);
  assert_damaged (CLASSES, 1000, 0, 0, 44);
}

GST_END_TEST;

/* What leaves for a picture that lacks another packet helps nobody. */
GST_START_TEST (whole_pictures_go_so_that_little_leaves_in_vain)
{
  assert_missed (NO_CLASSES, 640, 109);
  fail_unless_equals_int (left_in_vain (), 4106);
  assert_missed (CLASSES, 640, 114);
  fail_unless_equals_int (left_in_vain (), 16);
}

GST_END_TEST;

static Suite *
deadlinetrace_suite (void)
{
  Suite *suite = suite_create ("deadlinetrace");
  TCase *tcase = tcase_create ("general");

  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, a_deadline_alone_misses_what_exceeds_the_rate);
  tcase_add_test (tcase, classes_save_the_pictures_that_others_need);
  tcase_add_test (tcase, whole_pictures_go_so_that_little_leaves_in_vain);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (deadlinetrace);
