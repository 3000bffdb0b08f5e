/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtfrc: the data sender (RFC 5348 section 4). */
#ifndef TFRC_SENDER_H
#define TFRC_SENDER_H

#include <tfrc/packets.h>
#include <tfrc/trace.h>

TFRC_BEGIN_DECLS

/** The data sender.  Opaque. */
typedef struct TfrcSender TfrcSender;

/** Configuration of a sender.  Fill it with tfrc_sender_config_init() first.  Grows in later
 * versions. */
typedef struct
{
  uint32_t segment_size_bytes; /**< s until packets have been sent, and the MSS of W_init; 1..65535;
                                  default 1316 */
  uint16_t first_seq;          /**< sequence number of the first packet; default 0 */
  uint32_t clock_offset_us;    /**< added to every send time, which then does not show how long the
                               system has been up; default 0 */

  double initial_rate_Bps; /**< 0..125e9; 0: W_init / R (section 4.2, initial_window); default 0 */
  double min_rate_Bps; /**< lower limit of the allowed rate, 0..125e9; 0: s / 64 s (section 4.3);
                          default 0.  A larger value takes bandwidth from TCP under heavy loss. */
  double max_rate_Bps; /**< upper limit of the allowed rate, at least min_rate_Bps and s / 64 s; 0:
                          125e9; default 0 */
  double rate_scale;   /**< factor on the throughput equation, 0.01..100; default 1 */

  TfrcRttMethod rtt_method;   /**< default TFRC_RTT_METHOD_EWMA */
  TfrcRtoPolicy rto_policy;   /**< default TFRC_RTO_POLICY_4R; TFRC_RTO_POLICY_ADAPTIVE not with
                               TFRC_RTT_METHOD_EWMA */
  bool oscillation_reduction; /**< section 4.5; default true */
  bool queue_guard;           /**< while the path's queue grows, send at most the rate that the path
                                 delivers, see docs/decisions/queue-guard.md; use it with a burst
                                 limit of some milliseconds; default false */

  uint64_t burst_limit_ns; /**< unused send times are kept for min (burst_limit_ns, R), see also
                              credit_floor_ns; default TFRC_TIME_NEVER: for R, the most that section
                              4.6 allows */
  uint64_t timer_granularity_ns; /**< t_gran of section 8.3, at most 1 s; default 1 ms */
  uint64_t feedback_floor_ns;    /**< the shortest time between two feedback packets that the sender
                                 expects, at most 1 s; default 10 ms, see docs/decisions/rate.md,
                                    "Feedback at most every 10 ms" */

  /* enhanced TFRC */
  TfrcLossResponse loss_response; /**< default TFRC_LOSS_RESPONSE_ALL */
  uint32_t rtt_samples; /**< k of eq. 3: recent samples, 2..TFRC_MAX_RTT_SAMPLES; default 8 */
  uint64_t rtt_rise_ns; /**< Lt of eq. 3: the samples rise where one is longer than the last by more
                           than this; at most 1 s; default 1 ms */

  uint64_t credit_floor_ns; /**< R counts as at least this time where unused send times are kept, so
                               that a coarse timer does not lower the rate; 0 is section 4.6 to the
                               letter, at most 1 s; default 2 ms, see docs/decisions/rate.md, "The
                               floor of the credit" */
  uint64_t feedback_wait_ns; /**< the longest time for which the sender expects feedback to wait for
                                further packets; 0: not at all; at most 1 s; default 40 ms, see
                                docs/decisions/rate.md, "Feedback waits for packets" */

  uint64_t initial_rtt_ns; /**< a sample of R that is known before the first packet leaves, for
                              example from the setup of a connection (section 4.2): X is W_init / R,
                              or initial_rate_Bps, from the first packet on.  The first sample of
                              feedback replaces it, and if that is more than twice as long, X is
                              W_init / R again.  At most 16.777215 s; 0: none; default 0 */

  TfrcModel
      model; /**< the throughput equation, which packets tell the receiver; default TFRC_MODEL_RENO */
  TfrcRules rules; /**< default TFRC_RULES_CAUTIOUS */

  TfrcTrace trace; /**< is told of each decision; default: nobody is */

  uint64_t
      initial_window; /**< n, 1..10: W_init is min (n s, max (2 s, 1460 n bytes)), with 10 that of
                              RFC 6928; 0: that of RFC 3390, min (4 s, max (2 s, 4380 bytes)); default
                              0 */

  double remembered_rate_Bps; /**< what an earlier stream over the same path ended with
                                  (tfrc_sender_get_proven_rate_Bps()), 0..125e9: X goes to half of it once the
                                  path is known to be the same one (RFC 9959); 0: nothing; default 0 */
  uint64_t remembered_rtt_ns; /**< the least R of that stream, at most 16.777215 s; 0 if and only if
                                  remembered_rate_Bps is; default 0 */
  double link_error_gain; /**< TFRC_LOSS_RESPONSE_CONGESTION_ONLY: X is at most this many times the
                               rate that the equation gives with all losses, so that no classifier's
                               error makes a stream faster; 1..3, or INFINITY for no limit; default
                               2 */
} TfrcSenderConfig;

