// Numbers as text, in messages and results.
#ifndef SIM_NUMBER_H
#define SIM_NUMBER_H

#include <string>

namespace sim
{

// The shortest text that reads back as the same number; "" for infinity and NaN.
std::string FormatNumber (double value);

} // namespace sim
#endif
