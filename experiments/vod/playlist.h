// Which movies play, and from when on: a CSV file with the columns start_s,schedule. A schedule's name counts from the
// directory of the playlist.
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

// At least one entry. What is wrong with the file ends the program, see options.h.
std::vector<Entry> ReadPlaylist (const std::string &path);

} // namespace sim
#endif
