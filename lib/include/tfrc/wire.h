/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtfrc: TFRC in RTP and RTCP packets (docs/wire-format.md)
 *
 * Data packets are RTP (RFC 3550) with the header extension urn:ietf:params:rtp-hdrext:rtt-sendts
 * (RFC 8285, one-byte form).  Feedback is an RTCP transport-layer feedback message (RFC 4585, PT
 * 205, FMT 2).  The same reduced-size compound (RFC 5506) has an APP packet "TFRC" with the
 * receiver's state, for which the feedback message has no fields.  RTP and RTCP share a port (RFC
 * 5761).
 *
 * All functions work on the caller's buffers, keep no state and allocate nothing.  Any thread may
 * call them.  <tfrc/tfrc.h> has the rules for NULL and for the sizes of structs. */
#ifndef TFRC_WIRE_H
#define TFRC_WIRE_H

#include <tfrc/tfrc.h>

#define TFRC_WIRE_PAYLOAD_TYPE 33     /**< MP2T (RFC 3551, RFC 2250) */
#define TFRC_WIRE_CLOCK_RATE 90000    /**< RTP timestamp units per second */
#define TFRC_WIRE_EXT_ID_RTT_SENDTS 1 /**< id of the header extension element */
#define TFRC_WIRE_EXT_ID_FLAGS 2      /**< id of the optional second element */
#define TFRC_WIRE_EXT_URI "urn:ietf:params:rtp-hdrext:rtt-sendts"
#define TFRC_WIRE_EXT_ID_TRANSPORT_SEQ 3 /**< id of the transport sequence number */
#define TFRC_WIRE_EXT_TRANSPORT_SEQ_URI \
  "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

#define TFRC_WIRE_HEADER_BYTES 24       /**< RTP header with the first element */
#define TFRC_WIRE_FLAGS_HEADER_BYTES 28 /**< RTP header with the first two elements */
#define TFRC_WIRE_TRANSPORT_SEQ_BYTES 4 /**< the bytes that the third element adds to either */
#define TFRC_WIRE_MAX_HEADER_BYTES 32   /**< RTP header with all three elements */
#define TFRC_WIRE_MAX_RTCP_BYTES 320    /**< the largest compound that the functions below write */
#define TFRC_WIRE_MAX_RTT_US 0xffffffu  /**< the largest RTT on the wire */
#define TFRC_WIRE_PATH_DATA_BYTES 8     /**< the bytes of a challenge that a response repeats */
#define TFRC_WIRE_MIN_PATH_BYTES 20     /**< a challenge or response without padding */

#define TFRC_WIRE_REPAIR_PAYLOAD_TYPE 97 /**< of a repair (RFC 4588), where no SDP says another */
#define TFRC_WIRE_REPAIR_SEQ_BYTES 2     /**< the original number, between header and payload */
#define TFRC_WIRE_MAX_REPAIR_HEADER_BYTES (TFRC_WIRE_MAX_HEADER_BYTES + TFRC_WIRE_REPAIR_SEQ_BYTES)
#define TFRC_WIRE_FEC_PAYLOAD_TYPE \
  96                           /**< of forward error correction (SMPTE ST 2022-1), likewise */
#define TFRC_WIRE_FEC_BYTES 16 /**< its own header, between RTP header and payload */
#define TFRC_WIRE_MAX_FEC_HEADER_BYTES (TFRC_WIRE_MAX_HEADER_BYTES + TFRC_WIRE_FEC_BYTES)
#define TFRC_WIRE_NACK_PAIRS 16 /**< the most pairs of one NACK that is written */
#define TFRC_WIRE_NACK_PAIR_NUMBERS \
  17 /**< packets that a pair can ask for: its own and 16 behind */
#define TFRC_WIRE_MAX_NACK_BYTES (12 + 4 * TFRC_WIRE_NACK_PAIRS)
#define TFRC_WIRE_PLI_BYTES 12 /**< of a picture loss indication */

/** The SSRC of the repairs of a stream, and of its forward error correction; the stream's own SSRC is even. */
#define TFRC_WIRE_REPAIR_SSRC(ssrc) ((ssrc) | 1u)

