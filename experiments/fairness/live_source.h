/* SPDX-License-Identifier: LGPL-2.1-or-later */
// A movie that tfrcsink plays live: packets that have waited too long are not sent. Also a count of
// the packets that arrive in time.
#ifndef SIM_FAIRNESS_LIVE_SOURCE_H
#define SIM_FAIRNESS_LIVE_SOURCE_H

#include <memory>

#include "common/clock.h"
#include "common/delivery.h"
#include "common/source.h"

namespace sim
{

// Counts the packets due in the window, and those of them that arrive within kPatienceS.
class Audience
{
public:
  // 2 s in the sender, see LiveSource, and half a second in the network
  static constexpr double kPatienceS = 2.5;

  // Packets that could still be under way at the end of the window are not counted.
  explicit Audience (const Window &window)
      : m_window{ window.from_ns, window.to_ns - ToNs (kPatienceS) }
  {
  }

  void
  OnDue (const Offered &packet)
  {
    m_due += m_window.Contains (packet.due_ns);
  }
  void
  OnReceived (const Delivery &packet)
  {
    m_in_time += m_window.Contains (packet.due_ns) && packet.DelayS () <= kPatienceS;
  }

  // Share of the packets that came late or not at all
  double
  Missed () const
  {
    return m_due > 0 ? 1 - static_cast<double> (m_in_time) / static_cast<double> (m_due) : 0;
  }

private:
  Window m_window;
  uint64_t m_due = 0;
  uint64_t m_in_time = 0;
};

// Drops the oldest packets that have waited for kMostWaitS, as tfrcsink's max-queue-time does.
class LiveSource : public PacketSource
{
public:
  static constexpr double kMostWaitS = 2;

  LiveSource (std::unique_ptr<PacketSource> source, Audience *audience)
      : m_source (std::move (source)), m_audience (audience)
  {
  }

  void
  Start (std::function<void ()> ready) override
  {
    m_source->Start (std::move (ready));
  }
  bool Peek (Offered *next) override;
  void Pop () override;

private:
  std::unique_ptr<PacketSource> m_source;
  Audience *m_audience;
};

} // namespace sim
#endif
