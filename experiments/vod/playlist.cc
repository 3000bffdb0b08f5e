/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Movies and their start times, see playlist.h.
#include "vod/playlist.h"

#include <cstdlib>
#include <fstream>

#include "common/options.h"

namespace sim
{

namespace
{

constexpr const char *kHeader = "start_s,schedule";
constexpr double kMaxStartS = 1e6;

std::string
DirectoryOf (const std::string &path)
{
  size_t slash = path.rfind ('/');

  return slash == std::string::npos ? "" : path.substr (0, slash + 1);
}

bool
ParseEntry (const std::string &line, const std::string &directory, Entry *entry)
{
  size_t comma = line.find (',');
  char *end = nullptr;

  if (comma == std::string::npos || comma == 0 || comma + 1 == line.size ())
    return false;
  entry->start_s = std::strtod (line.c_str (), &end);
  entry->schedule = directory + line.substr (comma + 1);
  return end == line.c_str () + comma && entry->start_s >= 0 && entry->start_s <= kMaxStartS;
}

} // namespace

std::vector<Entry>
ReadPlaylist (const std::string &path)
{
  std::ifstream file (path);
  std::vector<Entry> entries;
  std::string line;

  if (!file)
    Fail (path + " cannot be read");
  if (!std::getline (file, line) || line != kHeader)
    Fail (path + ":1: not '" + kHeader + "'");
  for (size_t number = 2; std::getline (file, line); number++) {
    Entry entry;

    if (!ParseEntry (line, DirectoryOf (path), &entry))
      Fail (path + ":" + std::to_string (number)
          + ": not a start in seconds and a schedule: " + line);
    entries.push_back (entry);
  }
  if (entries.empty ())
    Fail (path + ": no movie");
  return entries;
}

} // namespace sim
