/* libtfrc: TCP-Friendly Rate Control (RFC 5348), sender and receiver
 *
 * Sans-IO: the library has no clock, socket, thread or log of its own.  The
 * caller passes the time of every event, in nanoseconds of any monotonic
 * clock, and asks for the next deadline; at that time it calls the library
 * again.  The only allocation is the one in the _new() functions.
 *
 * Threads: an object may be used from any thread, by one thread at a time.
 *
 * Units: a name that ends in _ns is nanoseconds, _us microseconds, _bytes
 * bytes, _Bps bytes per second.  A "segment" is what follows the transport
 * headers (RFC 5348 section 3.1): for MPEG-TS over RTP the 1316 payload bytes.
 */
#ifndef TFRC_TFRC_H
#define TFRC_TFRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TFRC_BEGIN_DECLS extern "C" {
#define TFRC_END_DECLS }
#else
#define TFRC_BEGIN_DECLS
#define TFRC_END_DECLS
#endif

#if defined(__GNUC__)
#define TFRC_API __attribute__ ((visibility ("default")))
#else
#define TFRC_API
#endif

/** A deadline that never comes. */
#define TFRC_TIME_NEVER UINT64_MAX

/** The longest loss history that a configuration may ask for, in intervals. */
#define TFRC_MAX_HISTORY_LENGTH 32

TFRC_BEGIN_DECLS

/** Outcome of every call that can refuse its input.  TFRC_OK is 0. */
typedef enum
{
  TFRC_OK = 0,
  TFRC_ERROR_ARGUMENT,  /**< NULL, or a configuration value out of range */
  TFRC_ERROR_NO_MEMORY, /**< only from the _new() functions */
  TFRC_ERROR_TOO_EARLY, /**< the pacer does not allow a packet yet */
  TFRC_ERROR_NOT_SENT,  /**< feedback about a time at which nothing can have been sent */
  TFRC_ERROR_STALE,     /**< feedback older than one already used */
  TFRC_ERROR_RANGE      /**< a field that no conforming peer sends */
} TfrcResult;

/** Returns a static, never NULL, English description of @a result. */
TFRC_API const char *tfrc_result_to_string (TfrcResult result);

/** How the round-trip time is averaged. */
typedef enum
{
  TFRC_RTT_METHOD_EWMA /**< RFC 5348 section 4.3 step 2, q = 0.9 */
} TfrcRttMethod;

/** What t_RTO stands for in the throughput equation (not in the nofeedback timer).  D is RTTVAR of RFC 6298. */
typedef enum
{
  TFRC_RTO_POLICY_4R,    /**< RFC 5348 section 3.1: 4 R */
  TFRC_RTO_POLICY_TCP,   /**< RFC 6298: max (1 s, R + 4 D) */
  TFRC_RTO_POLICY_LINUX, /**< as Linux's TCP: R + max (200 ms, 4 D) */
  TFRC_RTO_POLICY_BALANCED /**< max (200 ms, 2 R): about standard TCP's throughput, see docs/decisions.md */
} TfrcRtoPolicy;

/** How loss intervals become an average. */
typedef enum
{
  TFRC_LOSS_INTERVAL_METHOD_WEIGHTED /**< RFC 5348 sections 5.4 and 5.5 */
} TfrcLossIntervalMethod;

/** How the receiver adapts to another link ("Fast link adaptation", see lib/tfrc/handover.h). */
typedef enum
{
  TFRC_HANDOVER_MODE_DIRECT, /**< the new link's R is a sample of it alone */
  TFRC_HANDOVER_MODE_PAPER   /**< as in the paper: 2 (RTTo / 2 + RTTn / 2) - RTTo */
} TfrcHandoverMode;

