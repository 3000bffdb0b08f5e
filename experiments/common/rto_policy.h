/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Policies for t_RTO in the throughput equation, with the names of the key rto-policy of the property
// experiment.
#ifndef SIM_RTO_POLICY_H
#define SIM_RTO_POLICY_H

#include <string>
#include <vector>

#include <tfrc/tfrc.h>

namespace sim
{

std::vector<std::string> RtoPolicyNames ();
TfrcRtoPolicy FindRtoPolicy (const std::string &name); // the name has to be one of them

} // namespace sim
#endif