/** In a data packet's flags: the sender knows of a handover. */
#define TFRC_WIRE_FLAG_ECHO 0x01
/** In a data packet's flags, with ECHO: the RTT was sampled on the new link alone. */
#define TFRC_WIRE_FLAG_DIRECT 0x02
/** In a data packet's flags, with ECHO: the handover's number, modulo 4 */
#define TFRC_WIRE_FLAG_NUMBER(flags) ((flags) >> 2 & 3)

/** In a data packet's flags: the rate comes from CUBIC's equation (TFRC_MODEL_CUBIC), and not from Reno's */
#define TFRC_WIRE_FLAG_CUBIC 0x10

#define TFRC_WIRE_STATE_HANDOVER 0x01      /**< in state: handover notification */
#define TFRC_WIRE_STATE_SUPPRESS_ECHO 0x02 /**< in state: do not mark packets */
#define TFRC_WIRE_STATE_NEW_LINK 0x04      /**< in state: the last packet came over the new link */
#define TFRC_WIRE_STATE_BANDWIDTH 0x08     /**< in state: 2 X_recv is the new link's bandwidth */
#define TFRC_WIRE_STATE_CLASSIFIED 0x40    /**< in state: congestion_p and link_errors are there */
#define TFRC_WIRE_STATE_ECN 0x80           /**< in state: ect0, ect1 and not_ect are there */
/** In state: the handover's number, modulo 4 */
#define TFRC_WIRE_STATE_NUMBER(flags) ((flags) >> 4 & 3)

TFRC_BEGIN_DECLS

/** Why a packet was refused; TFRC_WIRE_OK is 0.  A later version may return values that are not
 * below the TFRC_WIRE_N_RESULTS of this header. */
typedef enum
{
  TFRC_WIRE_ERROR_ARGUMENT = -1, /**< NULL or a wrong size: a mistake of the program, not of the
                                    packet */
  TFRC_WIRE_OK = 0,
  TFRC_WIRE_TOO_SHORT,     /**< the packet ends inside a header */
  TFRC_WIRE_BAD_VERSION,   /**< not RTP version 2 */
  TFRC_WIRE_BAD_LENGTH,    /**< a length field points past the end */
  TFRC_WIRE_BAD_PADDING,   /**< malformed padding */
  TFRC_WIRE_BAD_EXTENSION, /**< malformed header extension */
  TFRC_WIRE_BAD_FIELD,     /**< a fixed field of a TFRC packet has another value */
  TFRC_WIRE_NOT_OURS       /**< neither RTP nor RTCP, or all of its RTCP packets are unknown */
} TfrcWireResult;

/** The number of results from TFRC_WIRE_OK on */
#define TFRC_WIRE_N_RESULTS (TFRC_WIRE_NOT_OURS + 1)

/** Returns a name such as "too-short": static, never NULL. */
TFRC_API const char *tfrc_wire_result_to_string (TfrcWireResult result);

/** The protocol of a packet */
typedef enum
{
  TFRC_WIRE_KIND_NONE,
  TFRC_WIRE_KIND_DATA,
  TFRC_WIRE_KIND_RTCP
} TfrcWireKind;

/** Tells RTP from RTCP by the first two bytes (RFC 5761 section 4); TFRC_WIRE_KIND_NONE for
 * NULL. */
TFRC_API TfrcWireKind tfrc_wire_classify (const uint8_t *packet, size_t size);

/* ---- data packets ------------------------------------------------------ */

/** A data packet without its payload.  The size is fixed, see <tfrc/packets.h>; the reserved
 * words are not looked at. */
typedef struct
{
  uint8_t payload_type; /**< 0..127 */
  bool marker;
  uint16_t seq;
  uint32_t timestamp; /**< 90 kHz, target transmission time */
  uint32_t ssrc;

  bool has_rtt_sendts;   /**< parsed: false means that the packet is plain RTP, and the next two
                            fields are 0; not used for writing, which always writes the element */
  uint32_t rtt_us;       /**< 24 bits on the wire, a larger value is written as the largest; 0:
                            unknown or reset */
  uint32_t send_time_us; /**< send time on the sender's clock, wraps */

  bool has_flags; /**< the second element is there, beside the first */
  uint8_t flags;  /**< TFRC_WIRE_FLAG_* */
  uint8_t ttl;    /**< the TTL with which the packet left; 0: unknown */

  bool has_transport_seq; /**< the third element is there, beside the first */
  uint16_t transport_seq; /**< TFRC's number of the packet; without the element that is seq */

  size_t header_bytes;  /**< parsed: where the payload starts */
  size_t payload_bytes; /**< parsed: without padding */
  uint32_t reserved[4]; /**< 0 */
} TfrcWireData;

