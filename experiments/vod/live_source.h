/* SPDX-License-Identifier: LGPL-2.1-or-later */
// A movie behind the sink's own outbox with a deadline: what cannot be played in time does not
// leave, the least important first. A stored movie may run ahead of its time.
#ifndef SIM_VOD_LIVE_SOURCE_H
#define SIM_VOD_LIVE_SOURCE_H

#include <string>
#include <vector>

#include "common/source.h"
#include "vod/outbox.h"

namespace sim
{

class LiveSource : public PacketSource
{
public:
  // inner's packets have in this order what the file 'classes' says. It is a CSV file
  // class,picture,group, as the program movie-classes writes it. delay_s: of the player. ahead_s: how
  // far packets may run ahead, for which inner has to have them so early.
  LiveSource (std::unique_ptr<PacketSource> inner, const std::string &classes, double delay_s,
      double ahead_s);
  LiveSource (const LiveSource &) = delete;
  LiveSource &operator= (const LiveSource &) = delete;
  ~LiveSource () override;

  // Before Start(). sender: tells of the path before each decision, and may be let make up for unused
  // sending time. offered: a packet is due. dropped: that many packets will not leave.
  void Watch (::TfrcSender *sender, std::function<void (int64_t due_ns)> offered,
      std::function<void (uint64_t packets)> dropped);

  void Start (std::function<void ()> ready) override;
  bool Peek (Offered *next) override;
  void Pop () override;

private:
  void Offer ();
  void Update ();
  SimPath Path ();

  std::unique_ptr<PacketSource> m_inner;
  std::vector<SimImportance> m_importance;
  SimOutbox *m_outbox;
  size_t m_taken = 0; // of inner's packets
  uint64_t m_dropped = 0;
  ::TfrcSender *m_sender = nullptr;
  uint64_t m_least_rtt_ns = 0;
  std::function<void (int64_t)> m_offered;
  std::function<void (uint64_t)> m_told_dropped;
  std::function<void ()> m_ready;
  Alarm m_next{ [this] { Offer (); } }; // a packet of the outbox may leave
  bool m_asked = false;                 // Peek() has returned false
};

} // namespace sim
#endif