/** Where an adaptation is. */
typedef enum
{
  TFRC_HANDOVER_NORMAL,   /**< none; the paper's state 0 */
  TFRC_HANDOVER_STARTED,  /**< told of, no packet since */
  TFRC_HANDOVER_OLD_LINK, /**< state 1: packets arrive over the old link */
  TFRC_HANDOVER_NEW_LINK, /**< state 2: ... over the new link, its R is not known */
  TFRC_HANDOVER_ECHO /**< state 3: R and p are those of the new link, the sender has not yet been told */
} TfrcHandoverPhase;

/* ---- what travels ------------------------------------------------------ */

/** Handovers that can be told apart */
#define TFRC_HANDOVER_NUMBERS 4

/** Control information of one data packet (RFC 5348 section 3.2.1). */
typedef struct
{
  uint16_t seq;          /**< sequence number, wraps */
  uint32_t send_time_us; /**< ts_i, the sender's clock, wraps */
  uint32_t rtt_us;       /**< R_i; 0: the sender has no estimate yet */
  uint32_t size_bytes;   /**< segment size */
  bool has_tfrc;         /**< false: plain RTP, send time and RTT mean nothing */
  bool echo; /**< the sender has been told of a handover (see tfrc_receiver_start_handover()) ... */
  bool direct;             /**< ... and R_i was sampled on the new link alone */
  uint8_t handover_number; /**< ... of which handover, modulo TFRC_HANDOVER_NUMBERS */
  uint8_t link; /**< received: over which of its links, as the receiver's user counts them */
  bool ce;      /**< arrived with Congestion Experienced (RFC 3168) */
} TfrcData;

/** One feedback packet (RFC 5348 section 3.2.2). */
typedef struct
{
  uint32_t recv_data_us; /**< t_recvdata: send time of the last data packet received */
  uint32_t delay_us;     /**< t_delay: since that packet arrived */
  uint32_t x_recv_Bps;   /**< X_recv */
  double p;              /**< loss event rate, 0..1 */
  bool
      no_rtt_sample; /**< local, at the sender: it is not known when the feedback came, so that it gives no
                                     sample of R, unless R is not known either */

  bool has_state;       /**< the two fields below are known */
  uint32_t number;      /**< counts feedback packets, wraps */
  uint32_t loss_events; /**< counts loss events, wraps */

  bool handover; /**< HOn: R is to be what this feedback gives, the rate stays at 2 X_recv */
  uint8_t handover_number; /**< HOn: of which handover, modulo TFRC_HANDOVER_NUMBERS */
  bool new_link;           /**< HOn: the last packet came over the new link */
  bool suppress_echo;      /**< HOn: no marks are wanted */
  bool bandwidth;          /**< HOn: 2 X_recv is the new link's bandwidth */
} TfrcFeedback;

/* ---- sender ------------------------------------------------------------ */

/** RFC 5348 section 4: the data sender.  Opaque. */
typedef struct TfrcSender TfrcSender;

/** Configuration of a sender.  Fill it with tfrc_sender_config_init() first. */
typedef struct
{
  uint32_t
      segment_size_bytes; /**< s until packets have been sent, and the MSS of W_init; 1..65535; default 1316 */
  uint16_t first_seq; /**< sequence number of the first packet; default 0 */
  uint32_t
      clock_offset_us; /**< added to every send time, so that it reveals no uptime; default 0 */

  double initial_rate_Bps; /**< 0: W_init / R (section 4.2, RFC 3390); default 0 */
  double
      min_rate_Bps; /**< the allowed rate never falls below it; 0: s / 64 s (section 4.3); default 0.
                                     Anything above the default takes bandwidth from TCP under heavy loss. */
  double max_rate_Bps; /**< the allowed rate never rises above it; 0: 125e9; default 0 */
  double rate_scale;   /**< factor on the throughput equation, 0.01..100; default 1 */

  TfrcRttMethod rtt_method;
  TfrcRtoPolicy rto_policy;
  bool oscillation_reduction; /**< section 4.5; default true */
  bool queue_guard;           /**< while the path's queue grows, send no more than it delivers, see
                                     docs/decisions.md; wants a burst limit of some ms; default false */

  uint64_t
      burst_limit_ns; /**< unused send times are kept for min(this, R); default TFRC_TIME_NEVER: for R,
                                     the most that section 4.6 allows */
  uint64_t timer_granularity_ns; /**< t_gran of section 8.3; default 1 ms */
  uint64_t
      feedback_floor_ns; /**< no feedback is expected more often than this; default 10 ms, see docs/decisions.md */
} TfrcSenderConfig;

