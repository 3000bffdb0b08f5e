/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which forward error correction a flow sends (`fec'): none, always the same, or what the path and the player
 * ask for.
 *
 * Of its own accord a flow protects packets only where a repair cannot be in time,
 *
 *     L < Q + R + D      L: the player's delay, Q: what the path queues, D: the time until a gap shows,
 *
 * or the flow repairs nothing; for a receiver that tells L, and only as far as the movie leaves room in what TFRC
 * allows. How much follows from the losses of the last GST_TFRC_FEC_CHOICE_PACKETS packets (feclayout.h).
 *
 * No lock and no clock. */
#ifndef GST_TFRC_FECCHOICE_H
#define GST_TFRC_FECCHOICE_H

#include "../queue/feclayout.h"
#include "playout.h"

G_BEGIN_DECLS

/** With fewer packets a loss of 0.5 % would not show, with more the choice would follow a path too late. */
#define GST_TFRC_FEC_CHOICE_PACKETS 500

/** Reports that are kept: feedback comes once in R, so that these have that many packets from 4 a report on. */
#define GST_TFRC_FEC_CHOICE_REPORTS 128

/** A choice is made once in this time: one for each report would be worth no more. */
#define GST_TFRC_FEC_CHOICE_INTERVAL_NS G_GUINT64_CONSTANT (1000000000)

/** The movie may wait for a quarter of L. The pictures of live input come at once, and take most of their interval
 * to leave; a movie that waits for longer is behind, and each FEC packet would make it later. */
#define GST_TFRC_FEC_CHOICE_WAIT 4

/** The setting `fec' */
typedef struct
{
  gboolean is_auto;
  GstTfrcFecLayout layout; /**< if it is not */
} GstTfrcFecSetting;

/** Reads a setting: "auto", or a layout (gst_tfrc_fec_layout_parse()).
 * @param text NULL: none
 * @return FALSE: it is neither; @a setting stays as it is */
gboolean gst_tfrc_fec_setting_parse (const gchar *text, GstTfrcFecSetting *setting);

/** For fecchoice.c alone */
typedef struct
{
  guint32 packets, lost;
  guint64 time_ns; /* when the report came */
} GstTfrcFecReport;

/** For fecchoice.c alone; all zero chooses nothing. */
typedef struct
{
  GstTfrcFecSetting setting;
  gboolean has_begun;
  guint32 highest_seq, lost; /* as reported last */
  GstTfrcFecReport reports[GST_TFRC_FEC_CHOICE_REPORTS];
  guint first, n;                /* of them */
  guint32 packets, packets_lost; /* in all of these */
  guint64 chosen_ns;             /* 0: never */
  guint64 max_wait_ns;           /* with that, as the next */
  GstTfrcFecLayout layout;       /* of the last choice */
} GstTfrcFecChoice;

/** What a report tells, and what is known with it */
typedef struct
{
  guint32 highest_seq;    /**< transport number, extended */
  guint32 packets_lost;   /**< cumulative */
  GstTfrcPlayout playout; /**< as the receiver tells it */
  guint64 rtt_ns;
  gdouble rate_Bps;         /**< that TFRC allows, payload */
  gboolean repairs_nothing; /**< whatever the receiver asks for */
  guint64 now_ns;
} GstTfrcFecInput;

void gst_tfrc_fec_choice_set (GstTfrcFecChoice *self, const GstTfrcFecSetting *setting);

/** Another receiver, whose counts begin anew: forgets the losses. */
void gst_tfrc_fec_choice_restart (GstTfrcFecChoice *self);

/** A receiver that knows TFRC has reported. */
void gst_tfrc_fec_choice_on_report (GstTfrcFecChoice *self, const GstTfrcFecInput *input);

/** Returns the layout for the next packets. */
const GstTfrcFecLayout *gst_tfrc_fec_choice_get (const GstTfrcFecChoice *self);

/** Returns for how long packets of the movie may wait while FEC packets are sent: a part of L
 * (GST_TFRC_FEC_CHOICE_WAIT) for `auto', and for ever for a layout that is set. */
guint64 gst_tfrc_fec_choice_get_max_wait_ns (const GstTfrcFecChoice *self);

G_END_DECLS
#endif
