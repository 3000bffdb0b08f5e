// A movie as tfrcsink plays a live one: what has waited for too long is not sent; and what its audience gets in time.
#ifndef SIM_FAIRNESS_LIVE_SOURCE_H
#define SIM_FAIRNESS_LIVE_SOURCE_H

#include <memory>

#include "common/clock.h"
#include "common/delivery.h"
#include "common/source.h"

namespace sim
{

// Counts what is due in the window, and what of it arrives within kPatienceS.
class Audience
{
public:
  static constexpr double kPatienceS =
      2.5; // 2 s in the sender, as below, and half a second in the network

  // Nothing is counted that could still be on its way when the window ends.
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

// Drops the oldest packets that have waited for kMostWaitS: tfrcsink's max-queue-time.
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
