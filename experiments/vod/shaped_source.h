/* SPDX-License-Identifier: LGPL-2.1-or-later */
// A token bucket of one packet after another source: packets leave no faster than the rate, and
// wait without a limit. It has the effect of GstBaseSink's max-bitrate.
#ifndef SIM_VOD_SHAPED_SOURCE_H
#define SIM_VOD_SHAPED_SOURCE_H

#include "common/source.h"

namespace sim
{

class ShapedSource : public PacketSource
{
public:
  // The rate counts payload.
  ShapedSource (std::unique_ptr<PacketSource> inner, double rate_bps);
  ~ShapedSource () override;

  void Start (std::function<void ()> ready) override;
  bool Peek (Offered *next) override;
  void Pop () override;

private:
  std::unique_ptr<PacketSource> m_inner;
  double m_rate_bps;
  std::function<void ()> m_ready;
  ns3::EventId m_event;
  int64_t m_free_ns = 0; // when the next packet may leave
};

} // namespace sim
#endif
