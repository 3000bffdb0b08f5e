/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU time to say what a packet of RTP is worth, compared with that of sending the packet.
 *
 *   bench-classes [FILE]
 *
 * FILE is a transport stream. Without one, the stream is made here: groups of 13 pictures of H.264 with two
 * of three that no other refers to, and audio. A packet of the file is read as often as the others. The
 * result is the median of many rounds. */
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

#include "../check/libs/tsbuilder.h"
#include "cost.h"
#include "gst/tfrcsink/tspacketizer.h"

#define PMT_PID 0x1000
#define VIDEO_PID 0x100
#define AUDIO_PID 0x110
#define GROUPS 40
#define PICTURES 13
#define SEND_BATCH 64
/* A packet of tfrcsink costs some times as much as sendto() alone. */
#define WORST_COST 0.1

static void
append_picture (GByteArray *stream, GRand *rand, const gchar *head, guint head_bytes, guint bytes)
{
  guint8 *picture = g_malloc (bytes);

  for (guint i = 0; i < bytes; i++)
    picture[i] = (guint8) g_rand_int_range (rand, 1, 256); /* no start codes */
  memcpy (picture, head, head_bytes);
  ts_append_pes (stream, VIDEO_PID, head_bytes > 12 ? TS_RANDOM_ACCESS : 0, picture, bytes);
  g_free (picture);
}

static GByteArray *
make_stream (void)
{
  static const guint16 pmt_pid = PMT_PID;
  static const TsStream streams[] = { { 0x1b, VIDEO_PID, NULL, 0 }, { 0x0f, AUDIO_PID, NULL, 0 } };
  GByteArray *stream = g_byte_array_new ();
  GRand *rand = g_rand_new_with_seed (1);

  for (guint i = 0; i < GROUPS * PICTURES; i++) {
    static const guint8 sound[TS_PAYLOAD_BYTES];

    if (i % PICTURES == 0) {
      ts_append_pat (stream, 0, &pmt_pid, 1);
      ts_append_pmt (stream, PMT_PID, 1, 0, streams, G_N_ELEMENTS (streams));
      append_picture (
          stream, rand, "\0\0\0\1\x09\xf0\0\0\1\x67\x64\0\x1e\0\0\1\x65\x88", 18, 30000);
    } else if (i % 3 == 0)
      append_picture (stream, rand, "\0\0\0\1\x09\xf0\0\0\1\x41\x9a", 11, 9000);
    else
      append_picture (stream, rand, "\0\0\0\1\x09\xf0\0\0\1\x01\x9e", 11, 3000);
    ts_append (stream, AUDIO_PID, TS_START, sound, sizeof sound);
    ts_append (stream, AUDIO_PID, 0, sound, sizeof sound);
  }
  g_rand_free (rand);
  return stream;
}

static GByteArray *
read_stream (const char *path)
{
  gchar *data;
  gsize size;

  REQUIRE (g_file_get_contents (path, &data, &size, NULL));
  return g_byte_array_new_take ((guint8 *) data, size);
}

/* Returns the time of one packet of RTP. The packet is copied first, as the packetizer does, so that the
 * bytes are in the cache.
 * @classifier: NULL: to copy alone
 * @counts: of the classes */
static double
cost_of_classes (GstTfrcTsClassifier *classifier, const GByteArray *stream, guint *counts)
{
  static guint8 payload[GST_TFRC_TS_PAYLOAD_BYTES];
  const guint packets = stream->len / GST_TFRC_TS_PAYLOAD_BYTES;
  double begin = now_ns ();

  for (guint i = 0; i < packets; i++) {
    GstTfrcImportance importance = GST_TFRC_IMPORTANCE_INIT;

    for (guint k = 0; k < GST_TFRC_TS_PACKETS; k++) {
      guint8 *to = payload + k * GST_TFRC_TS_PACKET_BYTES;

      memcpy (to, stream->data + i * sizeof payload + k * GST_TFRC_TS_PACKET_BYTES,
          GST_TFRC_TS_PACKET_BYTES);
      if (classifier)
        gst_tfrc_ts_classifier_add (classifier, to);
      else
        __asm__ volatile("" : : "r"(to) : "memory");
    }
    if (classifier)
      gst_tfrc_ts_classifier_end_packet (classifier, &importance);
    counts[importance.class]++;
  }
  return (now_ns () - begin) / packets;
}

static double
cost_of_sendto (int from, int to, const struct sockaddr_in *address)
{
  static char packet[GST_TFRC_TS_PAYLOAD_BYTES + 24];
  double begin = now_ns (), end;

  for (int i = 0; i < SEND_BATCH; i++)
    REQUIRE (
        sendto (from, packet, sizeof packet, 0, (const struct sockaddr *) address, sizeof *address)
        > 0);
  end = now_ns ();
  while (recv (to, packet, sizeof packet, MSG_DONTWAIT) >= 0)
    ;
  return (end - begin) / SEND_BATCH;
}

int
main (int argc, char **argv)
{
  static const char *const names[GST_TFRC_CLASSES] = { "tables", "audio", "random access",
    "reference", "unknown", "not referenced", "null" };
  static GstTfrcTsClassifier classifier;
  static double classes_ns[ROUNDS], copy_ns[ROUNDS], sendto_ns[ROUNDS];
  GByteArray *stream = argc > 1 ? read_stream (argv[1]) : make_stream ();
  struct sockaddr_in address = { .sin_family = AF_INET,
    .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  socklen_t size = sizeof address;
  int from = socket (AF_INET, SOCK_DGRAM, 0), to = socket (AF_INET, SOCK_DGRAM, 0);
  guint counts[GST_TFRC_CLASSES];
  double classes, sendto_median;

  REQUIRE (from >= 0 && to >= 0 && stream->len >= GST_TFRC_TS_PAYLOAD_BYTES);
  REQUIRE (bind (to, (struct sockaddr *) &address, size) == 0);
  REQUIRE (getsockname (to, (struct sockaddr *) &address, &size) == 0);
  gst_tfrc_ts_classifier_init (&classifier);
  for (int i = 0; i < ROUNDS; i++) {
    copy_ns[i] = cost_of_classes (NULL, stream, counts);
    memset (counts, 0, sizeof counts);
    classes_ns[i] = cost_of_classes (&classifier, stream, counts);
    sendto_ns[i] = cost_of_sendto (from, to, &address);
  }
  classes = median (classes_ns, ROUNDS) - median (copy_ns, ROUNDS);
  sendto_median = median (sendto_ns, ROUNDS);
  for (guint i = 0; i < GST_TFRC_CLASSES; i++)
    printf ("packets of RTP: %-36s %6u\n", names[i], counts[i]);
  printf ("%-52s %6.0f ns\n", "class of a packet", classes);
  printf ("%-52s %6.0f ns\n", "sendto of 1340 bytes", sendto_median);
  g_byte_array_unref (stream);
  return judge ("class / sendto", classes / sendto_median, WORST_COST);
}
