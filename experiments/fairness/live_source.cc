/* SPDX-License-Identifier: LGPL-2.1-or-later */
// A live movie, see live_source.h.
#include "fairness/live_source.h"

namespace sim
{

bool
LiveSource::Peek (Offered *next)
{
  while (m_source->Peek (next)) {
    if (NowNs () - next->due_ns <= ToNs (kMostWaitS))
      return true;
    Pop ();
  }
  return false;
}

void
LiveSource::Pop ()
{
  Offered packet;

  if (m_source->Peek (&packet))
    m_audience->OnDue (packet);
  m_source->Pop ();
}

} // namespace sim
