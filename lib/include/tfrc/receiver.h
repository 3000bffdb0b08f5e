/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtfrc: the data receiver (RFC 5348 sections 5 and 6). */
#ifndef TFRC_RECEIVER_H
#define TFRC_RECEIVER_H

#include <tfrc/handover.h>
#include <tfrc/packets.h>
#include <tfrc/trace.h>

TFRC_BEGIN_DECLS

/** The data receiver.  Opaque. */
typedef struct TfrcReceiver TfrcReceiver;

/** Configuration of a receiver.  Fill it with tfrc_receiver_config_init() first.  Grows in later
 * versions. */
typedef struct
{
  uint32_t history_length; /**< n of section 5.4, 2..TFRC_MAX_HISTORY_LENGTH; default 8.  With more
                              than 8, do not compete with TCP in the Internet. */
  TfrcLossIntervalMethod loss_interval_method; /**< default TFRC_LOSS_INTERVAL_METHOD_WEIGHTED */
  TfrcLossClassifier loss_classifier;          /**< default TFRC_LOSS_CLASSIFIER_NONE */
  bool history_discounting;                    /**< section 5.5, threshold 0.25; default true */
  bool outage_is_one_event; /**< 16 or more packets in a row that are lost within 4 max(R,
                               feedback_floor_ns) or more are one loss event, and not one event for
                               each R (section 5.2), see docs/decisions/loss.md, "An outage is one
                               loss event"; default false */
  TfrcRtoPolicy rto_policy; /**< use the sender's: t_RTO of the equation that gives the first loss
                               interval, with the sender's R, and with D = 0 because the receiver
                               does not know D; default TFRC_RTO_POLICY_4R */
  bool has_first_seq;       /**< first_seq is valid, so that the receiver sees the loss of the first
                               packets (section 6.3.1, the null interval); default false */
  uint16_t first_seq;       /**< sequence number of the stream's first packet */
  TfrcHandoverMode handover_mode; /**< default TFRC_HANDOVER_MODE_DIRECT */
  uint64_t feedback_floor_ns; /**< the shortest time between two feedback packets, except for loss,
                                 at most 1 s; default 10 ms, see docs/decisions/rate.md, "Feedback at
                                 most every 10 ms" */
  uint64_t
      feedback_wait_ns; /**< as long as fewer than four packets have come since the last feedback,
                                 the next feedback waits until this time after it; 0: feedback does
                                 not wait; at most 1 s; default 40 ms, see docs/decisions/rate.md,
                                 "Feedback waits for packets" */
  TfrcModel
      model; /**< the throughput equation until the first packet tells the sender's (TfrcData.model);
                      default TFRC_MODEL_RENO */
  TfrcRules rules; /**< default TFRC_RULES_CAUTIOUS */

  TfrcTrace trace; /**< is told of each decision; default: nobody is */

  double
      loss_allowance; /**< TFRC_LOSS_CLASSIFIER_EMPTY_QUEUE: while a larger part of the packets is
                              lost, all losses are congestion; 0..1; default 0.02 */
  uint64_t
      reorder_window_ns; /**< on a path that reorders packets, a packet may come this much later than
                                 the one after it, and R later at most, before it counts as lost; 0:
                                 NDUPACK later packets are a loss (section 5.1); at most 1 s; default
                                 0, see docs/decisions/loss.md, "A window for reordering" */
} TfrcReceiverConfig;

/** Meaning of a data packet's arrival */
typedef enum
{
  TFRC_ARRIVAL_NEXT,      /**< the packet has the highest sequence number so far */
  TFRC_ARRIVAL_LATE,      /**< the packet has filled a hole */
  TFRC_ARRIVAL_DUPLICATE, /**< the packet came before, or it is too old to tell */
  TFRC_ARRIVAL_SUSPECT, /**< more than 100 numbers from the highest: not used, unless its successor
                             arrives before another such packet, see confirms_previous */
  TFRC_ARRIVAL_RESTART, /**< the sender has restarted its sequence numbers with the suspect packet
                             that this packet confirms */
  TFRC_ARRIVAL_REFUSED  /**< as far from the highest number, and a copy or forged by its send time:
                             ignored */
} TfrcArrivalKind;

