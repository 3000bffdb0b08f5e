/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtfrc: the receiver moves to another link ("Fast link adaptation for TFRC",
 * docs/handover.md). */
#ifndef TFRC_HANDOVER_H
#define TFRC_HANDOVER_H

#include <tfrc/types.h>

TFRC_BEGIN_DECLS

/** The receiver's adaptation to the new link */
typedef enum
{
  TFRC_HANDOVER_MODE_DIRECT, /**< R of the new link is a sample of the new link alone */
  TFRC_HANDOVER_MODE_PAPER   /**< as in the paper: 2 (RTTo / 2 + RTTn / 2) - RTTo */
} TfrcHandoverMode;

/** The phase of an adaptation */
typedef enum
{
  TFRC_HANDOVER_NORMAL,   /**< no adaptation; the paper's state 0 */
  TFRC_HANDOVER_STARTED,  /**< the program has started a handover, no packet has come since */
  TFRC_HANDOVER_OLD_LINK, /**< state 1: packets arrive over the old link */
  TFRC_HANDOVER_NEW_LINK, /**< state 2: packets arrive over the new link, its R is not known */
  TFRC_HANDOVER_ECHO /**< state 3: R and p are those of the new link, the sender does not know */
} TfrcHandoverPhase;

/** A change of the link over which data comes.  Set it to zero before you fill it. */
typedef struct
{
  uint8_t link;         /**< as in TfrcData; another link than before */
  bool suppress_echo;   /**< the sender is not to mark packets; the adaptation then ends by time */
  double bandwidth_Bps; /**< of the new link, if it is known beforehand, at most 125e9; 0: unknown,
                           the rate stays */
} TfrcHandover;

TFRC_END_DECLS
#endif
