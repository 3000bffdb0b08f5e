/* A receiver says hello to its sender, see tfrcsrchello.h. */
#include "tfrcsrchello.h"

#define FIRST_INTERVAL_NS G_GUINT64_CONSTANT (250000000)
#define MAX_INTERVAL_NS G_GUINT64_CONSTANT (2000000000)

void
tfrc_src_hello_start (TfrcSrcHello *hello, guint64 now_ns)
{
  hello->is_said = TRUE;
  hello->due_ns = now_ns;
  hello->interval_ns = FIRST_INTERVAL_NS;
}

void
tfrc_src_hello_stop (TfrcSrcHello *hello)
{
  hello->is_said = FALSE;
}

guint64
tfrc_src_hello_next_ns (const TfrcSrcHello *hello)
{
  return hello->is_said ? hello->due_ns : G_MAXUINT64;
}

gboolean
tfrc_src_hello_take (TfrcSrcHello *hello, guint64 now_ns)
{
  if (now_ns < tfrc_src_hello_next_ns (hello))
    return FALSE;
  hello->due_ns = now_ns + hello->interval_ns;
  hello->interval_ns = MIN (2 * hello->interval_ns, MAX_INTERVAL_NS);
  return TRUE;
}
