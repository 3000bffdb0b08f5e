/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Internal estimates of TFRC and TCP, averaged over a window: the inputs of the throughput
// equation.
#ifndef SIM_OBSERVERS_H
#define SIM_OBSERVERS_H

#include <cstdint>

#include <ns3/tcp-socket-state.h>

#include "common/clock.h"
#include "common/tcp.h"
#include "common/tfrc_app.h"

namespace sim
{

class Mean
{
public:
  void
  Add (double value)
  {
    m_sum += value;
    m_count++;
  }
  // NaN if there were no samples
  double
  Value () const
  {
    return m_sum / static_cast<double> (m_count);
  }

private:
  double m_sum = 0;
  uint64_t m_count = 0;
};

// Takes one sample at each feedback packet. Resets the receiver's loss statistics at the start of
// the window.
class TfrcObserver
{
public:
  TfrcObserver (const TfrcFlow &flow, const Window &window);
  TfrcObserver (const TfrcObserver &) = delete;
  TfrcObserver &operator= (const TfrcObserver &) = delete;

  double
  RttS () const
  {
    return m_rtt_s.Value ();
  }
  double
  RtoS () const
  {
    return m_rto_s.Value ();
  } // t_RTO of the equation
  double
  P () const
  {
    return m_p.Value ();
  } // as in feedback

private:
  void OnFeedback (const TfrcFeedback &);

  ns3::Ptr<TfrcSenderApp> m_sender;
  ns3::Ptr<TfrcReceiverApp> m_receiver;
  Window m_window;
  Mean m_rtt_s, m_rto_s, m_p;
};

// Counts the loss indications of Padhye et al.: fast recoveries, and series of timeouts.
class TcpObserver
{
public:
  TcpObserver (TcpFlow &flow, double start_s, const Window &window);
  TcpObserver (const TcpObserver &) = delete;
  TcpObserver &operator= (const TcpObserver &) = delete;

  double
  RttS () const
  {
    return m_rtt_s.Value ();
  }
  double
  RtoS () const
  {
    return m_rto_s.Value ();
  } // after each sample of the round-trip time, so without backoff
  uint64_t
  FastRecoveries () const
  {
    return m_fast_recoveries;
  }
  uint64_t
  TimeoutSeries () const
  {
    return m_timeout_series;
  }

private:
  void Hook ();
  void OnRto (ns3::Time, ns3::Time now);
  void OnRttSample (ns3::Time, ns3::Time now);
  void OnState (ns3::TcpSocketState::TcpCongState_t, ns3::TcpSocketState::TcpCongState_t now);

  TcpFlow &m_flow;
  Window m_window;
  double m_current_rto_s = 0;
  Mean m_rtt_s, m_rto_s;
  uint64_t m_fast_recoveries = 0;
  uint64_t m_timeout_series = 0;
};

} // namespace sim
#endif