/** The receiver's judgement of a data packet.  The size is fixed, see <tfrc/packets.h>. */
typedef struct
{
  TfrcArrivalKind kind;
  uint64_t seq; /**< extended sequence number: grows without wrapping, at least 65536; not set for
                   SUSPECT and REFUSED */
  bool confirms_previous; /**< the last SUSPECT packet is used as well, before this packet, with the
                             number seq - 1 */
  bool believed; /**< the packet's R and send time are used; false: they differ too much from those
                    of the packets before, see docs/decisions/trust.md, "R and send times in data
                    packets" */
  uint32_t reserved[3]; /**< 0 */
} TfrcArrival;

/** State of a receiver; a snapshot.  Grows in later versions. */
typedef struct
{
  double p;             /**< loss event rate, 0 before the first loss event */
  double x_recv_Bps;    /**< of the last feedback */
  double mean_interval; /**< I_mean in packets; 0 before the first loss event */
  uint64_t rtt_ns;      /**< R_m of the sender's last packet; 0: unknown */
  uint64_t highest_seq; /**< extended sequence number */
  uint64_t packets_expected;
  uint64_t packets_received;  /**< without duplicates */
  uint64_t bytes_received;    /**< of segments */
  uint64_t packets_lost;      /**< NDUPACK later packets have arrived, and the packet has not, see
                                 also reorder_window_ns */
  uint64_t packets_late;      /**< packets that filled a hole */
  uint64_t packets_duplicate; /**< packets that came again, or were too old to tell */
  uint64_t packets_suspect;   /**< packets that were SUSPECT or REFUSED when they arrived, whether
                                 they were used later or not */
  uint64_t packets_ce;        /**< packets with congestion marks */
  uint64_t loss_events;       /**< a late packet may take one back */
  uint64_t feedbacks_sent;
  TfrcHandoverPhase handover_phase;
  uint64_t handovers;           /**< handovers started */
  uint64_t handovers_completed; /**< adaptations that came to their end */
  uint64_t handovers_abandoned; /**< ended by another handover, or because the packets that the
                                   adaptation waited for did not come */
  double congestion_p;          /**< loss event rate without link errors; p without a classifier */
  uint64_t link_errors;         /**< packets_lost that the classifier calls link errors */
  uint64_t packets_ect0;        /**< packets with ECT(0); with the next two and packets_ce, all of
                                   packets_received */
  uint64_t packets_ect1;        /**< packets with ECT(1) */
  uint64_t packets_not_ect;     /**< packets without ECT, or whose ECN field is not known */
  uint64_t
      reorder_window_ns; /**< how much later than the one after it a packet may come now before it
                                 counts as lost; 0: no reordering has been seen */
} TfrcReceiverStats;

/** Moments of the loss event intervals theta_n and of their predictors.  Grows in later versions.
 *
 * Every interval that was closed by a further loss event counts with its length theta_n, and with
 * its predictor theta^_n: the weighted average (section 5.4) of the intervals before it.  With
 * TFRC_LOSS_INTERVAL_METHOD_WEIGHTED the sender's rate came from theta^_n while theta_n was
 * measured.
 *
 * The synthetic first interval (section 6.3.1) is no theta_n; predictors contain it while it is
 * in the history.  An interval that a late packet removes is removed here as well.  A handover
 * gives an artificial history, which counts like the synthetic interval, and the first interval
 * begins with the new link.  Variances are divided by the number of intervals.  All fields are 0
 * without intervals. */
typedef struct
{
  uint64_t intervals;    /**< their number */
  double mean_interval;  /**< E[theta] in packets: 1 / the loss event rate over the whole time */
  double var_interval;   /**< VAR[theta], packets^2 */
  double mean_predictor; /**< E[theta^] */
  double var_predictor;  /**< VAR[theta^] */
  double covariance;     /**< COV(theta, theta^) */
  double mean_inverse_predictor; /**< E[1 / theta^] */
  double predicted_gap; /**< VAR[theta^] / E[theta^]^3, about E[1 / theta^] - 1 / E[theta^] */

  double rto_rtts; /**< t_RTO / R for the next two fields: R of the sender's last packet, t_RTO as
                      rto_policy says */
  double f_mean_inverse_predictor; /**< f(E[1 / theta^]): the rate of the equation, packets per R */
  double f_mean_interval;          /**< f(1 / E[theta]), packets per R */
} TfrcLossStatistics;

