/* A receiver says hello to its sender, see srchello.h. */
#include "srchello.h"

#define FIRST_INTERVAL_NS G_GUINT64_CONSTANT (250000000)
#define MAX_INTERVAL_NS G_GUINT64_CONSTANT (2000000000)

void
gst_tfrc_src_hello_start (GstTfrcSrcHello *hello, guint64 now_ns)
{
  hello->is_said = TRUE;
  hello->due_ns = now_ns;
  hello->interval_ns = FIRST_INTERVAL_NS;
}

void
gst_tfrc_src_hello_stop (GstTfrcSrcHello *hello)
{
  hello->is_said = FALSE;
}

guint64
gst_tfrc_src_hello_next_ns (const GstTfrcSrcHello *hello)
{
  return hello->is_said ? hello->due_ns : G_MAXUINT64;
}

gboolean
gst_tfrc_src_hello_take (GstTfrcSrcHello *hello, guint64 now_ns)
{
  if (now_ns < gst_tfrc_src_hello_next_ns (hello))
    return FALSE;
  hello->due_ns = now_ns + hello->interval_ns;
  hello->interval_ns = MIN (2 * hello->interval_ns, MAX_INTERVAL_NS);
  return TRUE;
}
