/* How TFRC travels in RTP and RTCP (docs/wire-format.md)
 *
 * Data packets are RTP (RFC 3550) with the header extension
 * urn:ietf:params:rtp-hdrext:rtt-sendts (RFC 8285, one-byte form); feedback
 * is an RTCP transport-layer feedback message (RFC 4585, PT 205, FMT 2),
 * followed in the same reduced-size compound (RFC 5506) by an APP packet
 * "TFRC" with what the former cannot say.  RTP and RTCP share a port
 * (RFC 5761).
 *
 * Everything here works on the caller's buffers, keeps no state, allocates
 * nothing, and may be called from any thread.
 */
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
#define TFRC_WIRE_TRANSPORT_SEQ_BYTES 4 /**< what the third element adds to either */
#define TFRC_WIRE_MAX_HEADER_BYTES 32   /**< RTP header with all three elements */
#define TFRC_WIRE_MAX_RTCP_BYTES 256    /**< the largest compound that the functions below write */
#define TFRC_WIRE_MAX_RTT_US 0xffffffu  /**< RTT saturates there */
#define TFRC_WIRE_PATH_DATA_BYTES 8     /**< what a challenge asks to be repeated */
#define TFRC_WIRE_MIN_PATH_BYTES 20     /**< a challenge or response without padding */

#define TFRC_WIRE_FLAG_ECHO 0x01 /**< in data: sent after a handover notification */
#define TFRC_WIRE_FLAG_DIRECT \
  0x02 /**< in data: ... and the RTT was sampled on the new link alone */
#define TFRC_WIRE_FLAG_NUMBER(flags) \
  ((flags) >> 2 & 3)                  /**< in data: ... and which handover's it was, modulo 4 */
#define TFRC_WIRE_STATE_HANDOVER 0x01 /**< in state: handover notification */
#define TFRC_WIRE_STATE_SUPPRESS_ECHO 0x02 /**< in state: do not mark packets */
#define TFRC_WIRE_STATE_NEW_LINK 0x04      /**< in state: the last packet came over the new link */
#define TFRC_WIRE_STATE_BANDWIDTH 0x08     /**< in state: 2 X_recv is the new link's bandwidth */
#define TFRC_WIRE_STATE_NUMBER(flags) ((flags) >> 4 & 3) /**< in state: which handover, modulo 4 */

TFRC_BEGIN_DECLS

/** Why a packet was refused, or TFRC_WIRE_OK = 0. */
typedef enum
{
  TFRC_WIRE_OK = 0,
  TFRC_WIRE_TOO_SHORT,   /**< ends inside a header */
  TFRC_WIRE_BAD_VERSION, /**< not RTP version 2 */
  TFRC_WIRE_BAD_LENGTH,  /**< a length field points past the end */
  TFRC_WIRE_BAD_PADDING,
  TFRC_WIRE_BAD_EXTENSION, /**< malformed header extension */
  TFRC_WIRE_BAD_FIELD,     /**< a fixed field of a TFRC packet has another value */
  TFRC_WIRE_NOT_OURS       /**< neither RTP nor RTCP, or nothing in it is known */
} TfrcWireResult;

#define TFRC_WIRE_N_RESULTS (TFRC_WIRE_NOT_OURS + 1)

/** Returns a static, never NULL, name such as "too-short". */
TFRC_API const char *tfrc_wire_result_to_string (TfrcWireResult result);

typedef enum
{
  TFRC_WIRE_KIND_NONE,
  TFRC_WIRE_KIND_DATA,
  TFRC_WIRE_KIND_RTCP
} TfrcWireKind;

/** Tells RTP from RTCP by the first two bytes (RFC 5761 section 4). */
TFRC_API TfrcWireKind tfrc_wire_classify (const uint8_t *packet, size_t size);

/** A data packet without its payload. */
typedef struct
{
  uint8_t payload_type; /**< 0..127 */
  bool marker;
  uint16_t seq;
  uint32_t timestamp; /**< 90 kHz, target transmission time */
  uint32_t ssrc;

  bool
      has_rtt_sendts; /**< parsed: false means not sent by TFRC, and the next two are 0; written: always */
  uint32_t rtt_us; /**< 24 bits on the wire, saturates when written; 0: none yet or reset */
  uint32_t send_time_us;

  bool has_flags; /**< the second element is there */
  uint8_t flags;  /**< TFRC_WIRE_FLAG_* */
  uint8_t ttl;    /**< the TTL the packet left with; 0: not said */

  bool has_transport_seq; /**< the third element is there */
  uint16_t transport_seq; /**< TFRC's number of the packet; without the element that is seq */

  size_t header_bytes;  /**< parsed: where the payload starts */
  size_t payload_bytes; /**< parsed: without padding */
} TfrcWireData;

/** Takes over what the library says of a packet to be sent: its number, rtt_us, send_time_us, and flags if there are any.
 * The number becomes transport_seq if has_transport_seq is set, otherwise seq. */
TFRC_API void tfrc_wire_set_data (TfrcWireData *wire, const TfrcData *data);

/** The other way round, for a packet received: TFRC's number is transport_seq if has_transport_seq is set, otherwise seq.
 * Sets no ce and no link: they are not in the packet. */
TFRC_API void tfrc_wire_get_data (const TfrcWireData *wire, TfrcData *data);

/** Writes the RTP header of a data packet.
 * @param buffer at least TFRC_WIRE_MAX_HEADER_BYTES
 * @return bytes written, a multiple of 4: TFRC_WIRE_HEADER_BYTES, or TFRC_WIRE_FLAGS_HEADER_BYTES with has_flags, and
 *   TFRC_WIRE_TRANSPORT_SEQ_BYTES more with has_transport_seq; the payload follows there */
