/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The stream from the handover on: counts in windows that begin with it, and time series of the
// sender's and receiver's state. Rates are those of packets with all headers from IP up.
#ifndef HANDOVER_RECORDER_H
#define HANDOVER_RECORDER_H

#include <cstdint>
#include <string>
#include <vector>

#include "common/meter.h"
#include "common/result.h"
#include "common/tfrc_app.h"

namespace sim
{

struct RecorderOptions
{
  double handover_s = 30; // the first
  double end_s = 60;
  // The player's buffer. A packet that takes this much longer than the first one is useless.
  double playout_s = 0.5;
  double sample_s = 0; // 0: no series
};

class Recorder
{
public:
  Recorder (TfrcFlow &flow, const RecorderOptions &options);
  Recorder (const Recorder &) = delete;
  Recorder &operator= (const Recorder &) = delete;

  // Watch every queue on the stream's paths. The stream is flow 0.
  void Watch (QueueMeter &queue);

  void Write (Result *result, const std::string &directory) const;

private:
  // A window that begins with the handover
  struct Counts
  {
    std::string name;
    Window window;
    uint64_t bytes = 0;
    uint64_t arrived = 0;
    uint64_t overtaken = 0; // arrived after a packet that was sent later
    uint64_t dropped = 0;
    uint64_t late = 0;
  };

  void OnReceived (const Delivery &delivery);
  void OnFeedback (const TfrcFeedback &);
  void OnDropped ();
  void Remember ();
  void Sample ();

  RecorderOptions m_options;
  ns3::Ptr<TfrcSenderApp> m_sender;
  ns3::Ptr<TfrcReceiverApp> m_receiver;
  std::vector<Counts> m_counts;
  uint64_t m_sent = 0;
  uint64_t m_next_index = 0; // above all indices that have arrived
  double m_first_delay_s = -1;
  int64_t m_held_until_ns = 0;
  TfrcSenderStats m_before{};
  Table m_series;
  uint64_t m_sampled_bytes = 0;
  uint64_t m_sampled_drops = 0;
};

} // namespace sim
#endif
