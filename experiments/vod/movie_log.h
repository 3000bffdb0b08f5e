// What became of one movie's packets: when each was due, left and arrived; and what the VoD benchmark measures of that
// (pipelines/vod-benchmark/analysis.py).
#ifndef SIM_VOD_MOVIE_LOG_H
#define SIM_VOD_MOVIE_LOG_H

#include <cstdint>
#include <vector>

#include "common/delivery.h"
#include "common/result.h"

namespace sim
{

// Delays of the packets that arrived, from when they were due; 0 if none did.
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
  void OnSent (const Delivery &packet);
  void OnReceived (const Delivery &packet);

  size_t
  Sent () const
  {
    return m_packets.size ();
  }

  // Of the packets due from skip_start_s after the first to duration_s later, but without the last skip_end_s.
  MovieMeasures Measure (double skip_start_s, double duration_s, double skip_end_s) const;

  // A row for each packet: number,due_ns,sent_ns,arrived_ns, all from the movie's first due time on.
  void AddTo (Table *table, double number) const;

private:
  static constexpr int64_t kNever = -1;

  struct Times
  {
    int64_t due_ns;
    int64_t sent_ns;
    int64_t arrived_ns;
  };

  std::vector<Times> m_packets; // by Delivery::index
};

} // namespace sim
#endif
