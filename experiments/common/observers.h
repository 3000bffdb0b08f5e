// What TFRC and TCP themselves know while they run, averaged over a window: what the throughput equation needs.
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
  // Not a number if there was nothing
  double
  Value () const
  {
    return m_sum / static_cast<double> (m_count);
  }

private:
  double m_sum = 0;
  uint64_t m_count = 0;
};

// One sample for each feedback packet. Starts the receiver's loss statistics anew where the window begins.
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
  } // as reported

private:
  void OnFeedback (const TfrcFeedback &);

  ns3::Ptr<TfrcSenderApp> m_sender;
  ns3::Ptr<TfrcReceiverApp> m_receiver;
  Window m_window;
  Mean m_rtt_s, m_rto_s, m_p;
};

// Loss indications are those of Padhye et al.: fast recoveries, and series of timeouts.
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
  } // as each sample of the round-trip time leaves it: without backoff
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
