/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver's distinction of link errors from congestion. loss_classifier.h has the judgement. */
#ifndef TFRC_RECEIVER_CLASSIFICATION_H
#define TFRC_RECEIVER_CLASSIFICATION_H

#include "receiver_state.h"

/* Tells losses apart from now on, if the configuration asks for that.  Returns false without
 * memory. */
bool tfrc_receiver_classify (TfrcReceiver *receiver);

/* A packet has arrived above all others; to be called before the loss detection handles it.
 * kind: as the packet's number was classified. believed: its send time is used */
void tfrc_receiver_measure_delay (TfrcReceiver *receiver, const TfrcData *data, TfrcSeqKind kind,
    bool believed, uint64_t arrival_ns);

/* The loss event rate without link errors as it is now, 0..1; p without a classifier */
double tfrc_receiver_congestion_p (const TfrcReceiver *receiver);

/* Fills in the fields of feedback about link errors. */
void tfrc_receiver_fill_classification (const TfrcReceiver *receiver, TfrcFeedback *feedback);

#endif