/** Copies the control information of a packet that leaves to @a wire: its number, rtt_us,
 * send_time_us, and flags if there are any.  The number becomes transport_seq if has_transport_seq
 * is set, otherwise seq. */
TFRC_API void tfrc_wire_set_data (TfrcWireData *wire, const TfrcData *data);

/** Copies the control information of a packet that has come to @a data.  TFRC's number is
 * transport_seq if has_transport_seq is set, otherwise seq.  ce, ecn and link are not in the packet,
 * and become false and 0. */
TFRC_API void tfrc_wire_get_data (const TfrcWireData *wire, TfrcData *data);

/** Writes the RTP header of a data packet.
 *
 * @param buffer at least TFRC_WIRE_MAX_HEADER_BYTES
 * @return bytes written, a multiple of 4: TFRC_WIRE_HEADER_BYTES, or TFRC_WIRE_FLAGS_HEADER_BYTES
 *   with has_flags, and TFRC_WIRE_TRANSPORT_SEQ_BYTES more with has_transport_seq; the payload
 *   follows there */
TFRC_API size_t tfrc_wire_write_data (uint8_t *buffer, const TfrcWireData *data);

/** Reads the header of a data packet.  Skips CSRCs, padding and unknown header extensions.
 *
 * @param packet may be NULL if @a size is 0
 * @param data valid when TFRC_WIRE_OK is returned
 * @return TFRC_WIRE_OK, or why the packet is refused */
TFRC_API TfrcWireResult tfrc_wire_parse_data (
    const uint8_t *packet, size_t size, TfrcWireData *data);

/* ---- repairs (RFC 4588) ------------------------------------------------- */

/** Writes the header of a repair, and the number of the packet that it repeats: that of a data packet with
 * the fields of @a data, of which ssrc, payload_type and seq are the repair's own.
 *
 * @param buffer at least TFRC_WIRE_MAX_REPAIR_HEADER_BYTES
 * @return bytes written: as tfrc_wire_write_data(), and TFRC_WIRE_REPAIR_SEQ_BYTES more; the payload of the
 *   original packet follows there.  0: a pointer is NULL */
TFRC_API size_t tfrc_wire_write_repair (
    uint8_t *buffer, const TfrcWireData *data, uint16_t original_seq);

/** Reads the number of the packet that a repair repeats, and moves header_bytes and payload_bytes to the
 * payload behind it.
 *
 * @param packet what @a data was parsed from
 * @param data of a packet with the payload type of repairs
 * @return false: the packet is no repair, but empty, as a sender may send one to probe (RFC 4588 section 3);
 *   or a pointer is NULL */
TFRC_API bool tfrc_wire_take_original_seq (
    const uint8_t *packet, TfrcWireData *data, uint16_t *original_seq);

/* ---- forward error correction (SMPTE ST 2022-1) --------------------------- */

/** The header of a FEC packet, whose payload is the XOR of the payloads of a group of packets, each filled up
 * with zeros to the length of the longest.  Packets of a group have the numbers first_seq, first_seq + offset,
 * ..., and there are @a count of them.  Of a group with one packet missing the packet is the XOR of all others. */
typedef struct
{
  uint16_t first_seq;       /**< RTP sequence number of the first packet of the group (SNBase) */
  uint16_t length_recovery; /**< XOR of the lengths of their payloads in bytes */
  uint32_t timestamp;       /**< XOR of their RTP time stamps */
  uint8_t payload_type;     /**< XOR of their payload types */
  uint8_t offset; /**< 1: a row; above: a column, of a matrix with so many columns; 1..255 */
  uint8_t count;  /**< packets of the group (NA), 1..255 */
  bool is_row;    /**< D; the group is a row of the matrix */
} TfrcWireFec;

