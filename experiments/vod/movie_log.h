/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The times at which a movie's packets were due, left and arrived, and the measures of the VoD
// benchmark (pipelines/vod-benchmark/analysis.py).
#ifndef SIM_VOD_MOVIE_LOG_H
#define SIM_VOD_MOVIE_LOG_H

#include <cstdint>
#include <vector>

#include "common/delivery.h"
#include "common/result.h"

namespace sim
{

// Delays of packets that arrived, from their due times; 0 if none arrived.
struct MovieMeasures
{
  uint64_t packets = 0;
  uint64_t lost = 0;
  double iptd_mean_s = 0;
  double iptd_max_s = 0;
  double sender_mean_s = 0; // the two parts of iptd_mean_s
  double network_mean_s = 0;
  double sender_max_s = 0;

  double
  Iplr () const
  {
    return packets > 0 ? static_cast<double> (lost) / static_cast<double> (packets) : 0;
  }
};

class MovieLog
{
public:
  // A packet is due. Only for movies of which packets may be dropped before they are sent: all are
  // offered then, in the order of due times.
  void OnOffered (int64_t due_ns);
  void OnSent (const Delivery &packet);
  void OnReceived (const Delivery &packet);

  // Measures the packets due from skip_start_s after the first to duration_s later, without the
  // last skip_end_s.
  MovieMeasures Measure (double skip_start_s, double duration_s, double skip_end_s) const;

  // Adds a row for each packet: number,due_ns,sent_ns,arrived_ns. Times count from the movie's
  // first due time; one that never came is empty.
  void AddTo (Table *table, double number) const;

private:
  static constexpr int64_t kNever = -1;

  struct Times
  {
    int64_t due_ns;
    int64_t sent_ns;
    int64_t arrived_ns;
  };

  std::vector<Times> m_packets;
  std::vector<size_t> m_sent; // places in m_packets, indexed by Delivery::index
  bool m_is_offered = false;
};

} // namespace sim
#endif
