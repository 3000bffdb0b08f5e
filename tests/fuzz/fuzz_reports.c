/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes a sender that follows RTCP (tfrc/reports.h): packets leave and are taken back, sender reports
 * leave, and receiver reports, transport-wide feedback and lists of arrivals come, true or not.  Rates stay finite and
 * within their limits, the limits of reports hold, and a deadline lies in the future after it was
 * served. */
#include "events.h"

#include <tfrc/reports.h>

#define SEGMENT 1316
#define FIRST_SEQ 65000
#define S_NS UINT64_C (1000000000)

typedef struct
{
  TfrcSender *sender;
  TfrcReports *reports;
  TfrcArrivals *arrivals;
  uint64_t now, sent, ntp;
  uint16_t seq; /* of the newest packet */
} Fuzz;

static void
check (const Fuzz *fuzz)
{
  TfrcSenderStats stats;

  CHECK (tfrc_sender_get_stats (fuzz->sender, &stats) == TFRC_OK);
  CHECK (isfinite (stats.x_Bps) && stats.x_Bps > 0 && stats.x_Bps <= CEILING_BPS);
  CHECK (isfinite (stats.x_inst_Bps) && stats.x_inst_Bps > 0);
  CHECK (stats.p >= 0 && stats.p <= 1);
  CHECK (stats.packets_sent == fuzz->sent);
  CHECK (tfrc_reports_get_interval_ns (fuzz->reports) <= 30 * S_NS);
  CHECK (tfrc_arrivals_get_interval_ns (fuzz->arrivals) <= 30 * S_NS);
}

static void
send_packets (Fuzz *fuzz, unsigned n)
{
  TfrcData data;

  while (n-- > 0 && tfrc_sender_prepare (fuzz->sender, SEGMENT, fuzz->now, &data) == TFRC_OK) {
    fuzz->seq = data.seq;
    fuzz->sent++;
    tfrc_reports_on_packet (fuzz->reports, fuzz->sender, data.seq, SEGMENT, fuzz->now);
    tfrc_arrivals_on_packet (fuzz->arrivals, &data);
  }
}

static void
take_back (Fuzz *fuzz)
{
  if (fuzz->sent == 0)
    return;
  tfrc_sender_cancel (fuzz->sender, SEGMENT);
  tfrc_reports_cancel (fuzz->reports, SEGMENT);
  tfrc_arrivals_cancel (fuzz->arrivals);
  fuzz->sent--;
  fuzz->seq--;
}

/* What is left out is true. */
static void
give_report (Fuzz *fuzz, Input *input)
{
  unsigned what = (unsigned) take (input, 1);
  TfrcWireReport report = { .highest_seq = fuzz->seq, .lsr = (uint32_t) (fuzz->ntp >> 16) };
  TfrcResult result;

  if (what & 1)
    report.highest_seq -= (uint32_t) take (input, 2);
  if (what & 2)
    report.packets_lost = (int32_t) (take (input, 3) << 8) / 256;
  if (what & 4)
    report.fraction_lost = (uint8_t) take (input, 1);
  if (what & 8)
    report.dlsr = (uint32_t) take (input, 4);
  if (what & 16)
    report.lsr = (uint32_t) take (input, 4);
  result = tfrc_reports_on_report (fuzz->reports, fuzz->sender, what >> 7, &report, fuzz->now);
  CHECK (result != TFRC_OK || fuzz->sent > 0);
}

static void
check_arrivals (const Fuzz *fuzz, TfrcResult result)
{
  TfrcReceiverStats stats;

  CHECK (result != TFRC_OK || fuzz->sent > 0);
  CHECK (tfrc_arrivals_get_stats (fuzz->arrivals, &stats) == TFRC_OK);
  CHECK (stats.packets_received <= fuzz->sent || stats.packets_received < UINT16_MAX);
  CHECK (stats.p >= 0 && stats.p <= 1);
}