/** State of a sender; a snapshot.  Grows in later versions. */
typedef struct
{
  double x_Bps;              /**< X, the allowed sending rate */
  double x_inst_Bps;         /**< X_inst, the pacer's rate (section 4.5) */
  double x_eq_Bps;           /**< X_Bps of the throughput equation; 0 while p = 0 */
  double x_recv_Bps;         /**< X_recv of the last feedback */
  double recv_limit_Bps;     /**< limit from X_recv_set; INFINITY before it is known */
  double queue_guard_Bps;    /**< the queue guard's limit of X_inst; INFINITY: no limit */
  double p;                  /**< loss event rate of the last feedback */
  double segment_size_bytes; /**< s, the mean segment size */
  uint64_t rtt_ns;           /**< R; 0: no sample yet */
  uint64_t rtt_sample_ns;    /**< R_sample, the newest */
  uint64_t rttvar_ns;        /**< D, RTTVAR of RFC 6298 */
  uint64_t
      equation_rto_ns; /**< t_RTO of the throughput equation (rto_policy); 0 before R is known */
  uint64_t rto_ns;     /**< max (4 R, 2 s / X) as the nofeedback timer uses it */
  uint64_t packets_sent;
  uint64_t bytes_sent;             /**< of segments */
  uint64_t feedbacks_received;     /**< feedback packets that were used */
  uint64_t feedbacks_refused;      /**< stale or impossible feedback packets */
  uint64_t nofeedback_expirations; /**< expirations of the nofeedback timer that changed the rate */
  bool data_limited;       /**< the last feedback covered a data-limited interval (section 4.3) */
  bool slow_start;         /**< p = 0: no loss event was reported */
  bool holding;            /**< the rate is frozen while the receiver changes links */
  uint64_t handovers;      /**< handovers that the receiver has announced */
  uint64_t rtt_average_ns; /**< the average of the samples: R without the addition of eq. 3 */
  TfrcLossResponse loss_response; /**< in force: ALL as well while the receiver does not tell losses
                                     apart */
  double congestion_p;  /**< loss event rate of the last feedback without link errors; p if the
                           receiver does not tell losses apart */
  uint64_t link_errors; /**< lost packets that the receiver calls link errors */
  uint64_t rtt_min_ns;  /**< the least R_sample since the path is this one; 0: none yet */
  uint64_t rtt_max_ns;  /**< the greatest */
} TfrcSenderStats;

/** Sets every field of @a config to the default.  That is RFC 5348 with the floors above, which matter
 * where R is below 40 ms, and with rules against a peer that lies.  TFRC_OK, TFRC_ERROR_SIZE or
 * TFRC_ERROR_ARGUMENT */
TFRC_API TfrcResult tfrc_sender_config_init_sized (TfrcSenderConfig *config, size_t size);

static inline TfrcResult
tfrc_sender_config_init (TfrcSenderConfig *config)
{
  return tfrc_sender_config_init_sized (config, sizeof *config);
}

/** Sets every field of @a config to RFC 5348 to the letter.  Differences from
 * tfrc_sender_config_init(): rules is TFRC_RULES_STRICT, and feedback_floor_ns, feedback_wait_ns and
 * credit_floor_ns are 0.  docs/profiles.md says what that gives up: the sender trusts its receiver and
 * everybody who can forge a packet of the receiver.  Use the strict configuration at both ends.
 * TFRC_OK, TFRC_ERROR_SIZE or TFRC_ERROR_ARGUMENT */
TFRC_API TfrcResult tfrc_sender_config_init_strict_sized (TfrcSenderConfig *config, size_t size);

static inline TfrcResult
tfrc_sender_config_init_strict (TfrcSenderConfig *config)
{
  return tfrc_sender_config_init_strict_sized (config, sizeof *config);
}