/** What a sender knows; a snapshot. */
typedef struct
{
  double x_Bps;           /**< X, the allowed sending rate */
  double x_inst_Bps;      /**< X_inst, what the pacer uses (section 4.5) */
  double x_eq_Bps;        /**< X_Bps of the throughput equation; 0 while p = 0 */
  double x_recv_Bps;      /**< X_recv of the last feedback */
  double recv_limit_Bps;  /**< limit from X_recv_set; INFINITY before it is known */
  double queue_guard_Bps; /**< limit of X_inst by the queue guard; INFINITY where there is none */
  double p;               /**< loss event rate of the last feedback */
  double segment_size_bytes; /**< s, the mean segment size */
  uint64_t rtt_ns;           /**< R; 0: no sample yet */
  uint64_t rtt_sample_ns;    /**< R_sample, the newest */
  uint64_t rttvar_ns;        /**< D, RTTVAR of RFC 6298 */
  uint64_t
      equation_rto_ns; /**< t_RTO of the throughput equation, as rto_policy says; 0 before R is known */
  uint64_t rto_ns;     /**< max(4 R, 2 s / X) as the nofeedback timer uses it */
  uint64_t packets_sent;
  uint64_t bytes_sent;             /**< of segments */
  uint64_t feedbacks_received;     /**< used */
  uint64_t feedbacks_refused;      /**< stale or impossible */
  uint64_t nofeedback_expirations; /**< of the nofeedback timer, that changed the rate */
  bool data_limited;  /**< the last feedback covered a data-limited interval (section 4.3) */
  bool slow_start;    /**< p = 0: no loss event reported yet */
  bool holding;       /**< the rate is frozen, as the receiver changes links */
  uint64_t handovers; /**< that the receiver has told of */
} TfrcSenderStats;

/** Sets every field of @a config to the default, which is RFC 5348. */
TFRC_API void tfrc_sender_config_init (TfrcSenderConfig *config);

/** Creates a sender.
 *
 * @param sender where to store it; set to NULL on failure
 * @param config copied; NULL means the defaults
 * @return TFRC_OK, TFRC_ERROR_ARGUMENT or TFRC_ERROR_NO_MEMORY
 *
 * The caller owns *sender and frees it with tfrc_sender_free().
 */
TFRC_API TfrcResult tfrc_sender_new (TfrcSender **sender, const TfrcSenderConfig *config);

/** Frees @a sender.  NULL is allowed. */
TFRC_API void tfrc_sender_free (TfrcSender *sender);

/** Returns the time from which the next packet may be sent, t_i - t_delta
 * (section 8.3).  It may lie in the past: then send at once. */
TFRC_API uint64_t tfrc_sender_next_send_ns (const TfrcSender *sender);

/** Accounts for one packet that leaves now and fills in its control information.
 *
 * @param size_bytes segment size, 1..65535
 * @param now_ns at least the time that tfrc_sender_next_send_ns() returned
 * @param data filled in when TFRC_OK is returned
 * @return TFRC_OK, TFRC_ERROR_TOO_EARLY or TFRC_ERROR_ARGUMENT
 */
TFRC_API TfrcResult tfrc_sender_prepare (
    TfrcSender *sender, uint32_t size_bytes, uint64_t now_ns, TfrcData *data);

/** Takes back the newest packet of tfrc_sender_prepare(), which could not be
 * sent: the same sequence number will be given again, so that the receiver
 * sees no loss.  Call it once for each, newest first; @a size_bytes as in
 * tfrc_sender_prepare().  Its send time is not given back. */
