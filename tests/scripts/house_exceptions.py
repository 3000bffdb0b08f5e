# SPDX-License-Identifier: LGPL-2.1-or-later
"""What breaks the rules of house.py and is to be repaired. A list may only shrink: house.py fails if
an entry is not needed any more."""

# (file, file that it may use all the same)
UPWARDS = set()

# Units that include each other
CIRCLES = []

# Sources that call each other
CALL_CIRCLES = [
    {"gst/io/looplife.c", "gst/io/loopserve.c"},
    {"gst/security/srtp.c", "gst/security/srtpreceive.c"},
    {"gst/session/sinkinput.c", "gst/session/sinkoutput.c", "gst/session/sinkprotection.c", "gst/session/sinkrtcp.c",
     "gst/session/sinkstream.c"},
    {"gst/session/sinkpeer.c", "gst/session/sinkrtp.c", "gst/session/sinksession.c"},
    {"gst/tfrcsink/gsttfrcsink.c", "gst/tfrcsink/gsttfrcsinkevents.c", "gst/tfrcsink/gsttfrcsinkinput.c",
     "gst/tfrcsink/gsttfrcsinkproperties.c", "gst/tfrcsink/gsttfrcsinkstart.c"},
    {"gst/tfrcsrc/gsttfrcsrc.c", "gst/tfrcsrc/gsttfrcsrccreate.c", "gst/tfrcsrc/gsttfrcsrchandover.c",
     "gst/tfrcsrc/gsttfrcsrcproperties.c"},
    {"lib/tfrc/receiver.c", "lib/tfrc/receiver_classification.c"},
]

# Units with more than LONGEST lines
LONG_UNITS = {"gst/port/port", "gst/session/sinksession", "gst/session/sinkstream"}

