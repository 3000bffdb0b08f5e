/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Sources of packets, see source.h.
#include "source.h"

#include <charconv>
#include <cmath>
#include <fstream>
#include <map>

#include <ns3/double.h>

#include "clock.h"
#include "options.h"
#include "number.h"

namespace sim
{

bool
GreedySource::Peek (Offered *next)
{
  *next = { m_payload_bytes, NowNs () };
  return true;
}

// ---- sources with times -------------------------------------------------------------------------

void
TimedSource::Start (std::function<void ()> ready)
{
  m_ready = std::move (ready);
  m_start_ns = NowNs ();
  Advance ();
}

void
TimedSource::Advance ()
{
  m_has_next = Next (&m_next);
  m_next.due_ns += m_start_ns;
}

// An event is needed only while no packet waits.
bool
TimedSource::Peek (Offered *next)
{
  if (!m_has_next)
    return false;
  if (m_next.due_ns - m_lead_ns > NowNs ()) {
    m_next_due.SetAt (static_cast<uint64_t> (m_next.due_ns - m_lead_ns));
    return false;
  }
  *next = m_next;
  return true;
}

void
TimedSource::Pop ()
{
  Advance ();
}

// ---- constant rate ------------------------------------------------------------------------------

CbrSource::CbrSource (
    double rate_bps, uint32_t payload_bytes, double randomness, uint32_t header_bytes)
    : m_payload_bytes (payload_bytes),
      m_gap_ns (8.0 * (payload_bytes + header_bytes) / rate_bps * kNsPerS)
{
  if (!(rate_bps > 0) || !(randomness >= 0 && randomness <= 2))
    Fail ("a CBR source wants a rate above 0 and a randomness from 0 to 2");
  if (randomness == 0)
    return;
  m_jitter = ns3::CreateObject<ns3::UniformRandomVariable> ();
  m_jitter->SetAttribute ("Min", ns3::DoubleValue (1 - randomness / 2));
  m_jitter->SetAttribute ("Max", ns3::DoubleValue (1 + randomness / 2));
}

bool
CbrSource::Next (Offered *next)
{
  *next = { m_payload_bytes, std::llround (m_due_ns) };
  m_due_ns += m_gap_ns * (m_jitter ? m_jitter->GetValue () : 1);
  return true;
}

// ---- schedules ----------------------------------------------------------------------------------

namespace
{

using Schedule = std::vector<Offered>;

bool
ReadLine (const std::string &line, Offered *packet)
{
  const char *end = line.data () + line.size ();
  int64_t due_us = -1;
  auto result = std::from_chars (line.data (), end, due_us);

  if (result.ec != std::errc () || result.ptr == end || *result.ptr != ',')
    return false;
  result = std::from_chars (result.ptr + 1, end, packet->payload_bytes);
  if (result.ptr != end && *result.ptr == '\r')
    result.ptr++;
  packet->due_ns = due_us * 1000;
  return result.ec == std::errc () && result.ptr == end && due_us >= 0 && due_us < INT64_MAX / 1000
      && packet->payload_bytes > 0 && packet->payload_bytes <= 65000;
}

std::shared_ptr<const Schedule>
ReadSchedule (const std::string &path)
{
  auto schedule = std::make_shared<Schedule> ();
  std::ifstream file (path);
  std::string line;

  if (!file)
    Fail (path + ": cannot be read");
  if (!std::getline (file, line) || line.substr (0, line.find ('\r')) != "due_us,bytes")
    Fail (path + ":1: the first line is not 'due_us,bytes'");
  for (size_t number = 2; std::getline (file, line); number++) {
    Offered packet;

    if (!ReadLine (line, &packet))
      Fail (path + ":" + std::to_string (number) + ": not a time in us and 1 to 65000 bytes");
    if (!schedule->empty () && packet.due_ns < schedule->back ().due_ns)
      Fail (path + ":" + std::to_string (number) + ": due before the packet above");
    schedule->push_back (packet);
  }
  if (schedule->size () < 2)
    Fail (path + ": less than two packets");
  return schedule;
}

std::shared_ptr<const Schedule>
CachedSchedule (const std::string &path)
{
  static std::map<std::string, std::shared_ptr<const Schedule>> cache;
  std::shared_ptr<const Schedule> &schedule = cache[path];

  if (!schedule)
    schedule = ReadSchedule (path);
  return schedule;
}

} // namespace

ScheduleSource::ScheduleSource (
    const std::string &path, double offset_s, bool loop, double period_s)
    : m_schedule (CachedSchedule (path)), m_offset_ns (ToNs (offset_s)),
      m_period_ns (ToNs (period_s)), m_loop (loop)
{
  const Schedule &schedule = *m_schedule;
  int64_t last_ns = schedule.back ().due_ns;

  if (m_period_ns == 0)
    m_period_ns = 2 * last_ns - schedule[schedule.size () - 2].due_ns;
  if (loop && (m_period_ns < last_ns || m_period_ns <= 0))
    Fail (path + ": a period of " + FormatNumber (period_s) + " s is shorter than the schedule");
  if (!(offset_s >= 0) || m_offset_ns > last_ns)
    Fail (path + ": an offset of " + FormatNumber (offset_s) + " s is not within the schedule");
  while (schedule[m_index].due_ns < m_offset_ns)
    m_index++;
}

bool
ScheduleSource::Next (Offered *next)
{
  if (m_index == m_schedule->size ()) {
    if (!m_loop)
      return false;
    m_index = 0;
    m_laps++;
  }
  *next = (*m_schedule)[m_index++];
  next->due_ns += m_laps * m_period_ns - m_offset_ns;
  return true;
}

} // namespace sim
