/* A receiver that knows its sender's address says hello, so that a stream that
 * has been running without a receiver comes at once: a challenge at the start,
 * again after 250 ms, then after twice as long each time up to 2 s.  No socket,
 * no clock, no locks. */
#ifndef GST_TFRC_SRCHELLO_H
#define GST_TFRC_SRCHELLO_H

#include <glib.h>

G_BEGIN_DECLS

/** A plain value.  All zero: silent. */
typedef struct
{
  gboolean is_said; /**< somebody is still to hear it */
  guint64 due_ns;
  guint64 interval_ns; /**< to the one after the next */
} GstTfrcSrcHello;

/** Says hello from now on, at once. */
void gst_tfrc_src_hello_start (GstTfrcSrcHello *hello, guint64 now_ns);

/** There is a sender. */
void gst_tfrc_src_hello_stop (GstTfrcSrcHello *hello);

/** When the next one is due; G_MAXUINT64: never. */
guint64 gst_tfrc_src_hello_next_ns (const GstTfrcSrcHello *hello);

/** Tells whether to say hello now. */
gboolean gst_tfrc_src_hello_take (GstTfrcSrcHello *hello, guint64 now_ns);

G_END_DECLS
#endif
