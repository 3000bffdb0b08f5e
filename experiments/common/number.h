/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Numbers as text, for messages and results.
#ifndef SIM_NUMBER_H
#define SIM_NUMBER_H

#include <string>

namespace sim
{

// Returns the shortest text that reads back as the same number; "" for infinity and NaN.
std::string FormatNumber (double value);

} // namespace sim
#endif
