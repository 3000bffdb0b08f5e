/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the receiver tells link errors from congestion.  loss_classifier.h has the judgement. */
#ifndef TFRC_RECEIVER_CLASSIFICATION_H
#define TFRC_RECEIVER_CLASSIFICATION_H

#include "loss_detection.h"

typedef struct TfrcReceiverClassification TfrcReceiverClassification;

/* Tells the losses of `loss' apart from now on; to be called before the first packet.  Returns NULL
 * without memory.  The caller frees the object with free(), not before `loss' is out of use.
 * classifier: not TFRC_LOSS_CLASSIFIER_NONE.  allowance: TfrcReceiverConfig.loss_allowance */
TfrcReceiverClassification *tfrc_receiver_classification_new (
    TfrcLossClassifier classifier, double allowance, TfrcLossDetection *loss);

/* A packet has arrived above all others; to be called before the loss detection handles it.
 * other_delay: the delays before are no measure for this one, because the sender has restarted or the
 * packet is the first over another link.  believed: the packet's send time is used */
void tfrc_receiver_classification_on_packet (TfrcReceiverClassification *classification,
    const TfrcData *data, bool other_delay, bool believed, uint64_t arrival_ns);

/* The loss event rate without link errors as it is now, 0..1 */
double tfrc_receiver_classification_p (
    const TfrcReceiverClassification *classification, uint64_t highest_seq);

/* The number of packets whose delays are comparable with that of the next one */
uint64_t tfrc_receiver_classification_delays (const TfrcReceiverClassification *classification);

#endif
