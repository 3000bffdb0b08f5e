/* A receiver that knows its sender's address says hello, so that a stream that
 * has been running without a receiver comes at once: a challenge at the start,
 * again after 250 ms, then after twice as long each time up to 2 s.  No socket,
 * no clock, no locks. */
#ifndef TFRC_SRC_HELLO_H
#define TFRC_SRC_HELLO_H

#include <glib.h>

G_BEGIN_DECLS

/** A plain value.  All zero: silent. */
typedef struct
{
  gboolean is_said; /**< somebody is still to hear it */
  guint64 due_ns;
  guint64 interval_ns; /**< to the one after the next */
} TfrcSrcHello;

/** Says hello from now on, at once. */
void tfrc_src_hello_start (TfrcSrcHello *hello, guint64 now_ns);

/** There is a sender. */
void tfrc_src_hello_stop (TfrcSrcHello *hello);

/** When the next one is due; G_MAXUINT64: never. */
guint64 tfrc_src_hello_next_ns (const TfrcSrcHello *hello);

/** Tells whether to say hello now. */
gboolean tfrc_src_hello_take (TfrcSrcHello *hello, guint64 now_ns);

G_END_DECLS
#endif
