/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A port that has a socket and does not run, so that nothing is served but by the test. */
#ifndef QUIETPORT_H
#define QUIETPORT_H

#include "gst/port/port-private.h"

static guint64
quiet_deadline (gpointer owner)
{
  return G_MAXUINT64;
}

static void
quiet_leaving (gpointer owner)
{
}

static const GstTfrcPortOwner quiet_owner = { .deadline = quiet_deadline,
  .leaving = quiet_leaving };

#endif
