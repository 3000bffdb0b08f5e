/* The pipeline that turns a replay into packets and gives them to a sink when
 * they are due. */
#ifndef VOD_REPLAY_PLAYER_H
#define VOD_REPLAY_PLAYER_H

#include <gst/gst.h>

#include "../meter/meterlog.h"
#include "packetlog.h"
#include "replay.h"
#include "target.h"

typedef struct _Player Player;

/** `replay' and `log' (or NULL) have to live longer. */
Player *player_new (Replay *replay, const Target *target, gboolean burst, guint64 seed,
    PacketLog *log, GError **error);

/** While it runs, what elements tell in their "stats" goes to the log every so
 * many ms, and once more at the end.  `log' has to live longer. */
void player_log_stats (Player *player, MeterLog *log, guint interval_ms);

/** Returns at the end of the replay, with FALSE after an error. */
gboolean player_run (Player *player, GError **error);

/** Ends the replay: what has been made is still sent.  May be called from any
 * thread or from sources of the default main context. */
void player_stop (Player *player);

/** Ends without waiting for anything; from the default main context. */
void player_abort (Player *player);

void player_free (Player *player);

#endif