/** Says why tfrc_sender_new() refuses a configuration, for a message to the user.
 *
 * @param config NULL: the defaults
 * @return NULL: tfrc_sender_new() accepts the configuration; or the first problem that was found, an
 *   English sentence without a full stop.  The sentence names the fields and their ranges, or the
 *   fields that do not go together, and is static. */
TFRC_API const char *tfrc_sender_config_problem_sized (const TfrcSenderConfig *config, size_t size);

static inline const char *
tfrc_sender_config_problem (const TfrcSenderConfig *config)
{
  return tfrc_sender_config_problem_sized (config, sizeof *config);
}

/** Creates a sender.
 *
 * @param sender where to store the sender; set to NULL on failure
 * @param config copied; NULL: the defaults
 * @return TFRC_OK, TFRC_ERROR_ARGUMENT (see tfrc_sender_config_problem()), TFRC_ERROR_SIZE or
 *   TFRC_ERROR_NO_MEMORY
 *
 * The caller owns *sender and frees it with tfrc_sender_free(). */
TFRC_API TfrcResult tfrc_sender_new_sized (
    TfrcSender **sender, const TfrcSenderConfig *config, size_t config_size);

static inline TfrcResult
tfrc_sender_new (TfrcSender **sender, const TfrcSenderConfig *config)
{
  return tfrc_sender_new_sized (sender, config, sizeof *config);
}

/** Frees @a sender.  NULL is allowed. */
TFRC_API void tfrc_sender_free (TfrcSender *sender);

/* ---- packets that leave ------------------------------------------------ */

/** Returns the time from which the next packet may be sent, t_i - t_delta (section 8.3).  A time
 * in the past means: at once. */
TFRC_API uint64_t tfrc_sender_next_send_ns (const TfrcSender *sender);

/** Accounts for one packet that leaves now, and fills in its control information.
 *
 * @param size_bytes segment size, 1..65535
 * @param now_ns at least the time that tfrc_sender_next_send_ns() returned
 * @param data filled in when TFRC_OK is returned
 * @return TFRC_OK, TFRC_ERROR_TOO_EARLY or TFRC_ERROR_ARGUMENT */
TFRC_API TfrcResult tfrc_sender_prepare (
    TfrcSender *sender, uint32_t size_bytes, uint64_t now_ns, TfrcData *data);

/** The same for a packet that somebody else paces: the packet leaves now, whenever X allowed one.
 * Packets that leave faster than X move the time of tfrc_sender_next_send_ns() on, so that the mean
 * rate can still be kept; what was sent beyond X counts as far as X allows it in a second.
 *
 * @return TFRC_OK or TFRC_ERROR_ARGUMENT */
TFRC_API TfrcResult tfrc_sender_on_sent (
    TfrcSender *sender, uint32_t size_bytes, uint64_t now_ns, TfrcData *data);

/** Takes back the newest packet of tfrc_sender_prepare() or tfrc_sender_on_sent(), which could not be sent.  The next
 * packet gets its sequence number, so that the receiver sees no loss.  The packet's send time is
 * used up all the same.  To take back several packets, call the function once for each packet,
 * the newest first.
 *
 * @param size_bytes as in tfrc_sender_prepare() */
TFRC_API void tfrc_sender_cancel (TfrcSender *sender, uint32_t size_bytes);

/** Returns the send time that a data packet carries if it leaves at @a now_ns. */
TFRC_API uint32_t tfrc_sender_wire_time_us (const TfrcSender *sender, uint64_t now_ns);

/* ---- feedback and time ------------------------------------------------- */

/** Handles a feedback packet of the data receiver (section 4.3).
 *
 * @return TFRC_OK; or one of the following, and nothing but the count of refused packets has
 *   changed: TFRC_ERROR_ARGUMENT, TFRC_ERROR_RANGE (p outside [0, 1] or NaN),
 *   TFRC_ERROR_NOT_SENT or TFRC_ERROR_STALE.  TFRC_ERROR_ARGUMENT is not counted. */
TFRC_API TfrcResult tfrc_sender_on_feedback (
    TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns);

/** Returns the result that tfrc_sender_on_feedback() would return now, and changes nothing: for
 * a program that may use the feedback later. */
TFRC_API TfrcResult tfrc_sender_check_feedback (
    const TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns);

/** Returns the time at which to call tfrc_sender_on_timeout() (the nofeedback timer, section
 * 4.4), or TFRC_TIME_NEVER. */
TFRC_API uint64_t tfrc_sender_next_timeout_ns (const TfrcSender *sender);

/** Handles the nofeedback timer if it has expired by @a now_ns.  Afterwards
 * tfrc_sender_next_timeout_ns() lies after @a now_ns. */
