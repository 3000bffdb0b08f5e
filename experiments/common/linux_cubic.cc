/* SPDX-License-Identifier: LGPL-2.1-or-later */
// CUBIC, see linux_cubic.h. Numbers in comments are sections of RFC 9438.
#include "linux_cubic.h"

#include <algorithm>
#include <cmath>

#include <ns3/simulator.h>

namespace sim
{

namespace
{

constexpr double kC = 0.4;                                    // 4.1
constexpr double kBeta = 0.7;                                 // 4.6
constexpr double kRenoGrowth = 3 * (1 - kBeta) / (1 + kBeta); // alpha_cubic, 4.3
constexpr double kMostGrowth = 0.5;                           // the target is at most 1.5 cwnd, 4.2
constexpr double kLeastWindow = 2;

// Linux's own values: the least growth per round-trip time before the first loss, and at the
// plateau.
constexpr double kGrowthBeforeLoss = 0.05;
constexpr double kGrowthAtPlateau = 0.01;
const ns3::Time kSkippedAfterLoss = ns3::Seconds (1); // no samples of the round-trip time are taken

constexpr double kHyStartLeastWindow = 16;
constexpr unsigned kHyStartSamples = 8;
const ns3::Time kHyStartTrainGap = ns3::MilliSeconds (2);
const ns3::Time kHyStartLeastDelay = ns3::MilliSeconds (4);
const ns3::Time kHyStartMostDelay = ns3::MilliSeconds (16);

double
WindowOf (const ns3::TcpSocketState &state)
{
  return static_cast<double> (state.m_cWnd.Get ()) / state.m_segmentSize;
}

bool
InSlowStart (const ns3::TcpSocketState &state)
{
  return state.m_cWnd < state.m_ssThresh;
}

} // namespace

// ---- HyStart ------------------------------------------------------------------------------------

void
HyStart::BeginRound (const ns3::TcpSocketState &state, ns3::Time now)
{
  m_round_end = state.m_highTxMark;
  m_round_start = m_last_of_train = now;
  m_round_rtt = ns3::Time ();
  m_samples = 0;
}

bool
HyStart::OnAck (const ns3::TcpSocketState &state, ns3::Time now, ns3::Time rtt, ns3::Time least_rtt)
{
  ns3::Time late = std::clamp (least_rtt / 8, kHyStartLeastDelay, kHyStartMostDelay);

  if (state.m_lastAckedSeq > m_round_end)
    BeginRound (state, now);
  if (now - m_last_of_train <= kHyStartTrainGap) {
    m_last_of_train = now;
    if (now - m_round_start > least_rtt / 2)
      return true;
  }
  if (m_round_rtt.IsZero () || rtt < m_round_rtt)
    m_round_rtt = rtt;
  if (m_samples < kHyStartSamples)
    m_samples++;
  else if (m_round_rtt > least_rtt + late)
    return true;
  return false;
}

// ---- CUBIC --------------------------------------------------------------------------------------

ns3::TypeId
LinuxCubic::GetTypeId ()
{
  static ns3::TypeId id = ns3::TypeId ("sim::LinuxCubic")
                              .SetParent<ns3::TcpCongestionOps> ()
                              .AddConstructor<LinuxCubic> ();

  return id;
}

void
LinuxCubic::BeginEpoch (double window)
{
  double below = std::max (m_last_max_window - window, 0.0);

  m_epoch = { ns3::Simulator::Now (), std::cbrt (below / kC), window + below, window };
}

// Returns the growth of the window, in segments, for each acknowledged segment.
double
LinuxCubic::GrowthPerSegment (double window) const
{
  double t_s = (ns3::Simulator::Now () - m_epoch->start + m_least_rtt).GetSeconds ();
  double target = m_epoch->origin + kC * std::pow (t_s - m_epoch->k_s, 3);
  double growth = std::max ((target - window) / window, kGrowthAtPlateau / window);

  if (m_last_max_window == 0)
    growth = std::max (growth, kGrowthBeforeLoss);
  growth = std::max (growth, (m_epoch->reno_window - window) / window);
  return std::min (growth, kMostGrowth);
}

void
LinuxCubic::IncreaseWindow (ns3::Ptr<ns3::TcpSocketState> state, uint32_t segments_acked)
{
  uint32_t segment_bytes = state->m_segmentSize;

  if (InSlowStart (*state)) {
    uint32_t room = (state->m_ssThresh.Get () - state->m_cWnd.Get () + segment_bytes - 1)
        / segment_bytes;
    uint32_t used = std::min (segments_acked, room);

    state->m_cWnd = std::min (
        state->m_cWnd.Get () + used * segment_bytes, state->m_ssThresh.Get ());
    segments_acked -= used;
  }
  if (segments_acked == 0)
    return;

  double window = WindowOf (*state);
  if (!m_epoch)
    BeginEpoch (window);
  m_epoch->reno_window += kRenoGrowth * segments_acked / window;
  m_credit += segments_acked * GrowthPerSegment (window);
  if (m_credit >= 1) {
    double whole = std::floor (m_credit);

    state->m_cWnd += static_cast<uint32_t> (whole) * segment_bytes;
    m_credit -= whole;
  }
}

void
LinuxCubic::PktsAcked (ns3::Ptr<ns3::TcpSocketState> state, uint32_t, const ns3::Time &rtt)
{
  ns3::Time now = ns3::Simulator::Now ();

  if (rtt.IsZero () || (m_epoch && now - m_epoch->start < kSkippedAfterLoss))
    return;
  if (m_least_rtt.IsZero () || rtt < m_least_rtt)
    m_least_rtt = rtt;
  if (m_slow_start_ended || !InSlowStart (*state) || WindowOf (*state) < kHyStartLeastWindow)
    return;
  m_slow_start_ended = m_hystart.OnAck (*state, now, rtt, m_least_rtt);
  if (m_slow_start_ended)
    state->m_ssThresh = state->m_cWnd;
}

// Includes fast convergence (4.7).
uint32_t
LinuxCubic::GetSsThresh (ns3::Ptr<const ns3::TcpSocketState> state, uint32_t)
{
  double window = WindowOf (*state);

  m_last_max_window = window < m_last_max_window ? window * (1 + kBeta) / 2 : window;
  m_epoch.reset ();
  m_credit = 0;
  return static_cast<uint32_t> (std::max (kBeta * window, kLeastWindow) * state->m_segmentSize);
}

// A timeout resets all estimates.
void
LinuxCubic::CongestionStateSet (
    ns3::Ptr<ns3::TcpSocketState>, const ns3::TcpSocketState::TcpCongState_t now)
{
  if (now != ns3::TcpSocketState::CA_LOSS)
    return;
  m_last_max_window = 0;
  m_least_rtt = ns3::Time ();
  m_epoch.reset ();
  m_slow_start_ended = false;
}

} // namespace sim
