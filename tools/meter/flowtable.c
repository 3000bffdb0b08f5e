/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts of flows, see flowtable.h. */
#include "flowtable.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *
address_string (uint32_t address, char text[INET_ADDRSTRLEN])
{
  struct in_addr in = { .s_addr = htonl (address) };

  inet_ntop (AF_INET, &in, text, INET_ADDRSTRLEN);
  return text;
}

static void
write_interval (FlowTable *table, MeterLog *log)
{
  size_t i;

  for (i = 0; i < table->n_flows; i++) {
    FlowCount *count = &table->flows[i];
    char source[INET_ADDRSTRLEN], destination[INET_ADDRSTRLEN];

    if (count->packets == 0)
      continue;
    fprintf (log->file, "%" PRIu64 ",%s,%s,%s,%u,%s,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
        table->interval_ns, count->outgoing ? "out" : "in",
        wire_protocol_name (count->flow.protocol), address_string (count->flow.source, source),
        count->flow.sport, address_string (count->flow.destination, destination), count->flow.dport,
        count->packets, count->ip_bytes, count->payload_bytes);
    count->packets = count->ip_bytes = count->payload_bytes = 0;
  }
}

static bool
is_of (const FlowCount *count, bool outgoing, const WireFlow *flow)
{
  return count->flow.sport == flow->sport && count->flow.dport == flow->dport
      && count->outgoing == outgoing && count->flow.source == flow->source
      && count->flow.destination == flow->destination && count->flow.protocol == flow->protocol;
}

/* Searches from the last flow found: packets come in trains, and flows are few. */
static FlowCount *
find (FlowTable *table, bool outgoing, const WireFlow *flow)
{
  FlowCount *flows;
  size_t i;

  if (table->n_flows > 0 && is_of (&table->flows[table->last], outgoing, flow))
    return &table->flows[table->last];
  for (i = 0; i < table->n_flows; i++) {
    if (is_of (&table->flows[i], outgoing, flow)) {
      table->last = i;
      return &table->flows[i];
    }
  }
  flows = realloc (table->flows, (table->n_flows + 1) * sizeof *flows);
  if (flows == NULL)
    return NULL;
  table->flows = flows;
  table->last = table->n_flows++;
  memset (&flows[table->last], 0, sizeof *flows);
  flows[table->last].flow = *flow;
  flows[table->last].outgoing = outgoing;
  return &flows[table->last];
}

bool
flow_table_add (
    FlowTable *table, MeterLog *log, uint64_t time_ns, bool outgoing, const WirePacket *packet)
{
  FlowCount *count;

  /* Time stamps of two processors may be slightly out of order. */
  if (time_ns >= table->interval_ns + FLOW_INTERVAL_NS) {
    write_interval (table, log);
    table->interval_ns = time_ns - time_ns % FLOW_INTERVAL_NS;
  }
  count = find (table, outgoing, &packet->flow);
  if (count == NULL)
    return false;
  count->packets++;
  count->ip_bytes += packet->ip_bytes;
  count->payload_bytes += packet->payload_bytes;
  return true;
}

void
flow_table_finish (FlowTable *table, MeterLog *log)
{
  write_interval (table, log);
  free (table->flows);
  memset (table, 0, sizeof *table);
}
