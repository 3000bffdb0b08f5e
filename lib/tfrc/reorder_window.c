/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reordering window, see reorder_window.h. */
#include "reorder_window.h"

#include "units.h"

/* RFC 8985 section 6.2 step 4: reordering is mostly shorter than R/4, and the window grows in these steps
 * up to R.  One step more than was measured leaves room for jitter. */
#define QUARTERS_PER_RTT 4

/* RFC 8985 section 6.2 step 4 (RACK.reo_wnd_persist): a window that nothing has needed for this many
 * loss events would delay further ones for nothing. */
#define LOSS_EVENTS_TO_KEEP 16

void
tfrc_reorder_window_init (TfrcReorderWindow *window, uint64_t max_ns)
{
  window->max_ns = max_ns;
  tfrc_reorder_window_on_new_path (window);
}

uint64_t
tfrc_reorder_window_ns (const TfrcReorderWindow *window, uint32_t rtt_us)
{
  return tfrc_min_ns (
      window->max_ns, window->quarters * (rtt_us * TFRC_NS_PER_US) / QUARTERS_PER_RTT);
}

void
tfrc_reorder_window_on_late (TfrcReorderWindow *window, uint64_t late_ns, uint32_t rtt_us)
{
  uint64_t rtt_ns = rtt_us * TFRC_NS_PER_US;
  uint32_t needed;

  /* No window that is allowed would have covered the packet. */
  if (late_ns >= tfrc_min_ns (rtt_ns, window->max_ns))
    return;
  needed = (uint32_t) (late_ns * QUARTERS_PER_RTT / rtt_ns) + 1;
  if (needed > window->needed)
    window->needed = needed;
  if (needed > window->quarters)
    window->quarters = needed;
}

void
tfrc_reorder_window_on_loss_event (TfrcReorderWindow *window)
{
  if (window->quarters == 0 || ++window->loss_events < LOSS_EVENTS_TO_KEEP)
    return;
  window->quarters = window->needed;
  window->needed = window->loss_events = 0;
}

void
tfrc_reorder_window_on_new_path (TfrcReorderWindow *window)
{
  window->quarters = window->needed = window->loss_events = 0;
}