TFRC_API void tfrc_sender_cancel (TfrcSender *sender, uint32_t size_bytes);

/** Tells what tfrc_sender_on_feedback() would return now, and changes nothing: for feedback that might be used later. */
TFRC_API TfrcResult tfrc_sender_check_feedback (
    const TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns);

/** Handles a feedback packet from the data receiver (section 4.3).
 *
 * @return TFRC_OK, or, with nothing changed but the count of refused ones,
 *   TFRC_ERROR_ARGUMENT, TFRC_ERROR_RANGE (p outside [0, 1] or NaN),
 *   TFRC_ERROR_NOT_SENT or TFRC_ERROR_STALE
 */
TFRC_API TfrcResult tfrc_sender_on_feedback (
    TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns);

/** Returns when tfrc_sender_on_timeout() is to be called (the nofeedback
 * timer, section 4.4), or TFRC_TIME_NEVER. */
TFRC_API uint64_t tfrc_sender_next_timeout_ns (const TfrcSender *sender);

/** Handles the nofeedback timer if it has expired by @a now_ns; afterwards
 * tfrc_sender_next_timeout_ns() lies after @a now_ns. */
TFRC_API void tfrc_sender_on_timeout (TfrcSender *sender, uint64_t now_ns);

/** Tells that the peer has been heard by other means (an RTCP receiver report)
 * while no feedback controls the rate, since the nofeedback timer has it backed
 * off or R is not known yet: one packet may go at once, so that feedback comes.
 * Does nothing in any other situation.  The caller bounds how often, as nothing
 * here does. */
TFRC_API void tfrc_sender_on_peer_alive (TfrcSender *sender, uint64_t now_ns);

/** Tells that packets go another way from now on, of which the receiver says
 * nothing (RFC 9000 section 9.4): X begins as in section 4.2, or with what the
 * equation allows if that is less, and stays there until feedback is of the new
 * path alone.  A receiver that announces its handover keeps the rate, see
 * TfrcFeedback.handover; nobody calls this for it.  Nothing happens while R is
 * not known.
 * @param rtt_ns R of the new path; 0: not known, that of the old one goes on */
TFRC_API void tfrc_sender_on_new_path (TfrcSender *sender, uint64_t rtt_ns, uint64_t now_ns);

/** Changes the limits of the allowed rate; 0 as in TfrcSenderConfig.
 * @return TFRC_OK or TFRC_ERROR_ARGUMENT (negative, NaN, minimum above maximum) */
TFRC_API TfrcResult tfrc_sender_set_rate_limits (
    TfrcSender *sender, double min_rate_Bps, double max_rate_Bps);

/** Fills @a stats. */
TFRC_API void tfrc_sender_get_stats (const TfrcSender *sender, TfrcSenderStats *stats);

/** Converts a time of the sender's clock to the send time that a data packet
 * leaving at that time carries. */
TFRC_API uint32_t tfrc_sender_wire_time_us (const TfrcSender *sender, uint64_t now_ns);

/* ---- receiver ---------------------------------------------------------- */

/** RFC 5348 sections 5 and 6: the data receiver.  Opaque. */
typedef struct TfrcReceiver TfrcReceiver;

/** Configuration of a receiver.  Fill it with tfrc_receiver_config_init() first. */
typedef struct
{
  uint32_t
      history_length; /**< n of section 5.4, 2..TFRC_MAX_HISTORY_LENGTH; default 8.  More than 8 SHOULD NOT
                                     compete with TCP in the Internet. */
  TfrcLossIntervalMethod loss_interval_method;
  bool history_discounting; /**< section 5.5, threshold 0.25; default true */
  bool
      outage_is_one_event; /**< 16 packets or more in a row that are lost within 4 R or more are one loss event, and
                                     not one for each R (section 5.2), see docs/decisions.md; default false */
  TfrcRtoPolicy
      rto_policy; /**< should be the sender's: t_RTO of the equation that gives the first loss interval,
                                     with the sender's R and, as it is not known here, D = 0 */
  bool
      has_first_seq; /**< the sequence number of the stream's first packet is known, so that its loss can
                                     be seen (section 6.3.1, the null interval); default false */
  uint16_t first_seq;
  uint64_t
      feedback_floor_ns; /**< feedback is sent at most this often, but for loss; default 10 ms, see
                                     docs/decisions.md */
  TfrcHandoverMode handover_mode; /**< default TFRC_HANDOVER_MODE_DIRECT */
} TfrcReceiverConfig;

