/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The standing of a stream with the other end, from the statistics of its element */
#ifndef STREAM_STANDING_H
#define STREAM_STANDING_H

#include "program.h"

typedef struct
{
  gboolean has_met_peer;       /* a receiver has answered, or data has come */
  gboolean waits_for_receiver; /* of a sender: nobody takes its packets now */
  guint64 dropped;             /* packets that the sender's own queue dropped */
} Standing;

void standing_get (Standing *standing, const Program *program, GstElement *element);

#endif
