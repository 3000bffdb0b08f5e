// What there is to send: sources of packets. A source keeps what waits to be sent, without a limit, as all that it
// has to keep is where it is: the times at which packets are due do not depend on when they leave.
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

  // Begins now. ready is called whenever there is something again, after Peek() has said that there is nothing.
  virtual void Start (std::function<void ()> ready) = 0;
  // The oldest packet that is due and has not been taken; false: nothing now.
  virtual bool Peek (Offered *next) = 0;
  // Takes the packet of Peek().
  virtual void Pop () = 0;
};

// Always has a packet, due when it is asked for.
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

// What sources with times of their own share: a packet is there from its due time on.
class TimedSource : public PacketSource
{
public:
  void Start (std::function<void ()> ready) override;
  bool Peek (Offered *next) override;
  void Pop () override;

protected:
  // The packets in order of due_ns, which counts from Start(); false: there are no more.
  virtual bool Next (Offered *next) = 0;

private:
  void Advance ();

  std::function<void ()> m_ready;
  Alarm m_next_due{ [this] { m_ready (); } };
  int64_t m_start_ns = 0;
  bool m_has_next = false;
  Offered m_next;
};

// Packets of one size at a constant rate; each gap is multiplied by U(1 - randomness/2, 1 + randomness/2). The rate
// counts header_bytes as well, so that it can be the rate on the wire. The first packet is due at Start().
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

// Packets of a CSV file with the columns due_us,bytes (not before the line above), from offset_s of it on, which is
// Start(). With loop it begins again at its end, which is period_s, or by default the last packet's time and as
// much as there was between it and the one before. The file is read once, whatever the number of sources.
class ScheduleSource : public TimedSource
{
public:
  ScheduleSource (const std::string &path, double offset_s, bool loop, double period_s = 0);

  // How many packets there are in the file
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
