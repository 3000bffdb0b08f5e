/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The settings of a sender, see sink_settings.h.
#include "common/sink_settings.h"

#include "common/clock.h"

namespace sim
{

namespace
{

constexpr uint32_t kMaxInitialWindow = 10; // RFC 6928, and the library's

} // namespace

void
SinkSettings::AddTo (Options *options)
{
  options->Add ("queue_guard", &queue_guard, "TFRC has one, as tfrcsink does");
  options->Add ("burst_limit_ms", &burst_limit_ms,
      "TFRC's; 0: one round-trip time, as in RFC 5348; tfrcsink has 10", 0, 1e6);
  options->Add ("initial_window", &initial_window,
      "packets of TFRC's first round-trip time; 0: RFC 3390; tfrcsink has 10", 0,
      kMaxInitialWindow);
}

void
SinkSettings::Apply (TfrcSenderConfig *sender) const
{
  sender->queue_guard = queue_guard;
  if (burst_limit_ms > 0)
    sender->burst_limit_ns = static_cast<uint64_t> (ToNs (burst_limit_ms / 1e3));
  sender->initial_window = initial_window;
}

} // namespace sim