/** What the arrival of a data packet meant. */
typedef enum
{
  TFRC_ARRIVAL_NEXT,      /**< the highest sequence number so far */
  TFRC_ARRIVAL_LATE,      /**< filled a hole */
  TFRC_ARRIVAL_DUPLICATE, /**< was here already, or is too old to tell */
  TFRC_ARRIVAL_SUSPECT, /**< more than 100 packets from the highest: not used, unless its successor arrives
                                     before another such packet, see confirms_previous */
  TFRC_ARRIVAL_RESTART, /**< the sender has restarted its sequence numbers, with the suspect packet that this one
                                     confirms */
  TFRC_ARRIVAL_REFUSED /**< as far away, and by its send time a copy or forged: ignored */
} TfrcArrivalKind;

typedef struct
{
  TfrcArrivalKind kind;
  uint64_t
      seq; /**< extended: grows without wrapping, at least 65536; not set for SUSPECT and REFUSED */
  bool
      confirms_previous; /**< the last SUSPECT packet is used as well, before this one, with the number seq - 1 */
  bool
      believed; /**< the packet's R and send time are used; if not they differ too much from those of the
                                     packets before it, see docs/decisions.md */
} TfrcArrival;

/** What a receiver knows; a snapshot. */
typedef struct
{
  double p;             /**< loss event rate, 0 before the first loss event */
  double x_recv_Bps;    /**< of the last feedback */
  double mean_interval; /**< I_mean, packets; 0 before the first loss event */
  uint64_t rtt_ns;      /**< R_m, as the sender last told; 0: unknown */
  uint64_t highest_seq; /**< extended */
  uint64_t packets_expected;
  uint64_t packets_received; /**< without duplicates */
  uint64_t bytes_received;   /**< of segments */
  uint64_t packets_lost;     /**< NDUPACK later ones have arrived, and it has not come late */
  uint64_t packets_late;     /**< filled a hole */
  uint64_t packets_duplicate;
  uint64_t
      packets_suspect; /**< SUSPECT or REFUSED when they arrived, whether they were used later or not */
  uint64_t packets_ce;  /**< with congestion marks */
  uint64_t loss_events; /**< that stand: a late packet may take one back */
  uint64_t feedbacks_sent;
  TfrcHandoverPhase handover_phase;
  uint64_t handovers; /**< told of */
  uint64_t handovers_completed;
  uint64_t handovers_abandoned; /**< by another one, or as what was waited for never came */
} TfrcReceiverStats;

/** What the loss event intervals theta_n were like: of every one that has been closed by a further loss event, its
 * length, and the predictor theta^_n: the weighted average (section 5.4) of the intervals before it, as it was then.
 * So each of the latter is what the rate came from while the former was measured.
 *
 * The synthetic first interval (section 6.3.1) is no theta_n; a predictor has it while it is in the history.  An
 * interval that a late packet undoes is undone here as well.  After a handover, whose artificial history counts like the
 * synthetic interval, the first interval begins with the new link.  Moments are those of the intervals themselves: variances
 * are divided by their number.  All is 0 without intervals. */
