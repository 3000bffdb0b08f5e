/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Names of policies for t_RTO, see rto_policy.h.
#include "rto_policy.h"

#include "options.h"

namespace sim
{

namespace
{

struct Policy
{
  const char *name;
  TfrcRtoPolicy policy;
};

constexpr Policy kPolicies[] = {
  { "4r", TFRC_RTO_POLICY_4R },
  { "tcp", TFRC_RTO_POLICY_TCP },
  { "linux", TFRC_RTO_POLICY_LINUX },
  { "balanced", TFRC_RTO_POLICY_BALANCED },
};

} // namespace

std::vector<std::string>
RtoPolicyNames ()
{
  std::vector<std::string> names;

  for (const Policy &policy : kPolicies)
    names.push_back (policy.name);
  return names;
}

TfrcRtoPolicy
FindRtoPolicy (const std::string &name)
{
  for (const Policy &policy : kPolicies)
    if (name == policy.name)
      return policy.policy;
  Fail ("there is no t_RTO named '" + name + "'");
}

} // namespace sim
