/* SPDX-License-Identifier: LGPL-2.1-or-later */
// A link that damages packets at random, in one direction.
#ifndef SIM_LINK_ERRORS_H
#define SIM_LINK_ERRORS_H

#include <functional>

#include <ns3/packet.h>

#include "common/net.h"

namespace sim
{

// From now on, each packet that has crossed the link is lost with the probability `loss`, whatever
// its flow. The listener, which may be empty, is called for each lost packet, which still has its
// PPP header.
void AddLinkErrors (const Link &link, Direction direction, double loss,
    std::function<void (const ns3::Packet &)> listener = {});

} // namespace sim
#endif