TFRC_API void tfrc_sender_on_timeout (TfrcSender *sender, uint64_t now_ns);

/** The peer was heard by other means than feedback, for example by an RTCP receiver report.  If
 * no feedback controls the rate, because the nofeedback timer has reduced it or R is not known,
 * one packet may leave at once, and its feedback ends that situation.  Otherwise nothing
 * happens.  The caller limits how often it calls this: the library does not. */
TFRC_API void tfrc_sender_on_peer_alive (TfrcSender *sender, uint64_t now_ns);

/** Packets take another path from now on, which the receiver has not announced (RFC 9000 section
 * 9.4).  X starts as in section 4.2, or with the rate of the equation if that is lower, and stays
 * there until feedback covers the new path alone.  While R is not known, a remembered rate ends and nothing
 * else happens.  Do not
 * call this for a handover that the receiver announces (TfrcFeedback.handover), which keeps the
 * rate.
 *
 * @param rtt_ns R of the new path; 0: unknown, the old R stays in use */
TFRC_API void tfrc_sender_on_new_path (TfrcSender *sender, uint64_t rtt_ns, uint64_t now_ns);

/** Changes the limits of the allowed rate; range and 0 as in TfrcSenderConfig.
 *
 * @return TFRC_OK or TFRC_ERROR_ARGUMENT (out of range, NaN, minimum above maximum) */
TFRC_API TfrcResult tfrc_sender_set_rate_limits (
    TfrcSender *sender, double min_rate_Bps, double max_rate_Bps);

/** Says whether packets that wait spend the credit for unused sending time (section 4.6) that
 * TfrcSenderConfig.burst_limit_ns withholds.  They then leave at twice X until it is used up, which is after one R at
 * most: so no more leaves than without a burst limit, but not at once.  For a program that would otherwise drop packets,
 * as they would be too late.  A new sender does not spend. */
TFRC_API void tfrc_sender_spend_credit (TfrcSender *sender, bool spend);

/* ---- state ------------------------------------------------------------- */

/** Returns up to which time the sending time is used, in ns: the credit that can be spent is the time since then, R at
 * most.  TFRC_TIME_NEVER: there is none. */
TFRC_API uint64_t tfrc_sender_get_used_until_ns (const TfrcSender *sender);

/** Fills in @a stats.  TFRC_OK, TFRC_ERROR_SIZE or TFRC_ERROR_ARGUMENT */
TFRC_API TfrcResult tfrc_sender_get_stats_sized (
    const TfrcSender *sender, TfrcSenderStats *stats, size_t size);

static inline TfrcResult
tfrc_sender_get_stats (const TfrcSender *sender, TfrcSenderStats *stats)
{
  return tfrc_sender_get_stats_sized (sender, stats, sizeof *stats);
}

/** Returns X, the allowed sending rate, in bytes per second. */
TFRC_API double tfrc_sender_get_rate_Bps (const TfrcSender *sender);

/** Returns X_inst, the rate at which packets may leave now (RFC 5348 section 4.5), in bytes per
 * second. */
TFRC_API double tfrc_sender_get_inst_rate_Bps (const TfrcSender *sender);

/** Returns R; 0: no sample yet. */
TFRC_API uint64_t tfrc_sender_get_rtt_ns (const TfrcSender *sender);

/** Returns the rate that the path has carried, for the next stream over the same path
 * (TfrcSenderConfig.remembered_rate_Bps): the least of X, of the highest X_recv that RFC 5348 still
 * counts, and of the highest X_recv on the present path.
 *
 * @param least_rtt_ns set to the least sample of R on the present path; 0: none
 * @return 0: nothing is proven: the stream has had too little feedback, follows receiver reports, or
 *   tries a remembered rate */
TFRC_API double tfrc_sender_get_proven_rate_Bps (const TfrcSender *sender, uint64_t *least_rtt_ns);

/** Returns p of the last feedback, 0..1. */
TFRC_API double tfrc_sender_get_loss_event_rate (const TfrcSender *sender);

/** Returns the number of packets sent, and of bytes of their segments. */
TFRC_API uint64_t tfrc_sender_get_packets_sent (const TfrcSender *sender);
TFRC_API uint64_t tfrc_sender_get_bytes_sent (const TfrcSender *sender);

/** Returns the number of expirations of the nofeedback timer that changed the rate. */
TFRC_API uint64_t tfrc_sender_get_nofeedback_expirations (const TfrcSender *sender);

TFRC_END_DECLS
#endif