/** Sets every field of @a config to the default.  That is RFC 5348 with the floors above, which matter
 * where R is below 40 ms, and with rules against forged packets.  TFRC_OK, TFRC_ERROR_SIZE or
 * TFRC_ERROR_ARGUMENT */
TFRC_API TfrcResult tfrc_receiver_config_init_sized (TfrcReceiverConfig *config, size_t size);

static inline TfrcResult
tfrc_receiver_config_init (TfrcReceiverConfig *config)
{
  return tfrc_receiver_config_init_sized (config, sizeof *config);
}

/** Sets every field of @a config to RFC 5348 to the letter.  Differences from
 * tfrc_receiver_config_init(): rules is TFRC_RULES_STRICT, and feedback_floor_ns and feedback_wait_ns
 * are 0.  docs/profiles.md says what that gives up.  TFRC_OK, TFRC_ERROR_SIZE or TFRC_ERROR_ARGUMENT */
TFRC_API TfrcResult tfrc_receiver_config_init_strict_sized (
    TfrcReceiverConfig *config, size_t size);

static inline TfrcResult
tfrc_receiver_config_init_strict (TfrcReceiverConfig *config)
{
  return tfrc_receiver_config_init_strict_sized (config, sizeof *config);
}

/** Says why tfrc_receiver_new() refuses a configuration, for a message to the user.
 *
 * @param config NULL: the defaults
 * @return NULL: tfrc_receiver_new() accepts the configuration; or the first problem that was found, an
 *   English sentence without a full stop.  The sentence names the fields and their ranges, or the
 *   fields that do not go together, and is static. */
TFRC_API const char *tfrc_receiver_config_problem_sized (
    const TfrcReceiverConfig *config, size_t size);

static inline const char *
tfrc_receiver_config_problem (const TfrcReceiverConfig *config)
{
  return tfrc_receiver_config_problem_sized (config, sizeof *config);
}

/** Creates a receiver.
 *
 * @param receiver where to store the receiver; set to NULL on failure
 * @param config copied; NULL: the defaults
 * @return TFRC_OK, TFRC_ERROR_ARGUMENT (see tfrc_receiver_config_problem()), TFRC_ERROR_SIZE or
 *   TFRC_ERROR_NO_MEMORY
 *
 * The caller owns *receiver and frees it with tfrc_receiver_free(). */
TFRC_API TfrcResult tfrc_receiver_new_sized (
    TfrcReceiver **receiver, const TfrcReceiverConfig *config, size_t config_size);

static inline TfrcResult
tfrc_receiver_new (TfrcReceiver **receiver, const TfrcReceiverConfig *config)
{
  return tfrc_receiver_new_sized (receiver, config, sizeof *config);
}

/** Frees @a receiver.  NULL is allowed. */
TFRC_API void tfrc_receiver_free (TfrcReceiver *receiver);

/* ---- packets ----------------------------------------------------------- */

/** Handles a data packet (section 6.1).
 *
 * @param arrival_ns time of arrival, which may lie before a time at which feedback was made: the
 *   packet waited to be read meanwhile.  A time before the arrival of the packet that was handed in
 *   last counts as that arrival
 * @param arrival NULL, or filled in when TFRC_OK is returned
 * @return TFRC_OK, TFRC_ERROR_ARGUMENT or TFRC_ERROR_RANGE (a segment of more than 65535 bytes)
 *
 * Afterwards tfrc_receiver_next_feedback_ns() may be due at once. */
TFRC_API TfrcResult tfrc_receiver_on_data (
    TfrcReceiver *receiver, const TfrcData *data, uint64_t arrival_ns, TfrcArrival *arrival);

/** Returns the time at which to call tfrc_receiver_make_feedback() (the feedback timer, section
 * 6.2), or TFRC_TIME_NEVER.  A time in the past means: at once. */
TFRC_API uint64_t tfrc_receiver_next_feedback_ns (const TfrcReceiver *receiver);

