/* A source doubts that its owner is still there: because another sender waits
 * and the owner is silent, or because of a BYE, which anybody can have forged
 * who has seen the SSRC.  The owner is asked by challenges with random bytes of
 * their own; the doubt ends when it answers, or when patience does.  No socket,
 * no clock, no locks. */
#ifndef GST_TFRC_SRCDOUBT_H
#define GST_TFRC_SRCDOUBT_H

#include <glib.h>
#include <tfrc/path.h>

G_BEGIN_DECLS

typedef enum
{
  GST_TFRC_SRC_DOUBT_NONE,
  GST_TFRC_SRC_DOUBT_SILENCE,
  GST_TFRC_SRC_DOUBT_BYE
} GstTfrcSrcDoubtReason;

/** All zero but the path, which the owner of this struct creates and frees: no doubt. */
typedef struct
{
  GstTfrcSrcDoubtReason reason;
  gboolean asks; /**< challenges leave */
  TfrcPath *path;
  guint64 since_ns;
  guint64 end_ns; /**< of patience */
} GstTfrcSrcDoubt;

/** Begins.  Challenges leave at once, and again a quarter or a half of the
 * patience later.
 * @param challenges how many may leave, 0 to 3 */
void gst_tfrc_src_doubt_start (GstTfrcSrcDoubt *doubt, GstTfrcSrcDoubtReason reason,
    guint challenges, guint64 patience_ns, guint64 now_ns);

/** There is no doubt any more. */
void gst_tfrc_src_doubt_stop (GstTfrcSrcDoubt *doubt);

/** Tells whether the data is that of a challenge of this doubt. */
gboolean gst_tfrc_src_doubt_is_answer (
    GstTfrcSrcDoubt *doubt, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES], guint64 now_ns);

/** Tells whether patience has ended without an answer. */
gboolean gst_tfrc_src_doubt_is_over (const GstTfrcSrcDoubt *doubt, guint64 now_ns);

/** When a challenge is due or patience ends; G_MAXUINT64: there is no doubt. */
guint64 gst_tfrc_src_doubt_next_ns (const GstTfrcSrcDoubt *doubt);

/** Takes the challenge that is due, to be sent at once.
 * @return FALSE if none is */
gboolean gst_tfrc_src_doubt_take_challenge (
    GstTfrcSrcDoubt *doubt, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

G_END_DECLS
#endif