/** Writes the header of a FEC packet: that of a data packet with the fields of @a data, and the FEC header.
 *
 * @param buffer at least TFRC_WIRE_MAX_FEC_HEADER_BYTES
 * @param data ssrc, payload_type and seq are the FEC packet's own
 * @return bytes written: as tfrc_wire_write_data(), and TFRC_WIRE_FEC_BYTES more; the payload follows there.
 *   0: a pointer is NULL */
TFRC_API size_t tfrc_wire_write_fec (
    uint8_t *buffer, const TfrcWireData *data, const TfrcWireFec *fec);

/** Reads the header of a FEC packet, and moves header_bytes and payload_bytes to the payload behind it.
 *
 * @param packet what @a data was parsed from
 * @param data of a packet with the payload type of FEC
 * @return false: there is no FEC header of ST 2022-1 for XOR, its group has no packet, or a pointer is NULL */
TFRC_API bool tfrc_wire_take_fec (const uint8_t *packet, TfrcWireData *data, TfrcWireFec *fec);

/* ---- RTCP -------------------------------------------------------------- */

/** The receiver's state, for which feedback has no fields: APP "TFRC", subtype 0.  The size is
 * fixed, see <tfrc/packets.h>. */
typedef struct
{
  uint32_t highest_seq;     /**< extended, 32 bits */
  uint32_t packets_lost;    /**< cumulative, wraps */
  uint32_t loss_events;     /**< cumulative, wraps */
  uint32_t ce_marks;        /**< cumulative, wraps */
  uint32_t feedback_number; /**< wraps */
  uint8_t flags;            /**< TFRC_WIRE_STATE_* */
  uint8_t ttl;              /**< TTL on arrival of the packet that the feedback names; 0: unknown */
  uint32_t congestion_p;    /**< with TFRC_WIRE_STATE_CLASSIFIED: loss event rate without link
                               errors, times 2^32, rounded down; 0xffffffff: 1 */
  uint32_t link_errors;     /**< with TFRC_WIRE_STATE_CLASSIFIED: cumulative, wraps */
  uint32_t ect0;    /**< with TFRC_WIRE_STATE_ECN: packets with ECT(0), cumulative, wraps; the
                               receiver sees the ECN field of all packets */
  uint32_t ect1;    /**< with TFRC_WIRE_STATE_ECN: packets with ECT(1), as ect0 */
  uint32_t not_ect; /**< with TFRC_WIRE_STATE_ECN: packets with not-ECT, as ect0 */
} TfrcWireState;

/** TfrcWirePlayout.queueing_us: not known */
#define TFRC_WIRE_QUEUEING_UNKNOWN 0xffffffffu

/** What the receiver's player has time for, beside the state: a field of the state packet and its
 * last three words.  The size is fixed, as that of TfrcWireState. */
typedef struct
{
  uint32_t delay_ms;    /**< L: a packet is played this long after it would have arrived without any
                             wait; in steps of 2 ms, rounded down, at most 131070; 0: not told */
  uint32_t queueing_us; /**< Q: what the network delays packets beyond the least transit;
                             TFRC_WIRE_QUEUEING_UNKNOWN: not known */
  uint32_t ahead_ms;    /**< how long before its due time a packet may arrive; 0: not at all */
  uint32_t ahead_bytes; /**< payload that the receiver holds before it is due; 0: none */
} TfrcWirePlayout;

/** One report block (RFC 3550 section 6.4.1).  RTCP fixes its fields. */
typedef struct
{
  uint32_t ssrc;         /**< of the stream reported on */
  uint8_t fraction_lost; /**< of 256 */
  int32_t packets_lost;  /**< cumulative, 24 bits signed */
  uint32_t highest_seq;  /**< extended */
  uint32_t jitter;       /**< timestamp units */
  uint32_t lsr;          /**< middle 32 bits of the NTP time of the last SR; 0: none */
  uint32_t dlsr;         /**< time since that SR, 1/65536 s */
} TfrcWireReport;

/** One RTCP compound: all of its fields that TFRC uses.  Set it to zero before you fill it.
 * Grows in later versions. */
