/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of both programs */
#ifndef STREAM_OPTIONS_H
#define STREAM_OPTIONS_H

#include "program.h"

/** The contents of the command line; 0 or NULL where it says nothing, unless a field tells
 * otherwise */
typedef struct
{
  gchar *from, *to;        /* the arguments that are not options; tfrc-recv: `to` may be NULL */
  gchar *sink;             /* description of a pipeline; of tfrc-recv only */
  gboolean tells_latency;  /* to the sender in any case; of tfrc-recv only */
  gchar *sdp_path;         /* file, or "-"; of tfrc-send only */
  gboolean stays;          /* when the receiver has left; of tfrc-send only */
  gchar *passphrase;       /* read from a file */
  gchar *key_passphrase;   /* read from a file */
  gchar *peer_name;        /* that the peer's certificate has to have; not empty */
  gdouble duration_s;      /* of the stream */
  gdouble timeout_s;       /* without the other end */
  gdouble interval_s;      /* of progress and statistics; 1 by default */
  gboolean quiet;          /* no progress line */
  gchar *stats_path;       /* file, or "-" */
  gboolean stats_are_json; /* otherwise text */
  gchar *metrics_address;  /* a numeric one */
  gint metrics_port;       /* 0: any free port; -1: none */
} Options;

/** Reads and checks the command line, initialises GStreamer, and prints what --help, --version or a
 * mistake asks for.
 *
 * @param options options_clear() frees its content, also after a mistake
 * @return -1: the program is to go on; otherwise its exit status */
gint options_parse (Options *options, const Program *program, int *argc, char ***argv);

void options_clear (Options *options);

#endif
