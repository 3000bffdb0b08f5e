/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtfrc: the choice of a sender's packets that carry ECT(0) (RFC 3168, RFC 6679)
 *
 * A queue that marks packets instead of dropping them marks only packets with ECT.  Some paths
 * clear the ECN field (bleaching), drop packets with ECT (a black hole) or set the field to
 * something else (mangling).  So the sender first sends a few packets with ECT among others without,
 * and compares what the receiver has got of both (RFC 6679 section 7.2.1):
 *
 *            a report                4 packets with ECT have come
 *     OFF ------------> PROBING ----------------------------------> CAPABLE
 *                        |  ^ ^                                     |  |
 *      the path is broken|  |  \________ many packets are lost _____|  | the path is broken
 *                        v  | after 60 s, then up to 10 min            |
 *                       FAILED <_______________________________________|
 *
 * - OFF: the receiver has not said that it sees the ECN field.  No packet carries ECT.
 * - PROBING: every fourth packet carries ECT, and at most four of these are not reported yet.  So
 *   a black hole costs seven packets at most.
 * - CAPABLE: every packet carries ECT.  The reports are checked all the time (section 7.4).
 * - FAILED: no packet carries ECT.  The sender probes again after a minute, then after twice the
 *   time each, at most after ten minutes, and at once on a new path.
 *
 * What marks mean for the rate is not decided here: the receiver counts a marked packet as a lost
 * one in p (RFC 5348 section 5).  A report decides about ECT and nothing else, so that a report
 * that is not true can only waste the effort of probing. */
#ifndef TFRC_ECN_H
#define TFRC_ECN_H

#include <tfrc/packets.h>

TFRC_BEGIN_DECLS

typedef enum
{
  TFRC_ECN_OFF,     /**< the receiver does not report the ECN field, or ECN is not wanted */
  TFRC_ECN_PROBING, /**< a few packets carry ECT */
  TFRC_ECN_CAPABLE, /**< all packets carry ECT */
  TFRC_ECN_FAILED   /**< the path or the reports are broken, see TfrcEcnProblem */
} TfrcEcnState;

/** Why no packet carries ECT, or why packets did not at the last failure */
typedef enum
{
  TFRC_ECN_PROBLEM_NONE,
  TFRC_ECN_PROBLEM_BLEACHING,    /**< packets that left with ECT came without */
  TFRC_ECN_PROBLEM_BLACK_HOLE,   /**< packets with ECT are lost, packets without ECT are not */
  TFRC_ECN_PROBLEM_MANGLING,     /**< all packets come with CE although packets without ECT are not
                                    lost, or packets come with an ECT that they did not have */
  TFRC_ECN_PROBLEM_FALSE_REPORT, /**< reports that cannot be true: counters go back, or count more
                                    packets than have left */
  TFRC_ECN_PROBLEM_REFUSED       /**< the own system does not send packets with ECT */
} TfrcEcnProblem;

/** Return a name such as "capable" or "black-hole": static, never NULL. */
TFRC_API const char *tfrc_ecn_state_to_string (TfrcEcnState state);
TFRC_API const char *tfrc_ecn_problem_to_string (TfrcEcnProblem problem);

/** A receiver's counts of one stream: the ECN fields of packets, without duplicates.  All
 * counters are cumulative and wrap; they are of one instant.  The size is fixed, see
 * <tfrc/packets.h>. */
typedef struct
{
  uint16_t highest_seq; /**< the highest sequence number that has come */
  uint32_t ect0;        /**< packets with ECT(0) */
  uint32_t ect1;        /**< packets with ECT(1) */
  uint32_t ce;          /**< packets with CE */
  uint32_t not_ect;     /**< packets with not-ECT */
  uint32_t reserved[3]; /**< 0 */
} TfrcEcnReport;

/** A snapshot.  Grows in later versions. */
typedef struct
{
  TfrcEcnState state;
  TfrcEcnProblem problem; /**< of the last failure; TFRC_ECN_PROBLEM_NONE again when CAPABLE */
  uint64_t ect_sent;      /**< packets that left with ECT */
  uint64_t failures;      /**< how often the state became FAILED */
  uint64_t retry_ns;      /**< FAILED: when the next probes may leave */
  TfrcEcnReport report;   /**< the last report; all 0: none */
} TfrcEcnStats;

