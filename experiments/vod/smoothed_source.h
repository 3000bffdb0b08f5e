/* SPDX-License-Identifier: LGPL-2.1-or-later */
// libtfrc's smoother after another source, with the effect of tfrcsink's smoothing-time.
#ifndef SIM_VOD_SMOOTHED_SOURCE_H
#define SIM_VOD_SMOOTHED_SOURCE_H

#include <deque>

#include "common/source.h"

namespace sim
{

class SmoothedSource : public PacketSource
{
public:
  SmoothedSource (std::unique_ptr<PacketSource> inner, double window_s);
  SmoothedSource (const SmoothedSource &) = delete;
  SmoothedSource &operator= (const SmoothedSource &) = delete;
  ~SmoothedSource () override;

  void Start (std::function<void ()> ready) override;
  bool Peek (Offered *next) override;
  void Pop () override;

private:
  void Offer ();

  std::unique_ptr<PacketSource> m_inner;
  TfrcSmoother *m_smoother = nullptr;
  std::deque<Offered> m_waiting;
  std::function<void ()> m_ready;
  Alarm m_next{ [this] { m_ready (); } };
  bool m_asked = false; // Peek() has returned false
};

} // namespace sim
#endif
