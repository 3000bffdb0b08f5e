/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The movies that play, and their start times: a CSV file with the columns start_s,schedule. A
// relative schedule name counts from the directory of the playlist.
#ifndef SIM_VOD_PLAYLIST_H
#define SIM_VOD_PLAYLIST_H

#include <string>
#include <vector>

namespace sim
{

struct Entry
{
  double start_s = 0;
  std::string schedule; // path
};

// Reads at least one entry. An error in the file ends the program, see options.h.
std::vector<Entry> ReadPlaylist (const std::string &path);

} // namespace sim
#endif
