/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The differences of tfrc-send and tfrc-recv, for the code that both share */
#ifndef STREAM_PROGRAM_H
#define STREAM_PROGRAM_H

#include <gst/gst.h>

/** Exit statuses of both programs; the man pages list them, too */
typedef enum
{
  STATUS_OK = 0,
  STATUS_FAILED = 1, /* not started, or ended with an error */
  STATUS_USAGE = 2,  /* wrong arguments */
  STATUS_ABSENT = 3  /* no receiver has answered, or no data has come */
} Status;

/** One of the two programs */
typedef struct
{
  const gchar *name;
  const gchar *arguments;  /* those that are not options, for --help */
  const gchar *summary;    /* for --help */
  const gchar *peer;       /* what the other end is */
  const gchar *factory;    /* of the element that sends or receives */
  const gchar *verb;       /* what the element does to packets */
  const gchar *packets;    /* field of the statistics: packets so far */
  const gchar *bytes;      /* field of the statistics: bytes of these packets */
  const gchar *delay;      /* field of the statistics: mean delay */
  const gchar *delay_name; /* of that delay */
  const gchar
      *unknown_type; /* said if the form of the input is not found; NULL: GStreamer's words */
} Program;

/** Prints an error with the name of the program and frees the error.
 *
 * @return the status */
Status program_complain (const Program *program, Status status, GError *error);

/** From now on an output whose reader has left is an error of what writes to it, instead of the end of
 * the program. */
void program_ignore_closed_pipes (void);

#endif