typedef struct
{
  uint32_t sender_ssrc; /**< of the host that sent the compound */

  bool has_feedback;     /**< PT 205 FMT 2 */
  uint32_t media_ssrc;   /**< of the stream that the feedback is about */
  TfrcFeedback feedback; /**< with has_state and classified from the state, if there is a state */

  bool has_state; /**< APP "TFRC", subtype 0 */
  TfrcWireState state;

  bool has_clock;              /**< APP "TFRC", subtype 1 */
  uint32_t clock_send_time_us; /**< the send time at the instant of the SR */

  bool has_challenge; /**< APP "TFRC", subtype 2: the peer asks for a response */
  uint8_t challenge[TFRC_WIRE_PATH_DATA_BYTES];

  bool has_response; /**< APP "TFRC", subtype 3 */
  uint8_t response[TFRC_WIRE_PATH_DATA_BYTES];

  bool has_sr;     /**< the next four fields are valid */
  uint64_t sr_ntp; /**< NTP format, 32.32 bits */
  uint32_t sr_timestamp;
  uint32_t sr_packets;
  uint32_t sr_bytes;

  bool has_rr;     /**< there is an RR, with or without a block about the wanted SSRC */
  bool has_report; /**< there is a block about the wanted SSRC */
  TfrcWireReport report;

  bool has_bye; /**< a BYE names sender_ssrc, or no SSRC */
  uint32_t
      unknown; /**< packets of the compound that were skipped: of an unknown kind, or of an SSRC
                       other than sender_ssrc */
  uint32_t reserved; /**< 0 */

  TfrcWirePlayout
      playout; /**< from the state packet; delay_ms and the window are 0, and queueing_us
                              is TFRC_WIRE_QUEUEING_UNKNOWN, as far as it does not tell them */

  uint32_t nacks; /**< PT 205 FMT 1: how many; tfrc_wire_find_nack() finds them */
  uint32_t plis;  /**< PT 206 FMT 1: how many; tfrc_wire_find_pli() finds one */
} TfrcWireRtcp;

/** Reads an RTCP compound, reduced-size or not.  The state's fields are copied to the feedback.
 *
 * @param packet may be NULL if @a size is 0
 * @param report_ssrc the SSRC whose report blocks are wanted
 * @param rtcp not to be used unless TFRC_WIRE_OK is returned
 * @return TFRC_WIRE_OK if every length is right and at least one packet is known; or why the
 *   compound is refused */
TFRC_API TfrcWireResult tfrc_wire_parse_rtcp_sized (
    const uint8_t *packet, size_t size, uint32_t report_ssrc, TfrcWireRtcp *rtcp, size_t rtcp_size);

static inline TfrcWireResult
tfrc_wire_parse_rtcp (const uint8_t *packet, size_t size, uint32_t report_ssrc, TfrcWireRtcp *rtcp)
{
  return tfrc_wire_parse_rtcp_sized (packet, size, report_ssrc, rtcp, sizeof *rtcp);
}

/** Finds a transport-wide feedback (PT 205, FMT 15) in an RTCP compound that tfrc_wire_parse_rtcp()
 * accepts.
 *
 * @param media_ssrc the SSRC of the stream that the feedback is to be about
 * @param nth which of them: 0 is the first
 * @param fci set to the feedback control information, a part of @a packet; for
 *   tfrc_arrivals_on_feedback() of <tfrc/reports.h>
 * @return false: there is none */
TFRC_API bool tfrc_wire_find_transport_feedback (const uint8_t *packet, size_t size,
    uint32_t media_ssrc, unsigned nth, const uint8_t **fci, size_t *fci_bytes);

/** Finds a generic NACK (PT 205, FMT 1; RFC 4585 section 6.2.1), as tfrc_wire_find_transport_feedback() does.
 *
 * @param fci for tfrc_wire_read_nack() */
TFRC_API bool tfrc_wire_find_nack (const uint8_t *packet, size_t size, uint32_t media_ssrc,
    unsigned nth, const uint8_t **fci, size_t *fci_bytes);

/** Reads the numbers that a NACK asks for, in its order.  Four bytes can ask for 17 packets.
 *
 * @param fci may be NULL if @a fci_bytes is 0; bytes behind the last whole pair are ignored
 * @param seqs room for @a max numbers
 * @return how many numbers were read; the rest is left out */