typedef struct
{
  uint64_t intervals;    /**< their number */
  double mean_interval;  /**< E[theta], packets: 1 / the loss event rate over the whole time */
  double var_interval;   /**< VAR[theta], packets^2 */
  double mean_predictor; /**< E[theta^] */
  double var_predictor;  /**< VAR[theta^] */
  double covariance;     /**< COV(theta, theta^) */
  double mean_inverse_predictor; /**< E[1 / theta^] */
  double
      predicted_gap; /**< VAR[theta^] / E[theta^]^3, which E[1 / theta^] - 1 / E[theta^] is about */

  double
      rto_rtts; /**< t_RTO / R in the two below: R as the sender last told, t_RTO as rto_policy says */
  double
      f_mean_inverse_predictor; /**< f(E[1 / theta^]): the rate that the equation gives, packets per R */
  double f_mean_interval;       /**< f(1 / E[theta]), packets per R */
} TfrcLossStatistics;

/** Sets every field of @a config to the default, which is RFC 5348. */
TFRC_API void tfrc_receiver_config_init (TfrcReceiverConfig *config);

/** Creates a receiver.  Parameters, ownership and errors as tfrc_sender_new(). */
TFRC_API TfrcResult tfrc_receiver_new (TfrcReceiver **receiver, const TfrcReceiverConfig *config);

/** Frees @a receiver.  NULL is allowed. */
TFRC_API void tfrc_receiver_free (TfrcReceiver *receiver);

/** Handles a data packet (section 6.1).
 *
 * @param now_ns when it arrived; times that run backwards count as the newest seen
 * @param arrival NULL, or filled in when TFRC_OK is returned
 * @return TFRC_OK, TFRC_ERROR_ARGUMENT or TFRC_ERROR_RANGE (a segment of more than 65535 bytes)
 *
 * Afterwards tfrc_receiver_next_feedback_ns() may be due at once.
 */
TFRC_API TfrcResult tfrc_receiver_on_data (
    TfrcReceiver *receiver, const TfrcData *data, uint64_t now_ns, TfrcArrival *arrival);

/** Makes feedback due at once, even if no data has come since the last: to show a
 * sender that asks where its receiver is.  If none has come for a round-trip time
 * it says that a packet is received in each, at most.  Requests count once per
 * round-trip time, and not before the first data.
 * @return TFRC_OK or TFRC_ERROR_ARGUMENT */
TFRC_API TfrcResult tfrc_receiver_request_feedback (TfrcReceiver *receiver, uint64_t now_ns);

/** Returns when tfrc_receiver_make_feedback() is to be called (the feedback
 * timer, section 6.2), or TFRC_TIME_NEVER.  A time in the past means: at once. */
TFRC_API uint64_t tfrc_receiver_next_feedback_ns (const TfrcReceiver *receiver);

/** Handles the feedback timer if it has expired by @a now_ns; afterwards
 * tfrc_receiver_next_feedback_ns() lies after @a now_ns.
 *
 * @param feedback filled in when true is returned
 * @return true when @a feedback is to be sent, false when there is nothing to say
 */
TFRC_API bool tfrc_receiver_make_feedback (
    TfrcReceiver *receiver, uint64_t now_ns, TfrcFeedback *feedback);

/** Fills @a stats. */
TFRC_API void tfrc_receiver_get_stats (const TfrcReceiver *receiver, TfrcReceiverStats *stats);

/** A change of the link over which data comes. */
typedef struct
{
  uint8_t link; /**< as in TfrcData; another one than before */
  double
      bandwidth_Bps; /**< of the new link, as it is known beforehand; 0: unknown, the rate stays what it was */
  bool suppress_echo; /**< the sender is not to mark packets; the adaptation then ends by time */
} TfrcHandover;

/** Begins a handover: from now on feedback goes out over the new link, and data will arrive over it; what is still under
 * way may arrive over the old one.  Nothing must be lost by it on the way: otherwise it is an ordinary loss.
 *
 * Feedback is due at once, if any data has arrived before, and again without data until some comes over the new link: the
 * old one may be dead.  A handover before any feedback, or within another one, is allowed.
 *
 * @return TFRC_OK or TFRC_ERROR_ARGUMENT (NULL, or a bandwidth outside 0 .. 125e9)
 */
