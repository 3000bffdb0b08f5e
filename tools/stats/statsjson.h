/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The statistics of an element as JSON */
#ifndef STATS_STATSJSON_H
#define STATS_STATSJSON_H

#include <gst/gst.h>
#include <json-glib/json-glib.h>

/** Returns an object with a member for each field.  A number that JSON does not have, such as
 * infinity, is null; a type that JSON does not have is a string.
 *
 * @return the object, which the caller frees with json_node_unref() */
JsonNode *stats_json_node (const GstStructure *stats);

#endif