TFRC_API size_t tfrc_wire_read_nack (
    const uint8_t *fci, size_t fci_bytes, uint16_t *seqs, size_t max);

/** Finds a request of RIST (VSF TR-06-1 section 5.3.2): an APP packet "RIST", subtype 0, with ranges, as
 * tfrc_wire_find_nack() does.
 *
 * @param ranges for tfrc_wire_read_rist_request() */
TFRC_API bool tfrc_wire_find_rist_request (const uint8_t *packet, size_t size, uint32_t media_ssrc,
    unsigned nth, const uint8_t **ranges, size_t *bytes);

/** Reads the numbers that a request of RIST asks for, as tfrc_wire_read_nack() does.  Four bytes can ask for
 * 65536 packets. */
TFRC_API size_t tfrc_wire_read_rist_request (
    const uint8_t *ranges, size_t bytes, uint16_t *seqs, size_t max);

/** Writes a generic NACK: a reduced-size compound of its own, or a part of one behind feedback.
 *
 * @param buffer at least TFRC_WIRE_MAX_NACK_BYTES
 * @param seqs numbers, each later than the one before it as sequence numbers wrap
 * @param used set to how many of them it asks for: as many as TFRC_WIRE_NACK_PAIRS pairs can
 * @return bytes written; 0: there is no number, or a pointer is NULL */
TFRC_API size_t tfrc_wire_write_nack (uint8_t *buffer, uint32_t ssrc, uint32_t media_ssrc,
    const uint16_t *seqs, size_t n, size_t *used);

/** Says whether a picture loss indication (PT 206, FMT 1; RFC 4585 section 6.3.1) is in an RTCP compound that
 * tfrc_wire_parse_rtcp() accepts.
 *
 * @param media_ssrc the SSRC of the stream that it is to be about */
TFRC_API bool tfrc_wire_find_pli (const uint8_t *packet, size_t size, uint32_t media_ssrc);

/** Writes a picture loss indication: a reduced-size compound of its own, or a part of one behind feedback.
 *
 * @param buffer at least TFRC_WIRE_PLI_BYTES
 * @return bytes written; 0: @a buffer is NULL */
TFRC_API size_t tfrc_wire_write_pli (uint8_t *buffer, uint32_t ssrc, uint32_t media_ssrc);

/** Writes feedback and state as a reduced-size compound of 28 + 36 bytes; 8 bytes more if the
 * feedback is classified or the state's flags say so, and 12 bytes more with TFRC_WIRE_STATE_ECN.
 * The feedback's fields about a handover are added to the flags of the state.  The fields of
 * classified feedback take the place of the state's.
 *
 * @param buffer at least TFRC_WIRE_MAX_RTCP_BYTES
 * @param state NULL: the feedback message alone, 28 bytes
 * @return bytes written */
TFRC_API size_t tfrc_wire_write_feedback (uint8_t *buffer, uint32_t ssrc, uint32_t media_ssrc,
    const TfrcFeedback *feedback, const TfrcWireState *state);

/** The same with what the receiver's player has time for: 12 bytes more if queueing is known or there
 * is a window.
 *
 * @param state not NULL
 * @param playout NULL: not told
 * @return bytes written; 0: a pointer is NULL that may not be */
TFRC_API size_t tfrc_wire_write_playout_feedback (uint8_t *buffer, uint32_t ssrc,
    uint32_t media_ssrc, const TfrcFeedback *feedback, const TfrcWireState *state,
    const TfrcWirePlayout *playout);

/** Writes SR, SDES and the sender's clock as one compound.
 *
 * @param buffer at least TFRC_WIRE_MAX_RTCP_BYTES
 * @param rtcp sender_ssrc, sr_* and clock_send_time_us are used
 * @param cname UTF-8, of which at most 63 bytes are used
 * @return bytes written; 0 for a wrong size */
TFRC_API size_t tfrc_wire_write_sender_report_sized (
    uint8_t *buffer, const TfrcWireRtcp *rtcp, size_t rtcp_size, const char *cname);

