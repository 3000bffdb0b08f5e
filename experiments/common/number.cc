/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Numbers as text, see number.h.
#include "number.h"

#include <charconv>
#include <cmath>

namespace sim
{

std::string
FormatNumber (double value)
{
  char text[64];

  if (!std::isfinite (value))
    return "";
  // Counts are written without an exponent, however large.
  if (value == std::trunc (value) && std::fabs (value) < 1e15)
    return std::string (
        text, std::to_chars (text, text + sizeof text, static_cast<long long> (value)).ptr);
  return std::string (text, std::to_chars (text, text + sizeof text, value).ptr);
}

} // namespace sim
