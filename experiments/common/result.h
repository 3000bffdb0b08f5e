/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The results of a program: measures.json, a flat object of numbers, and tables as CSV.
#ifndef SIM_RESULT_H
#define SIM_RESULT_H

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sim
{

class Result
{
public:
  // The name has the unit. Infinity and NaN become null.
  void Set (const std::string &name, double value);

  // Adds simulated_s, events and cpu_s, and creates the directory. Call before
  // Simulator::Destroy().
  void Write (const std::string &directory);
  // The same for a simulation without ns-3; events are not counted.
  void Write (const std::string &directory, double simulated_s);

private:
  std::vector<std::pair<std::string, double>> m_values;
};

class Table
{
public:
  using Cell = std::variant<double, std::string>;

  explicit Table (std::vector<std::string> columns) : m_columns (std::move (columns))
  {
  }

  void Add (std::vector<Cell> row); // as many cells as columns
  void Write (const std::string &directory, const std::string &name) const; // DIRECTORY/NAME.csv

private:
  std::vector<std::string> m_columns;
  std::vector<std::vector<Cell>> m_rows;
};

} // namespace sim
#endif