TFRC_API size_t tfrc_wire_write_data (uint8_t *buffer, const TfrcWireData *data);

/** Reads the header of a data packet.  CSRCs, padding and unknown header
 * extensions are skipped.  @a data is valid when TFRC_WIRE_OK is returned. */
TFRC_API TfrcWireResult tfrc_wire_parse_data (
    const uint8_t *packet, size_t size, TfrcWireData *data);

/** The receiver's state, which feedback cannot say: APP "TFRC", subtype 0. */
typedef struct
{
  uint32_t highest_seq;     /**< extended, 32 bits */
  uint32_t packets_lost;    /**< cumulative, wraps */
  uint32_t loss_events;     /**< cumulative, wraps */
  uint32_t ce_marks;        /**< cumulative, wraps */
  uint32_t feedback_number; /**< wraps */
  uint8_t flags;            /**< TFRC_WIRE_STATE_* */
  uint8_t ttl;              /**< TTL of the last packet; 0: not known */
} TfrcWireState;

/** One report block (RFC 3550 section 6.4.1). */
typedef struct
{
  uint32_t ssrc;         /**< of the stream reported on */
  uint8_t fraction_lost; /**< of 256 */
  int32_t packets_lost;  /**< cumulative, 24 bits signed */
  uint32_t highest_seq;  /**< extended */
  uint32_t jitter;       /**< timestamp units */
  uint32_t lsr;          /**< middle 32 bits of the NTP time of the last SR; 0: none */
  uint32_t dlsr;         /**< since that SR, 1/65536 s */
} TfrcWireReport;

/** One RTCP compound, whatever of it concerns us. */
typedef struct
{
  uint32_t sender_ssrc; /**< of the one who sent the compound */

  bool has_feedback;     /**< PT 205 FMT 2 */
  uint32_t media_ssrc;   /**< of the stream that feedback is about */
  TfrcFeedback feedback; /**< with has_state from the state, if that is there */

  bool has_state;
  TfrcWireState state;

  bool has_clock; /**< APP "TFRC", subtype 1: the send time at the instant of the SR */
  uint32_t clock_send_time_us;

  bool has_challenge; /**< APP "TFRC", subtype 2: to be repeated in a response */
  uint8_t challenge[TFRC_WIRE_PATH_DATA_BYTES];

  bool has_response; /**< APP "TFRC", subtype 3 */
  uint8_t response[TFRC_WIRE_PATH_DATA_BYTES];

  bool has_sr;
  uint64_t sr_ntp; /**< NTP format, 32.32 bits */
  uint32_t sr_timestamp;
  uint32_t sr_packets;
  uint32_t sr_bytes;

  bool has_rr;     /**< an RR was there, even if without a block about us */
  bool has_report; /**< a block about the wanted SSRC */
  TfrcWireReport report;

  bool has_bye;     /**< names sender_ssrc, or nobody */
  uint32_t unknown; /**< packets in the compound that were skipped: of an unknown kind, or of
                                     another SSRC than sender_ssrc */
} TfrcWireRtcp;

/** Reads an RTCP compound, reduced-size or not.  The feedback gets what the state has of it.
 *
 * @param report_ssrc report blocks about this SSRC are wanted
 * @return TFRC_WIRE_OK if every length is right and at least one packet is
 *   known; otherwise nothing of @a rtcp is to be used
 */
TFRC_API TfrcWireResult tfrc_wire_parse_rtcp (
    const uint8_t *packet, size_t size, uint32_t report_ssrc, TfrcWireRtcp *rtcp);

/** Writes feedback and state as a reduced-size compound: 28 + 36 bytes.  What the feedback says of a handover is added to
 * the flags of the state.
 * @param buffer at least TFRC_WIRE_MAX_RTCP_BYTES
 * @return bytes written */
TFRC_API size_t tfrc_wire_write_feedback (uint8_t *buffer, uint32_t ssrc, uint32_t media_ssrc,
    const TfrcFeedback *feedback, const TfrcWireState *state);

/** Writes SR, SDES with @a cname (at most 63 bytes are used) and the sender's
 * clock as one compound.  Uses sr_*, clock_send_time_us and sender_ssrc of
 * @a rtcp.  Buffer and return value as tfrc_wire_write_feedback(). */
TFRC_API size_t tfrc_wire_write_sender_report (
    uint8_t *buffer, const TfrcWireRtcp *rtcp, const char *cname);

/** Writes RR and SDES.  Uses sender_ssrc and, if has_report, report of @a rtcp. */
TFRC_API size_t tfrc_wire_write_receiver_report (
    uint8_t *buffer, const TfrcWireRtcp *rtcp, const char *cname);

/** Writes a challenge of a path (RFC 9000 section 8.2), a reduced-size compound of its own, with padding behind @a data.
 * @param buffer at least @a size
 * @param size multiple of 4, at least TFRC_WIRE_MIN_PATH_BYTES: a path is to carry data packets
 * @return @a size */
TFRC_API size_t tfrc_wire_write_path_challenge (
    uint8_t *buffer, size_t size, uint32_t ssrc, const uint8_t data[TFRC_WIRE_PATH_DATA_BYTES]);

/** Writes the response to a challenge, TFRC_WIRE_MIN_PATH_BYTES: not more than the challenge had. */
TFRC_API size_t tfrc_wire_write_path_response (
    uint8_t *buffer, uint32_t ssrc, const uint8_t data[TFRC_WIRE_PATH_DATA_BYTES]);

/** Writes an empty RR, SDES and BYE. */
TFRC_API size_t tfrc_wire_write_bye (uint8_t *buffer, uint32_t ssrc, const char *cname);

TFRC_END_DECLS
#endif
