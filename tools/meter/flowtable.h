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
  uint64_t packets; /* in the interval that is being counted */
  uint64_t ip_bytes;
  uint64_t payload_bytes;
} FlowCount;

typedef struct
{
  FlowCount *flows; /* every one that has been seen */
  size_t n_flows;
  size_t last;          /* where the latest packet belonged */
  uint64_t interval_ns; /* start of the interval */
} FlowTable;

/** Counts a packet, after writing to @a log the intervals that ended before it.
 * False: there is no memory for another flow. */
bool flow_table_add (
    FlowTable *table, MeterLog *log, uint64_t time_ns, bool outgoing, const WirePacket *packet);

/** Writes the interval that is being counted, and forgets all flows. */
void flow_table_finish (FlowTable *table, MeterLog *log);

#endif