# Objects: the sources that use their fields
CROWDED = {
    "GstTfrcAdaptiveTtl": {"gst/flow/adaptivettl.c", "gst/session/sinkecn.c", "gst/session/sinkpeer.c", "gst/session/sinksession.c",
         "gst/session/sinkttl.c"},
    "GstTfrcClockMap": {"gst/common/clock.c", "gst/io/datagramreceive.c", "gst/session/sinkreports.c"},
    "GstTfrcCredentials": {"gst/security/credentials.c", "gst/security/mikeyoffer.c", "gst/security/mikeypsk.c", "gst/security/mikeyreverse.c",
         "gst/security/mikeyrsa.c", "gst/security/mikeyseal.c"},
    "GstTfrcDeadlineNode": {"gst/io/deadlinequeue.c", "gst/io/loopserve.c", "gst/port/port.c"},
    "GstTfrcDemux": {"gst/io/demux.c", "gst/port/port.c", "gst/session/srcstream.c"},
    "GstTfrcHandoverLog": {"gst/flow/handoverlog.c", "gst/flow/reception.c", "gst/session/sinksession.c"},
    "GstTfrcHistogram": {"gst/common/histogram.c", "gst/common/messages.c", "gst/session/sinkannounce.c"},
    "GstTfrcIo": {"gst/io/loop.c", "gst/io/loops.c", "gst/io/loopserve.c"},
    "GstTfrcIoLoop": {"gst/io/loop.c", "gst/io/looplife.c", "gst/io/loops.c", "gst/io/loopserve.c"},
    "GstTfrcMikeyWriter": {"gst/security/mikeyexchange.c", "gst/security/mikeyseal.c", "gst/security/mikeywrite.c"},
    "GstTfrcPacket": {"gst/queue/lookahead.c", "gst/queue/packet.c", "gst/queue/sendqueue.c", "gst/session/sinkdata.c",
         "gst/session/sinkecn.c", "gst/session/sinkinput.c", "gst/session/sinkoutput.c", "gst/tfrcsink/tspacketizer.c"},
    "GstTfrcRateControl": {"gst/flow/ratecontrol.c", "gst/session/sinkrtp.c", "gst/session/sinksession.c"},
    "GstTfrcSendPaths": {"gst/flow/sendpaths.c", "gst/session/sinkpeer.c", "gst/session/sinkrtp.c", "gst/session/sinksession.c",
         "gst/session/sinkttl.c"},
    "GstTfrcSendQueue": {"gst/queue/sendqueue.c", "gst/session/sinkannounce.c", "gst/session/sinkinput.c", "gst/session/sinkoutput.c",
         "gst/session/sinkqueries.c", "gst/session/sinkstream.c"},
    "GstTfrcSink": {"gst/tfrcsink/gsttfrcsink.c", "gst/tfrcsink/gsttfrcsinkevents.c", "gst/tfrcsink/gsttfrcsinkinput.c",
         "gst/tfrcsink/gsttfrcsinkproperties.c", "gst/tfrcsink/gsttfrcsinkstart.c", "gst/tfrcsink/gsttfrcsinkstats.c",
         "gst/tfrcsink/gsttfrcsinktime.c"},
    "GstTfrcSinkSession": {"gst/session/sinkdata.c", "gst/session/sinkecn.c", "gst/session/sinkpeer.c", "gst/session/sinkreports.c",
         "gst/session/sinkrtp.c", "gst/session/sinksession.c", "gst/session/sinkttl.c"},
    "GstTfrcSinkStream": {"gst/session/sinkannounce.c", "gst/session/sinkinput.c", "gst/session/sinkoutput.c", "gst/session/sinkprotection.c",
         "gst/session/sinkqueries.c", "gst/session/sinkrtcp.c", "gst/session/sinkstream.c"},
    "GstTfrcSrc": {"gst/tfrcsrc/gsttfrcsrc.c", "gst/tfrcsrc/gsttfrcsrccreate.c", "gst/tfrcsrc/gsttfrcsrchandover.c",
         "gst/tfrcsrc/gsttfrcsrcproperties.c", "gst/tfrcsrc/gsttfrcsrcstats.c"},
    "GstTfrcSrcEndpoints": {"gst/session/srcendpoints.c", "gst/session/srcloop.c", "gst/session/srcmigration.c", "gst/session/srcstream.c"},
    "GstTfrcSrcKeyedStream": {"gst/session/srcexchange.c", "gst/session/srckeys.c", "gst/session/srcunprotect.c"},
    "GstTfrcSrcKeys": {"gst/session/srcexchange.c", "gst/session/srckeys.c", "gst/session/srcunprotect.c"},
    "GstTfrcSrcStream": {"gst/session/srcloop.c", "gst/session/srcmigration.c", "gst/session/srcpull.c", "gst/session/srcreceive.c",
         "gst/session/srcsend.c", "gst/session/srcstream.c"},
    "GstTfrcSrtp": {"gst/security/srtp.c", "gst/security/srtpreceive.c", "gst/security/srtpsend.c"},
    "GstTfrcSrtpGeneration": {"gst/security/srtp.c", "gst/security/srtpreceive.c", "gst/security/srtpsend.c"},
    "TfrcFeedbackRecord": {"lib/tfrc/feedback_record.c", "lib/tfrc/report_pace.c", "lib/tfrc/reports.c", "lib/tfrc/sender.c",
         "lib/tfrc/sender_feedback.c"},
    "TfrcLossDetection": {"lib/tfrc/loss_detection.c", "lib/tfrc/receiver.c", "lib/tfrc/receiver_classification.c"},
    "TfrcLossHistory": {"lib/tfrc/loss_detection.c", "lib/tfrc/loss_history.c", "lib/tfrc/receiver.c"},
    "TfrcLossIntervals": {"lib/tfrc/loss_detection.c", "lib/tfrc/loss_history.c", "lib/tfrc/loss_intervals.c", "lib/tfrc/receiver.c",
         "lib/tfrc/report_losses.c"},
    "TfrcReceiveRate": {"lib/tfrc/receive_rate.c", "lib/tfrc/receiver.c", "lib/tfrc/receiver_data.c"},
    "TfrcReceiver": {"lib/tfrc/receiver.c", "lib/tfrc/receiver_classification.c", "lib/tfrc/receiver_data.c"},
    "TfrcReceiverHandover": {"lib/tfrc/receiver.c", "lib/tfrc/receiver_data.c", "lib/tfrc/receiver_handover.c"},
    "TfrcRtt": {"lib/tfrc/allowed_rate.c", "lib/tfrc/reports.c", "lib/tfrc/rtt.c", "lib/tfrc/sender.c", "lib/tfrc/sender_feedback.c"},
    "TfrcSender": {"lib/tfrc/allowed_rate.c", "lib/tfrc/loss_response.c", "lib/tfrc/nofeedback_timer.c", "lib/tfrc/report_pace.c",
         "lib/tfrc/reports.c", "lib/tfrc/sender.c", "lib/tfrc/sender_feedback.c"},
    "TfrcSenderHandover": {"lib/tfrc/loss_response.c", "lib/tfrc/sender.c", "lib/tfrc/sender_feedback.c", "lib/tfrc/sender_handover.c"},
    "TfrcSeqTracker": {"lib/tfrc/receiver.c", "lib/tfrc/receiver_data.c", "lib/tfrc/seqnum.c"},
}
