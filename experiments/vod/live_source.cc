/* SPDX-License-Identifier: LGPL-2.1-or-later */
// A movie behind the sink's outbox, see live_source.h.
#include "vod/live_source.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "common/clock.h"
#include "common/options.h"

namespace sim
{

namespace
{

constexpr uint64_t kAheadBytes = 16 << 20; // tfrcsrc's default

std::vector<SimImportance>
ReadClasses (const std::string &path)
{
  std::ifstream file (path);
  std::vector<SimImportance> all;
  std::string line;

  if (!file)
    Fail (path + " cannot be read");
  if (!std::getline (file, line) || line != "class,picture,group")
    Fail (path + ":1: not 'class,picture,group'");
  while (std::getline (file, line)) {
    unsigned kind, picture, group;
    char rest;

    if (std::sscanf (line.c_str (), "%u,%u,%u%c", &kind, &picture, &group, &rest) != 3 || kind > 6)
      Fail (path + ":" + std::to_string (all.size () + 2) + ": not a class and two numbers");
    all.push_back ({ static_cast<uint8_t> (kind), picture, group });
  }
  return all;
}

} // namespace

LiveSource::LiveSource (
    std::unique_ptr<PacketSource> inner, const std::string &classes, double delay_s, double ahead_s)
    : m_inner (std::move (inner)), m_importance (ReadClasses (classes)),
      m_outbox (sim_outbox_new (static_cast<uint64_t> (ToNs (delay_s)),
          static_cast<uint64_t> (ToNs (ahead_s)), kAheadBytes))
{
}

LiveSource::~LiveSource ()
{
  sim_outbox_free (m_outbox);
}

void
LiveSource::Watch (::TfrcSender *sender, std::function<void (int64_t)> offered,
    std::function<void (uint64_t)> dropped)
{
  m_sender = sender;
  m_offered = std::move (offered);
  m_told_dropped = std::move (dropped);
}

void
LiveSource::Start (std::function<void ()> ready)
{
  m_ready = std::move (ready);
  m_inner->Start ([this] { Offer (); });
  Offer ();
}

// R_sample above the least stands in for the wait that a receiver tells.
SimPath
LiveSource::Path ()
{
  TfrcSenderStats stats;
  SimPath path{};

  tfrc_sender_get_stats (m_sender, &stats);
  path.drain_rate_Bps = std::min (
      tfrc_sender_get_rate_Bps (m_sender), tfrc_sender_get_inst_rate_Bps (m_sender));
  path.rtt_ns = tfrc_sender_get_rtt_ns (m_sender);
  path.used_until_ns = tfrc_sender_get_used_until_ns (m_sender);
  if (stats.rtt_sample_ns > 0) {
    if (m_least_rtt_ns == 0 || stats.rtt_sample_ns < m_least_rtt_ns)
      m_least_rtt_ns = stats.rtt_sample_ns;
    path.queueing_ns = stats.rtt_sample_ns - m_least_rtt_ns;
  }
  return path;
}

void
LiveSource::Update ()
{
  SimPath path = Path ();

  tfrc_sender_spend_credit (
      m_sender, sim_outbox_update (m_outbox, &path, static_cast<uint64_t> (NowNs ())));
  uint64_t dropped = sim_outbox_dropped (m_outbox);
  if (dropped > m_dropped)
    m_told_dropped (dropped - std::exchange (m_dropped, dropped));
}

// The outbox has to see every packet when it is due, even if TFRC does not ask for one.
void
LiveSource::Offer ()
{
  Offered packet;

  while (m_inner->Peek (&packet)) {
    m_inner->Pop ();
    if (m_taken == m_importance.size ())
      Fail ("a movie has more packets than its file of classes");
    m_offered (packet.due_ns);
    sim_outbox_push (m_outbox, &m_importance[m_taken++], packet.payload_bytes,
        static_cast<uint64_t> (packet.due_ns), static_cast<uint64_t> (NowNs ()));
  }
  Update ();
  if (m_asked)
    m_ready ();
}

bool
LiveSource::Peek (Offered *next)
{
  uint64_t due_ns = 0;

  Update ();
  m_asked = !sim_outbox_peek (m_outbox, &next->payload_bytes, &due_ns);
  next->due_ns = static_cast<int64_t> (due_ns);
  if (m_asked)
    m_next.SetAt (sim_outbox_due_ns (m_outbox));
  return !m_asked;
}

void
LiveSource::Pop ()
{
  sim_outbox_pop (m_outbox, static_cast<uint64_t> (NowNs ()));
}

} // namespace sim