/* Until the sender follows, the arrivals are only noted. */
static TfrcSender *
take_follower (const Fuzz *fuzz, Input *input)
{
  return take (input, 1) & 1 ? NULL : fuzz->sender;
}

static void
give_feedback (Fuzz *fuzz, Input *input)
{
  uint8_t fci[256];
  size_t size = (size_t) take (input, 1) + 1;
  TfrcSender *follower;

  for (size_t i = 0; i < size; i++)
    fci[i] = (uint8_t) take (input, 1);
  /* The first number is most often one that was sent. */
  if (size > 1 && fci[0] < 0xf0) {
    uint16_t base = (uint16_t) (fuzz->seq - fci[1]);

    fci[0] = (uint8_t) (base >> 8);
    fci[1] = (uint8_t) base;
  }
  follower = take_follower (fuzz, input);
  check_arrivals (fuzz,
      tfrc_arrivals_on_feedback (
          fuzz->arrivals, follower, fci, size, take (input, 1) * 1000000, fuzz->now));
}

/* Numbers near the newest packet, in any order, with true arrivals or any others */
static void
give_list (Fuzz *fuzz, Input *input)
{
  TfrcReportedPacket list[64];
  size_t n = (size_t) take (input, 1) % 64 + 1;
  TfrcSender *follower = take_follower (fuzz, input);

  for (size_t i = 0; i < n; i++) {
    unsigned what = (unsigned) take (input, 1);

    list[i].seq = (uint16_t) (fuzz->seq - (what >> 2));
    list[i].arrived = what & 1;
    list[i].arrival_ns = what & 2 ? take (input, 8) : fuzz->now;
  }
  check_arrivals (fuzz,
      tfrc_arrivals_on_list (
          fuzz->arrivals, follower, list, n, take (input, 1) * 1000000, fuzz->now));
}

static void
pass_time (Fuzz *fuzz, uint64_t ns)
{
  fuzz->now += ns;
  tfrc_sender_on_timeout (fuzz->sender, fuzz->now);
  CHECK (tfrc_sender_next_timeout_ns (fuzz->sender) > fuzz->now);
}

static void
event (Fuzz *fuzz, Input *input)
{
  unsigned what = (unsigned) take (input, 1);

  switch (what & 7) {
    case 0:
    case 1:
      send_packets (fuzz, (what >> 3) + 1);
      break;
    case 2:
      take_back (fuzz);
      break;
    case 3:
      fuzz->ntp = take (input, 8);
      tfrc_reports_on_sender_report (fuzz->reports, fuzz->ntp, fuzz->now);
      break;
    case 4:
      give_report (fuzz, input);
      break;
    case 5:
      give_feedback (fuzz, input);
      break;
    case 6:
      pass_time (fuzz, take (input, 4));
      break;
    default:
      if (what & 16)
        give_list (fuzz, input);
      else if (what & 8)
        tfrc_reports_end (fuzz->reports, fuzz->sender);
      else
        tfrc_arrivals_end (fuzz->arrivals, fuzz->sender);
      break;
  }
  check (fuzz);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  Input input = { bytes, size };
  Fuzz fuzz = { .now = S_NS };
  TfrcSenderConfig config;

  tfrc_sender_config_init (&config);
  config.first_seq = FIRST_SEQ;
  config.queue_guard = take (&input, 1) & 1;
  CHECK (tfrc_sender_new (&fuzz.sender, &config) == TFRC_OK);
  CHECK (tfrc_reports_new (&fuzz.reports) == TFRC_OK);
  CHECK (tfrc_arrivals_new (&fuzz.arrivals) == TFRC_OK);
  while (input.size > 0)
    event (&fuzz, &input);
  tfrc_arrivals_free (fuzz.arrivals);
  tfrc_reports_free (fuzz.reports);
  tfrc_sender_free (fuzz.sender);
  return 0;
}
