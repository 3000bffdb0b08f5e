/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Sources of packets. A source keeps packets until they are sent, without a limit. To keep them, it
// only keeps its position, because due times do not depend on when packets leave.
#ifndef SIM_SOURCE_H
#define SIM_SOURCE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ns3/random-variable-stream.h>

#include "alarm.h"

namespace sim
{

struct Offered
{
  uint32_t payload_bytes = 0;
  int64_t due_ns = 0;
};

class PacketSource
{
public:
  virtual ~PacketSource () = default;

  // Starts the source now. After Peek() has returned false, ready is called when there is a packet
  // again.
  virtual void Start (std::function<void ()> ready) = 0;
  // Gets the oldest packet that is due and has not been taken. Returns false if there is none now.
  virtual bool Peek (Offered *next) = 0;
  // Takes the packet of Peek().
  virtual void Pop () = 0;
};

// Always has a packet, which is due at the time of the call.
class GreedySource : public PacketSource
{
public:
  explicit GreedySource (uint32_t payload_bytes) : m_payload_bytes (payload_bytes)
  {
  }

  void
  Start (std::function<void ()>) override
  {
  }
  bool Peek (Offered *next) override;
  void
  Pop () override
  {
  }

private:
  uint32_t m_payload_bytes;
};

// Base of sources with due times. A packet is available from its due time on, or earlier.
class TimedSource : public PacketSource
{
public:
  // Packets are available this long before they are due, as a file's are.
  void
  SetLead (int64_t lead_ns)
  {
    m_lead_ns = lead_ns;
  }

  void Start (std::function<void ()> ready) override;
  bool Peek (Offered *next) override;
  void Pop () override;

protected:
  // Gets the packets in order of due_ns, which counts from Start(). Returns false if there are no
  // more.
  virtual bool Next (Offered *next) = 0;

private:
  void Advance ();

  std::function<void ()> m_ready;
  Alarm m_next_due{ [this] { m_ready (); } };
  int64_t m_start_ns = 0;
  int64_t m_lead_ns = 0;
  bool m_has_next = false;
  Offered m_next;
};

// Packets of one size at a constant rate. Each gap is multiplied by U(1 - randomness/2, 1 +
// randomness/2). The rate includes header_bytes, so that it can be the rate on the wire. The first
// packet is due at Start().
class CbrSource : public TimedSource
{
public:
  CbrSource (
      double rate_bps, uint32_t payload_bytes, double randomness = 0, uint32_t header_bytes = 0);

protected:
  bool Next (Offered *next) override;

private:
  uint32_t m_payload_bytes;
  double m_gap_ns;
  double m_due_ns = 0;
  ns3::Ptr<ns3::UniformRandomVariable> m_jitter;
};

// Packets of a CSV file with the columns due_us,bytes; due times never decrease. Start()
// corresponds to offset_s in the file. With loop the file begins again after period_s. By default
// the period is the last due time plus the last gap. The file is read once, whatever the number of
// sources.
class ScheduleSource : public TimedSource
{
public:
  ScheduleSource (const std::string &path, double offset_s, bool loop, double period_s = 0);

  // Number of packets in the file
  size_t
  Size () const
  {
    return m_schedule->size ();
  }

protected:
  bool Next (Offered *next) override;

private:
  std::shared_ptr<const std::vector<Offered>> m_schedule;
  int64_t m_offset_ns;
  int64_t m_period_ns;
  bool m_loop;
  int64_t m_laps = 0;
  size_t m_index = 0;
};

} // namespace sim
#endif