static inline size_t
tfrc_wire_write_sender_report (uint8_t *buffer, const TfrcWireRtcp *rtcp, const char *cname)
{
  return tfrc_wire_write_sender_report_sized (buffer, rtcp, sizeof *rtcp, cname);
}

/** One more RTP stream of a sender, such as its repairs. The size is fixed. */
typedef struct
{
  uint32_t ssrc;
  uint32_t packets; /**< that have been sent, as TfrcWireRtcp.sr_packets; wraps */
  uint32_t bytes;   /**< as TfrcWireRtcp.sr_bytes */
} TfrcWireStream;

/** How many of these one compound can tell of */
#define TFRC_WIRE_MAX_MORE_STREAMS 2

/** The same with an SR and a CNAME of each of the sender's other streams, which have the clock of the first
 * one and the same CNAME.
 *
 * @param more may be NULL if @a n_more is 0
 * @return bytes written; 0 for a wrong size, or more than TFRC_WIRE_MAX_MORE_STREAMS */
TFRC_API size_t tfrc_wire_write_sender_reports_sized (uint8_t *buffer, const TfrcWireRtcp *rtcp,
    size_t rtcp_size, const TfrcWireStream *more, size_t n_more, const char *cname);

static inline size_t
tfrc_wire_write_sender_reports (uint8_t *buffer, const TfrcWireRtcp *rtcp,
    const TfrcWireStream *more, size_t n_more, const char *cname)
{
  return tfrc_wire_write_sender_reports_sized (buffer, rtcp, sizeof *rtcp, more, n_more, cname);
}

/** Writes RR and SDES as one compound.
 *
 * @param buffer at least TFRC_WIRE_MAX_RTCP_BYTES
 * @param rtcp sender_ssrc and, if has_report, report are used
 * @param cname UTF-8, of which at most 63 bytes are used
 * @return bytes written; 0 for a wrong size */
TFRC_API size_t tfrc_wire_write_receiver_report_sized (
    uint8_t *buffer, const TfrcWireRtcp *rtcp, size_t rtcp_size, const char *cname);

static inline size_t
tfrc_wire_write_receiver_report (uint8_t *buffer, const TfrcWireRtcp *rtcp, const char *cname)
{
  return tfrc_wire_write_receiver_report_sized (buffer, rtcp, sizeof *rtcp, cname);
}

/** Writes a challenge of a path (RFC 9000 section 8.2): a reduced-size compound of its own, with
 * padding behind @a data.  The padding shows whether the path carries packets of this size.
 *
 * @param buffer at least @a size bytes
 * @param size multiple of 4, at least TFRC_WIRE_MIN_PATH_BYTES, at most 65536 * 4
 * @return @a size; 0: @a size is out of its range */
TFRC_API size_t tfrc_wire_write_path_challenge (
    uint8_t *buffer, size_t size, uint32_t ssrc, const uint8_t data[TFRC_WIRE_PATH_DATA_BYTES]);

/** Writes the response to a challenge: TFRC_WIRE_MIN_PATH_BYTES, which no challenge is shorter
 * than.
 *
 * @param buffer at least TFRC_WIRE_MIN_PATH_BYTES
 * @return bytes written */
TFRC_API size_t tfrc_wire_write_path_response (
    uint8_t *buffer, uint32_t ssrc, const uint8_t data[TFRC_WIRE_PATH_DATA_BYTES]);

/** Writes an empty RR, SDES and BYE as one compound.
 *
 * @param buffer at least TFRC_WIRE_MAX_RTCP_BYTES
 * @param cname UTF-8, of which at most 63 bytes are used
 * @return bytes written */
TFRC_API size_t tfrc_wire_write_bye (uint8_t *buffer, uint32_t ssrc, const char *cname);

/** The same for a sender with other streams, all of which end.
 *
 * @param more as of tfrc_wire_write_sender_reports(); the SSRCs are used
 * @return bytes written; 0 for more than TFRC_WIRE_MAX_MORE_STREAMS */
TFRC_API size_t tfrc_wire_write_byes (
    uint8_t *buffer, uint32_t ssrc, const TfrcWireStream *more, size_t n_more, const char *cname);

TFRC_END_DECLS
#endif