TFRC_API TfrcResult tfrc_receiver_start_handover (
    TfrcReceiver *receiver, const TfrcHandover *handover, uint64_t now_ns);

/** Fills @a statistics. */
TFRC_API void tfrc_receiver_get_loss_statistics (
    const TfrcReceiver *receiver, TfrcLossStatistics *statistics);

/** Starts the loss statistics anew, as after a warm-up: from now on they are of the intervals that end with the loss
 * of a packet above all that have arrived. */
TFRC_API void tfrc_receiver_reset_loss_statistics (TfrcReceiver *receiver);

/* ---- smoother ----------------------------------------------------------- */

/** Spreads packets over a window of time: the rate at which they may leave is
 * the mean rate at which they were offered in the last window.  If nothing but
 * the smoother holds them back, no packet waits longer than a window, and
 * packets of a constant rate wait for half of one.  A TFRC sender that is asked
 * beside it, as in max (tfrc_sender_next_send_ns (), tfrc_smoother_next_ns ()),
 * keeps what TFRC does not allow yet for when it does.  Opaque. */
typedef struct TfrcSmoother TfrcSmoother;

/** Creates a smoother.
 * @param window_ns 1000 (1 us) to 86400e9 (a day)
 * Ownership and errors as tfrc_sender_new(). */
TFRC_API TfrcResult tfrc_smoother_new (TfrcSmoother **smoother, uint64_t window_ns);

/** Frees @a smoother.  NULL is allowed. */
TFRC_API void tfrc_smoother_free (TfrcSmoother *smoother);

/** A packet has come that is to be sent.  Times that run backwards count as the
 * newest seen. */
TFRC_API void tfrc_smoother_offer (TfrcSmoother *smoother, uint32_t size_bytes, uint64_t now_ns);

/** Returns the time from which the oldest packet that waits may leave.  It may
 * lie in the past, and is earlier after tfrc_smoother_offer() or _cancel(). */
TFRC_API uint64_t tfrc_smoother_next_ns (const TfrcSmoother *smoother);

/** The oldest packet leaves, or is dropped. */
TFRC_API void tfrc_smoother_take (TfrcSmoother *smoother, uint32_t size_bytes);

/** Takes back tfrc_smoother_take(): the packet waits again. */
TFRC_API void tfrc_smoother_cancel (TfrcSmoother *smoother, uint32_t size_bytes);

/** Forgets every packet. */
TFRC_API void tfrc_smoother_reset (TfrcSmoother *smoother);

/** Returns the rate of now.  While packets wait longer than the smoother asks
 * for, they leave faster. */
TFRC_API double tfrc_smoother_get_rate_Bps (const TfrcSmoother *smoother, uint64_t now_ns);

/* ---- throughput equation (sections 3.1 and 8.1) ------------------------ */

/** f(p) of section 8.1, with b = 1 and t_RTO = 4 R.
 * @param p loss event rate; taken as 0 below 0 (or NaN) and as 1 above 1
 * @return 0 .. 243.3 */
TFRC_API double tfrc_equation_f (double p);

/** X_Bps of section 3.1, with b = 1.
 *
 * @param segment_size_bytes s > 0
 * @param rtt_s R > 0
 * @param rto_s t_RTO >= 0
 * @param p 0..1
 * @return byte/s; INFINITY for p = 0; 0 if an argument is out of range
 */
TFRC_API double tfrc_equation_rate_Bps (
    double segment_size_bytes, double rtt_s, double rto_s, double p);

/** The loss event rate at which tfrc_equation_rate_Bps() gives @a rate_Bps,
 * to 1e-9 relative; takes at most 64 steps of Newton's method.
 * @return 0..1; 1 also for rates below what p = 1 gives, or if an argument is out of range */
TFRC_API double tfrc_equation_p (
    double segment_size_bytes, double rtt_s, double rto_s, double rate_Bps);

TFRC_END_DECLS
#endif
