/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The command line of a program: --name=value. All options have defaults and are listed by --help.
// An error ends the program with status 2 and a message that names it; ns3::CommandLine would end
// it with status 1.
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace sim
{

// Prints the error in the input, and ends the program with status 2.
[[noreturn]] void Fail (const std::string &message);

class Options
{
public:
  // Every program has --seed and --output.
  explicit Options (std::string summary);

  // The variable holds the default.
  void Add (const std::string &name, double *value, const std::string &help,
      double min = std::numeric_limits<double>::lowest (),
      double max = std::numeric_limits<double>::max ());
  void Add (const std::string &name, uint32_t *value, const std::string &help, uint32_t min = 0,
      uint32_t max = std::numeric_limits<uint32_t>::max ());
  void Add (const std::string &name, bool *value, const std::string &help); // true, false, 1 or 0
  void Add (const std::string &name, std::string *value, const std::string &help,
      std::vector<std::string> choices = {});

  // Sets the variables, and the seed of ns-3's random variables.
  void Parse (int argc, char **argv);

  const std::string &
  Output () const
  {
    return m_output;
  } // directory, created by Result
  uint32_t
  Seed () const
  {
    return m_seed;
  }

private:
  struct Option
  {
    std::string name;
    std::string help;
    std::string initial;
    std::function<bool (const std::string &)> set;
    std::string accepted;
  };

  [[noreturn]] void Help () const;
  void Set (const std::string &argument);

  std::string m_summary;
  std::string m_output = ".";
  uint32_t m_seed = 1;
  std::vector<Option> m_options;
};

} // namespace sim
#endif
