/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* movie-classes FILE.ts: what the sink's classifier says of each packet of seven TS packets, as a CSV
 * file class,picture,group on standard output. */
#include <stdio.h>

#include "../../gst/tfrcsink/tsclassifier.h"

#define TS_PACKETS 7 /* in an RTP packet, as tfrcsink fills it */

int
main (int argc, char **argv)
{
  static GstTfrcTsClassifier classifier;
  guint8 packet[GST_TFRC_TS_PACKET_BYTES];
  FILE *file = argc == 2 ? fopen (argv[1], "rb") : NULL;
  GstTfrcImportance importance;
  guint n = 0;

  if (file == NULL) {
    fprintf (stderr, argc == 2 ? "movie-classes: %s cannot be read\n" : "usage: %s FILE.ts\n",
        argc == 2 ? argv[1] : "movie-classes");
    return 2;
  }
  puts ("class,picture,group");
  gst_tfrc_ts_classifier_init (&classifier);
  while (fread (packet, sizeof packet, 1, file) == 1) {
    gst_tfrc_ts_classifier_add (&classifier, packet);
    if (++n % TS_PACKETS > 0)
      continue;
    gst_tfrc_ts_classifier_end_packet (&classifier, &importance);
    printf ("%u,%u,%u\n", importance.class, importance.picture, importance.group);
  }
  fclose (file);
  return fflush (stdout) == 0 ? 0 : 1;
}
