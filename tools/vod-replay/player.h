/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pipeline that turns a replay into packets and gives them to a sink when they are due */
#ifndef VOD_REPLAY_PLAYER_H
#define VOD_REPLAY_PLAYER_H

#include <gst/gst.h>

#include "../meter/meterlog.h"
#include "framelog.h"
#include "packetlog.h"
#include "replay.h"
#include "target.h"

typedef struct _Player Player;

/** `replay', `log', which may be NULL, and `frames' have to outlive the player. */
Player *player_new (Replay *replay, const Target *target, gboolean burst, guint64 seed,
    PacketLog *log, FrameLog *frames, GError **error);

/** During the run, writes the "stats" of the elements to `log' every interval_ms, and once more
 * at the end.  `log' has to outlive the player. */
void player_log_stats (Player *player, MeterLog *log, guint interval_ms);

/** Returns at the end of the replay; FALSE after an error. */
gboolean player_run (Player *player, GError **error);

/** Ends the replay; packets already made are still sent.  May be called from any thread and from
 * sources of the default main context. */
void player_stop (Player *player);

/** Ends at once, without sending the remaining packets.  Call from the default main context. */
void player_abort (Player *player);

void player_free (Player *player);

#endif
