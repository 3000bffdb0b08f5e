/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets and bytes of every flow in intervals of 100 ms, as CSV. */
#ifndef METER_FLOWTABLE_H
#define METER_FLOWTABLE_H

#include "meterlog.h"
#include "wirepacket.h"

#define FLOW_INTERVAL_NS 100000000u
#define FLOW_LOG_HEADER \
  "time_ns,direction,proto,source,sport,destination," \
  "dport,packets,ip_bytes,payload_bytes"

typedef struct
{
  WireFlow flow;
  bool outgoing;
  uint64_t packets; /* in the current interval */
  uint64_t ip_bytes;
  uint64_t payload_bytes;
} FlowCount;

typedef struct
{
  FlowCount *flows; /* all flows seen so far */
  size_t n_flows;
  size_t last;          /* index of the latest packet's flow */
  uint64_t interval_ns; /* start of the current interval */
} FlowTable;

/** Counts a packet.  Before that, writes the intervals that have ended to @a log.  Returns false
 * if there is no memory for another flow. */
bool flow_table_add (
    FlowTable *table, MeterLog *log, uint64_t time_ns, bool outgoing, const WirePacket *packet);

/** Writes the current interval and removes all flows. */
void flow_table_finish (FlowTable *table, MeterLog *log);

#endif