/** Handles the feedback timer if it has expired by @a now_ns.  Afterwards
 * tfrc_receiver_next_feedback_ns() lies after @a now_ns.
 *
 * @param feedback filled in when true is returned
 * @return true: send @a feedback; false: there is no feedback to send */
TFRC_API bool tfrc_receiver_make_feedback (
    TfrcReceiver *receiver, uint64_t now_ns, TfrcFeedback *feedback);

/** Makes feedback due at once, even if no data has come since the last feedback: it shows a
 * sender that asks where its receiver is.  If no data has come for a round-trip time, the
 * feedback reports at most one packet per round-trip time.  Of several requests within a
 * round-trip time one counts; requests before the first data do nothing.
 *
 * @return TFRC_OK or TFRC_ERROR_ARGUMENT */
TFRC_API TfrcResult tfrc_receiver_request_feedback (TfrcReceiver *receiver, uint64_t now_ns);

/** Starts a handover: from now on feedback leaves over the new link, and data will arrive over
 * it.  Packets that are on their way may still arrive over the old link.  If the handover loses
 * packets, that is ordinary loss.
 *
 * Feedback is due at once if any data has arrived before, and again until data comes over the
 * new link, because the old link may be dead.  A handover may start before any feedback, and
 * within another handover.
 *
 * @return TFRC_OK, TFRC_ERROR_ARGUMENT (NULL, or a bandwidth outside 0 .. 125e9) or
 *   TFRC_ERROR_SIZE */
TFRC_API TfrcResult tfrc_receiver_start_handover_sized (
    TfrcReceiver *receiver, const TfrcHandover *handover, size_t handover_size, uint64_t now_ns);

static inline TfrcResult
tfrc_receiver_start_handover (TfrcReceiver *receiver, const TfrcHandover *handover, uint64_t now_ns)
{
  return tfrc_receiver_start_handover_sized (receiver, handover, sizeof *handover, now_ns);
}

/* ---- state ------------------------------------------------------------- */

/** Fills in @a stats.  TFRC_OK, TFRC_ERROR_SIZE or TFRC_ERROR_ARGUMENT */
TFRC_API TfrcResult tfrc_receiver_get_stats_sized (
    const TfrcReceiver *receiver, TfrcReceiverStats *stats, size_t size);

static inline TfrcResult
tfrc_receiver_get_stats (const TfrcReceiver *receiver, TfrcReceiverStats *stats)
{
  return tfrc_receiver_get_stats_sized (receiver, stats, sizeof *stats);
}

/** Returns R of the sender's last packet; 0: unknown. */
TFRC_API uint64_t tfrc_receiver_get_rtt_ns (const TfrcReceiver *receiver);

/** Returns p as it is now, 0..1. */
TFRC_API double tfrc_receiver_get_loss_event_rate (const TfrcReceiver *receiver);

/** Returns X_recv of the last feedback, in bytes per second. */
TFRC_API double tfrc_receiver_get_receive_rate_Bps (const TfrcReceiver *receiver);

/** Returns the number of packets received, without duplicates. */
TFRC_API uint64_t tfrc_receiver_get_packets_received (const TfrcReceiver *receiver);

/** Returns the phase of the adaptation to another link; TFRC_HANDOVER_NORMAL for NULL. */
TFRC_API TfrcHandoverPhase tfrc_receiver_get_handover_phase (const TfrcReceiver *receiver);

/** Fills in @a statistics.  TFRC_OK, TFRC_ERROR_SIZE or TFRC_ERROR_ARGUMENT */
TFRC_API TfrcResult tfrc_receiver_get_loss_statistics_sized (
    const TfrcReceiver *receiver, TfrcLossStatistics *statistics, size_t size);

static inline TfrcResult
tfrc_receiver_get_loss_statistics (const TfrcReceiver *receiver, TfrcLossStatistics *statistics)
{
  return tfrc_receiver_get_loss_statistics_sized (receiver, statistics, sizeof *statistics);
}

/** Starts the loss statistics anew, for example after a warm-up.  From now on they cover the
 * intervals that end with the loss of a packet above all that have arrived. */
TFRC_API void tfrc_receiver_reset_loss_statistics (TfrcReceiver *receiver);

TFRC_END_DECLS
#endif
