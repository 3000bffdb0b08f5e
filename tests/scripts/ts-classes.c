/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The helper of ts-classes.sh: what gst/tfrcsink/tsclassifier.h says of each packet of a transport
 * stream by itself, as a line "PID CLASS PICTURE GROUP". */
#include <stdio.h>

#include "gst/tfrcsink/tsclassifier.h"

int
main (int argc, char **argv)
{
  static GstTfrcTsClassifier classifier;
  guint8 packet[GST_TFRC_TS_PACKET_BYTES];
  FILE *file = argc == 2 ? fopen (argv[1], "rb") : NULL;

  if (file == NULL) {
    fprintf (stderr, "usage: ts-classes FILE\n");
    return 2;
  }
  gst_tfrc_ts_classifier_init (&classifier);
  while (fread (packet, sizeof packet, 1, file) == 1) {
    GstTfrcImportance importance;

    gst_tfrc_ts_classifier_add (&classifier, packet);
    gst_tfrc_ts_classifier_end_packet (&classifier, &importance);
    printf ("%u %u %u %u\n", gst_tfrc_ts_get_pid (packet), importance.class, importance.picture,
        importance.group);
  }
  fclose (file);
  return 0;
}
