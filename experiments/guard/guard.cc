/* SPDX-License-Identifier: LGPL-2.1-or-later */
// A movie over TFRC through one drop-tail link, with tfrcsink's settings or as RFC 5348 has it.
// Measures the waits in the sender and the losses. The network is simlink's, not ns-3's.
#include <cstdint>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/options.h"
#include "common/result.h"
#include "common/sink_settings.h"
#include "common/source.h"
#include "simlink/simlink.h"

#include "wait_meter.h"

namespace sim
{

namespace
{

constexpr double kStartS = 1;
constexpr double kLongestEndS = 60;  // after the last packet was due
constexpr double kTcpLaterS = 0.137; // after the previous flow

struct Parameters
{
  std::string row;
  std::string movie;
  double rate_bps = 5e6;
  uint32_t queue = 200;
  double rtt_ms = 50;
  double jitter_ms = 0;
  double feedback_jitter_ms = 0;
  bool jitter_reorders = false;
  double step_s = 0;
  double step_rtt_ms = 0;
  double loss = 0;
  uint32_t tcp = 0;
  double tcp_lead_s = 0;
  SinkSettings sink;
  std::string schedule;
  double offset_s = 0;
  double duration_s = 600;
  double settled_s = 10;
};

void
Add (Options *options, Parameters *p)
{
  options->Add ("row", &p->row, "of the experiment: for those who read the results");
  options->Add ("movie", &p->movie, "its name, for the same");
  options->Add ("rate_bps", &p->rate_bps, "of the link", 1e4, 1e10);
  options->Add ("queue", &p->queue, "packets, together with the one in service", 1, 1000000);
  options->Add ("rtt_ms", &p->rtt_ms, "of the empty path", 0.1, 10000);
  options->Add ("jitter_ms", &p->jitter_ms, "packets are delayed by up to so much more", 0, 10000);
  options->Add ("feedback_jitter_ms", &p->feedback_jitter_ms, "the same of feedback", 0, 10000);
  options->Add ("jitter_reorders", &p->jitter_reorders, "else packets stay in order");
  options->Add ("step_s", &p->step_s,
      "when in the movie the round-trip time becomes another; 0: never", 0, 1e5);
  options->Add ("step_rtt_ms", &p->step_rtt_ms, "which", 0, 10000);
  options->Add ("loss", &p->loss, "part of all packets that are lost at random", 0, 0.9);
  options->Add ("tcp", &p->tcp, "Reno flows beside it", 0, SIM_MAX_FLOWS);
  options->Add (
      "tcp_lead_s", &p->tcp_lead_s, "the Reno flows start so long before the movie", 0, 1000);
  p->sink.AddTo (options);
  options->Add ("schedule", &p->schedule, "CSV file of what is sent, due_us,bytes");
  options->Add ("offset_s", &p->offset_s, "where in the schedule it begins", 0, 1e6);
  options->Add ("duration_s", &p->duration_s, "of the movie, which begins anew at its end", 1, 1e5);
  options->Add (
      "settled_s", &p->settled_s, "what is due later than this counts for settled_*", 0, 1e5);
}

// A source's schedule, without a simulator's clock
struct Schedule : ScheduleSource
{
  using ScheduleSource::Next;
  using ScheduleSource::ScheduleSource;
};

std::vector<guint64>
DueTimes (const Parameters &p)
{
  Schedule schedule (p.schedule, p.offset_s, true);
  std::vector<guint64> due_ns;
  Offered packet;

  while (schedule.Next (&packet) && packet.due_ns < ToNs (p.duration_s)) {
    if (packet.payload_bytes != SIM_SEGMENT_BYTES)
      Fail (p.schedule + ": has packets of other than " + std::to_string (SIM_SEGMENT_BYTES)
          + " bytes");
    due_ns.push_back (static_cast<guint64> (packet.due_ns));
  }
  if (due_ns.empty ())
    Fail (p.schedule + ": nothing is due within --duration_s");
  return due_ns;
}

SimLink
LinkOf (const Parameters &p)
{
  SimLink link{};

  link.rate_bps = p.rate_bps;
  link.queue_packets = p.queue;
  link.delay_ns = static_cast<guint64> (p.rtt_ms / 2 * SIM_MS);
  link.jitter_ns = static_cast<guint64> (p.jitter_ms * SIM_MS);
  link.feedback_jitter_ns = static_cast<guint64> (p.feedback_jitter_ms * SIM_MS);
  link.jitter_reorders = p.jitter_reorders;
  link.loss = p.loss;
  return link;
}

class Experiment
{
public:
  Experiment (const Parameters &p, uint32_t seed);
  ~Experiment ()
  {
    sim_free (m_sim);
  }

