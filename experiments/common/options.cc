/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The command line, see options.h.
#include "options.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <errno.h>

#include <ns3/rng-seed-manager.h>

#include "number.h"

namespace sim
{

void
Fail (const std::string &message)
{
  std::fflush (stdout);
  std::fprintf (stderr, "%s: %s\n", program_invocation_short_name, message.c_str ());
  std::exit (2);
}

namespace
{

// Reads the whole text as a number within the limits. NaN is never within limits.
template <typename Number>
bool
Read (const std::string &text, Number min, Number max, Number *value)
{
  Number number{};
  const char *end = text.data () + text.size ();
  auto result = std::from_chars (text.data (), end, number);

  if (result.ec != std::errc () || result.ptr != end || !(number >= min && number <= max))
    return false;
  *value = number;
  return true;
}

template <typename Number>
std::string
Range (Number min, Number max)
{
  bool has_min = min > std::numeric_limits<Number>::lowest ();
  bool has_max = max < std::numeric_limits<Number>::max ();

  if (has_min && has_max)
    return "a number from " + FormatNumber (min) + " to " + FormatNumber (max);
  if (has_min)
    return "a number from " + FormatNumber (min) + " on";
  return has_max ? "a number up to " + FormatNumber (max) : "a number";
}

std::string
Join (const std::vector<std::string> &texts)
{
  std::string all;

  for (const std::string &text : texts)
    all += (all.empty () ? "" : ", ") + text;
  return all;
}

} // namespace

Options::Options (std::string summary) : m_summary (std::move (summary))
{
  Add ("seed", &m_seed, "of everything random", 1);
  Add ("output", &m_output, "directory of the results");
}

void
Options::Add (
    const std::string &name, double *value, const std::string &help, double min, double max)
{
  auto set = [=] (const std::string &text) { return Read (text, min, max, value); };

  m_options.push_back ({ name, help, FormatNumber (*value), set, Range (min, max) });
}

void
Options::Add (
    const std::string &name, uint32_t *value, const std::string &help, uint32_t min, uint32_t max)
{
  auto set = [=] (const std::string &text) { return Read (text, min, max, value); };

  m_options.push_back ({ name, help, std::to_string (*value), set, "whole, " + Range (min, max) });
}

void
Options::Add (const std::string &name, bool *value, const std::string &help)
{
  auto set = [=] (const std::string &text) {
    *value = text == "true" || text == "1";
    return *value || text == "false" || text == "0";
  };

  m_options.push_back ({ name, help, *value ? "true" : "false", set, "true or false" });
}

void
Options::Add (const std::string &name, std::string *value, const std::string &help,
    std::vector<std::string> choices)
{
  std::string accepted = choices.empty () ? "a text" : "one of " + Join (choices);
  auto set = [=] (const std::string &text) {
    bool is_choice = choices.empty ();

    for (const std::string &choice : choices)
      is_choice = is_choice || choice == text;
    *value = text;
    return is_choice;
  };

  m_options.push_back ({ name, help, *value, set, accepted });
}

void
Options::Help () const
{
  std::printf ("%s\n\n", m_summary.c_str ());
  for (const Option &option : m_options)
    std::printf ("  --%s=%s\n        %s: %s\n", option.name.c_str (), option.initial.c_str (),
        option.help.c_str (), option.accepted.c_str ());
  std::exit (0);
}

void
Options::Set (const std::string &argument)
{
  size_t equals = argument.find ('=');
  std::string name = argument.substr (0, equals);

  for (const Option &option : m_options) {
    if (name != "--" + option.name)
      continue;
    if (equals == std::string::npos)
      Fail (name + " wants a value: " + name + "=" + option.initial);
    if (!option.set (argument.substr (equals + 1)))
      Fail (argument + ": not " + option.accepted);
    return;
  }
  Fail ("unknown parameter '" + argument + "'; --help lists them");
}

void
Options::Parse (int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    std::string argument = argv[i];

    if (argument == "--help")
      Help ();
    Set (argument);
  }
  ns3::RngSeedManager::SetSeed (1);
  ns3::RngSeedManager::SetRun (m_seed);
}

} // namespace sim
