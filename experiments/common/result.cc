/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Results as JSON and CSV, see result.h.
#include "result.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include <ns3/simulator.h>

#include "number.h"
#include "options.h"

namespace sim
{

namespace
{

// Replaces the whole file at once, so that a failed program leaves no partial result.
void
WriteFile (const std::string &directory, const std::string &name, const std::string &text)
{
  std::filesystem::path path = std::filesystem::path (directory) / name;
  std::error_code error;

  std::filesystem::create_directories (directory, error);
  std::ofstream file (path, std::ios::trunc);
  file << text;
  file.close ();
  if (!file)
    Fail (path.string () + ": cannot be written (" + std::strerror (errno) + ")");
}

std::string
Quote (const std::string &text)
{
  std::string quoted = "\"";

  if (text.find_first_of (",\"\n\r") == std::string::npos)
    return text;
  for (char c : text)
    quoted += c == '"' ? "\"\"" : std::string (1, c);
  return quoted + '"';
}

} // namespace

void
Result::Set (const std::string &name, double value)
{
  for (auto &known : m_values) {
    if (known.first != name)
      continue;
    known.second = value;
    return;
  }
  m_values.emplace_back (name, value);
}

void
Result::Write (const std::string &directory)
{
  double simulated_s = ns3::Simulator::Now ().GetSeconds ();

  Set ("simulated_s", simulated_s); // before the number of events in the file
  Set ("events", static_cast<double> (ns3::Simulator::GetEventCount ()));
  Write (directory, simulated_s);
}

void
Result::Write (const std::string &directory, double simulated_s)
{
  std::string text;

  Set ("simulated_s", simulated_s);
  Set ("cpu_s", static_cast<double> (std::clock ()) / CLOCKS_PER_SEC);
  for (const auto &[name, value] : m_values)
    text += (text.empty () ? "{\n  \"" : ",\n  \"") + name
        + "\": " + (std::isfinite (value) ? FormatNumber (value) : "null");
  WriteFile (directory, "measures.json", text + "\n}\n");
}

void
Table::Add (std::vector<Cell> row)
{
  if (row.size () != m_columns.size ())
    Fail ("a table's row has " + std::to_string (row.size ()) + " cells, not "
        + std::to_string (m_columns.size ()));
  m_rows.push_back (std::move (row));
}

void
Table::Write (const std::string &directory, const std::string &name) const
{
  std::string text;

  for (size_t i = 0; i < m_columns.size (); i++)
    text += (i == 0 ? "" : ",") + Quote (m_columns[i]);
  text += "\n";
  for (const std::vector<Cell> &row : m_rows) {
    for (size_t i = 0; i < row.size (); i++) {
      const double *number = std::get_if<double> (&row[i]);

      text += i == 0 ? "" : ",";
      text += number != nullptr ? FormatNumber (*number) : Quote (std::get<std::string> (row[i]));
    }
    text += "\n";
  }
  WriteFile (directory, name + ".csv", text);
}

} // namespace sim
