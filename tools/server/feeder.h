/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A movie as the beginning of a pipeline: one transport stream, or several renditions of one movie,
 * of which each segment comes from the one that the session carries (ladder.h).  Renditions begin
 * their segments at the same times and have the same streams in the same PIDs.
 *
 * A segment is chosen when the pipeline has taken the one before.  How long before it is sent that
 * is depends on what the pipeline holds: the caller bounds tfrcsink's queue. */
#ifndef SERVER_FEEDER_H
#define SERVER_FEEDER_H

#include <gst/gst.h>

#include "growing.h"
#include "ladder.h"

G_BEGIN_DECLS

typedef struct
{
  int fd;              /**< of a transport stream, or of a folder with its segments; duplicated */
  guint rendition;     /**< the caller's name for it, as the lines of a picture: 1080 */
  gchar **segments;    /**< names in the folder (names.h); NULL: there is one file */
  Growing *growing;    /**< what is played instead: gets a reference; NULL: nothing */
  guint64 duration_ns; /**< 0: the times in the file tell */
} FeederFile;

typedef struct
{
  guint rendition; /**< of the present segment */
  guint switches;  /**< changes of the rendition so far */
  guint64
      start_ns; /**< where in the movie it has gone on after the last feeder_seek(): 0 without one */
  gboolean is_seeking; /**< start_ns is what was asked for: the point is being looked for */
  guint64 duration_ns; /**< of the movie; 0: not known (yet) */
} FeederStatus;

/** Asked before each segment if there are several renditions, on the streaming thread, without a
 * lock.
 *
 * @param bps mean bit rate of the present rendition, bit/s
 * @param session to be filled in */
typedef void (*FeederSense) (gpointer user, gdouble bps, LadderSession *session);

typedef struct _Feeder Feeder;

/** Reads the beginning of the files, and makes the source.  A rendition whose bit rate cannot be told is left out with a
 * warning, and so is one whose streams are not those of the first of the others.
 *
 * @param n from 1 to LADDER_MOST_RENDITIONS
 * @return NULL with @a error set (G_FILE_ERROR, GST_CORE_ERROR) if a file cannot be read, or if
 *   there is no appsrc.  Free the object with feeder_free(). */
Feeder *feeder_new (
    const FeederFile *files, guint n, FeederSense sense, gpointer user, GError **error);

/** Frees the object, when its source is in no pipeline that runs. */
void feeder_free (Feeder *feeder);

/** Ends the source's wait for a file that grows, so that the pipeline can be stopped.  Any thread. */
void feeder_stop (Feeder *feeder);

/** Returns the source (appsrc), which stays the object's: bytes of a transport stream, without
 * times.  Any thread. */
GstElement *feeder_get_source (Feeder *feeder);

/** Goes to the random access point at or before a time: from there on the movie goes on with the
 * next buffer.  In a pipeline that runs the caller flushes, so that what is under way goes as well.
 * Any thread.
 *
 * @param time_ns from the beginning of the movie; behind its end: the last such point */
void feeder_seek (Feeder *feeder, guint64 time_ns);

/** Any thread */
void feeder_get_status (Feeder *feeder, FeederStatus *status);

G_END_DECLS
#endif
