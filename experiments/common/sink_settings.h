/* SPDX-License-Identifier: LGPL-2.1-or-later */
// What the defaults of tfrcsink change in RFC 5348's sender, as options of a program.
#ifndef SIM_SINK_SETTINGS_H
#define SIM_SINK_SETTINGS_H

#include <cstdint>

#include <tfrc/tfrc.h>

#include "common/options.h"

namespace sim
{

// The defaults are RFC 5348's.
struct SinkSettings
{
  bool queue_guard = false;
  double burst_limit_ms = 0;   // 0: one round-trip time
  uint32_t initial_window = 0; // packets; 0: RFC 3390

  // Adds an option for each, with its name.
  void AddTo (Options *options);
  // Sets the fields of these names, and no other.
  void Apply (TfrcSenderConfig *sender) const;
};

// As tfrcsink has them without properties
constexpr SinkSettings kTfrcsink{ true, 10, 10 };

} // namespace sim
#endif