/** The use of ECN by one sender.  Opaque. */
typedef struct TfrcEcn TfrcEcn;

/** Creates the object; its state is OFF.
 *
 * @param ecn where to store the object; set to NULL on failure
 * @return TFRC_OK, TFRC_ERROR_ARGUMENT or TFRC_ERROR_NO_MEMORY
 *
 * The caller owns *ecn and frees it with tfrc_ecn_free().
 *
 * All other functions allow NULL, which is the same as an object that is OFF for ever: a program
 * that does not want ECN creates none. */
TFRC_API TfrcResult tfrc_ecn_new (TfrcEcn **ecn);
TFRC_API void tfrc_ecn_free (TfrcEcn *ecn);

/* ---- packets that leave ------------------------------------------------ */

/** A data packet leaves.  To be called for each packet, in the order of their sequence numbers.  A
 * number that is left out counts as a packet without ECT that is lost.
 *
 * Packets other than data, such as RTCP, carry no ECT (RFC 6679 section 7.3.1).
 *
 * @param seq the number that TfrcEcnReport.highest_seq names
 * @return true: the packet is to carry ECT(0) */
TFRC_API bool tfrc_ecn_on_packet (TfrcEcn *ecn, uint16_t seq, uint64_t now_ns);

/** Takes back the newest packet, which could not be sent.  To take back several packets, call the
 * function once for each packet, the newest first. */
TFRC_API void tfrc_ecn_cancel (TfrcEcn *ecn);

/** The own system has refused a packet because of its ECT.  The state is OFF for good. */
TFRC_API void tfrc_ecn_refuse (TfrcEcn *ecn);

/* ---- what is heard ----------------------------------------------------- */

/** Feedback has come that was used, newer than all before.
 *
 * @param report NULL: the feedback does not report the ECN field.  The state is OFF then
 * @return TFRC_OK, or TFRC_ERROR_ARGUMENT for a reserved word that is not 0 */
TFRC_API TfrcResult tfrc_ecn_on_report (TfrcEcn *ecn, const TfrcEcnReport *report, uint64_t now_ns);

/** No feedback has come for long: the nofeedback timer (RFC 5348 section 4.4) has expired.  If
 * packets have left that no report covers, all of them may be lost because of their ECT, so that CAPABLE
 * becomes PROBING. */
TFRC_API void tfrc_ecn_on_silence (TfrcEcn *ecn, uint64_t now_ns);

/** Packets take another path from now on: another link of the receiver, another address, or
 * another route.  A path that has not failed yet is probed. */
TFRC_API void tfrc_ecn_on_new_path (TfrcEcn *ecn);

/** Another receiver counts from now on, or the same receiver counts from 0.  The state is OFF until
 * its first report. */
TFRC_API void tfrc_ecn_on_new_receiver (TfrcEcn *ecn);

/* ---- state ------------------------------------------------------------- */

/** Returns the state; TFRC_ECN_OFF for NULL. */
TFRC_API TfrcEcnState tfrc_ecn_get_state (const TfrcEcn *ecn);

/** Returns what TfrcEcnStats.problem is; TFRC_ECN_PROBLEM_NONE for NULL. */
TFRC_API TfrcEcnProblem tfrc_ecn_get_problem (const TfrcEcn *ecn);

/** Fills in @a stats; all 0 if @a ecn is NULL.  TFRC_OK, TFRC_ERROR_SIZE or TFRC_ERROR_ARGUMENT */
TFRC_API TfrcResult tfrc_ecn_get_stats_sized (const TfrcEcn *ecn, TfrcEcnStats *stats, size_t size);

static inline TfrcResult
tfrc_ecn_get_stats (const TfrcEcn *ecn, TfrcEcnStats *stats)
{
  return tfrc_ecn_get_stats_sized (ecn, stats, sizeof *stats);
}

TFRC_END_DECLS
#endif