  void Run (const std::string &output);

private:
  guint64
  Ns (double movie_s) const
  {
    return static_cast<guint64> (ToNs (kStartS + m_p.tcp_lead_s + movie_s));
  }
  static void OnLeaves (guint64 due_ns, guint64 now_ns, gpointer user);
  void AddFlows ();
  void Play ();

  const Parameters m_p;
  const std::vector<guint64> m_due_ns;
  Sim *m_sim;
  SimFlow *m_movie = nullptr;
  WaitMeter m_all{ 0 };
  WaitMeter m_settled;
};

Experiment::Experiment (const Parameters &p, uint32_t seed)
    : m_p (p), m_due_ns (DueTimes (p)), m_settled (Ns (p.settled_s))
{
  SimLink link = LinkOf (p);

  m_sim = sim_new (&link, seed);
  m_sim->leaves = OnLeaves;
  m_sim->user = this;
  AddFlows ();
}

void
Experiment::OnLeaves (guint64 due_ns, guint64 now_ns, gpointer user)
{
  auto self = static_cast<Experiment *> (user);

  self->m_all.Add (due_ns, now_ns);
  self->m_settled.Add (due_ns, now_ns);
}

void
Experiment::AddFlows ()
{
  TfrcSenderConfig sender;
  TfrcReceiverConfig receiver;

  tfrc_sender_config_init (&sender);
  m_p.sink.Apply (&sender);
  tfrc_receiver_config_init (&receiver);
  receiver.outage_is_one_event = true; // as in tfrcsrc
  m_movie = sim_add_flow_to (m_sim, &sender, &receiver, Ns (0));
  m_movie->schedule_ns = m_due_ns.data ();
  m_movie->n_scheduled = static_cast<guint> (m_due_ns.size ());
  for (uint32_t i = 0; i < m_p.tcp; i++)
    sim_add_reno (m_sim, Ns (i * kTcpLaterS - m_p.tcp_lead_s));
}

void
Experiment::Play ()
{
  if (m_p.step_s > 0) {
    sim_run_until (m_sim, Ns (m_p.step_s));
    m_sim->link.delay_ns = static_cast<guint64> (m_p.step_rtt_ms / 2 * SIM_MS);
  }
  sim_run_until (m_sim, Ns (m_p.duration_s));
}

void
Experiment::Run (const std::string &output)
{
  Result result;
  guint64 delivered = 0;

  Play ();
  for (guint i = 0; i < m_sim->n_renos; i++)
    delivered += m_sim->renos[i].delivered;
  for (double end_s = 1; m_movie->waiting > 0 && end_s <= kLongestEndS; end_s++)
    sim_run_until (m_sim, Ns (m_p.duration_s + end_s));

  result.Set ("packets", static_cast<double> (m_movie->sent));
  result.Set ("unsent", static_cast<double> (m_movie->waiting));
  m_all.Write (&result, "");
  m_settled.Write (&result, "settled_");
  result.Set ("lost", static_cast<double> (m_movie->dropped) / static_cast<double> (m_movie->sent));
  result.Set ("loss_event_rate", sim_receiver_stats (m_movie).p);
  result.Set ("tcp_bps",
      static_cast<double> (delivered) * SIM_WIRE_BYTES * 8 / (m_p.tcp_lead_s + m_p.duration_s));
  result.Write (output, static_cast<double> (m_sim->now) / kNsPerS);
}

} // namespace

} // namespace sim

int
main (int argc, char **argv)
{
  sim::Parameters parameters;
  sim::Options options ("A movie over TFRC through one link, with and without the queue guard.");

  sim::Add (&options, &parameters);
  options.Parse (argc, argv);
  if (parameters.schedule.empty ())
    sim::Fail ("--schedule=FILE is missing");
  if (parameters.step_s > 0
      && (parameters.step_rtt_ms <= 0 || parameters.step_s >= parameters.duration_s))
    sim::Fail ("--step_s has to be before --duration_s, and wants --step_rtt_ms");
  if (parameters.settled_s >= parameters.duration_s)
    sim::Fail ("--settled_s has to be before --duration_s");
  sim::Experiment (parameters, options.Seed ()).Run (options.Output ());
  return 0;
}
