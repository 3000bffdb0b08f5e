/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mutexes whose use clang checks when it compiles (-Wthread-safety); gcc sees plain GMutexes.
 *
 * A macro declares one type of mutex for each kind of lock, with functions to lock and to unlock
 * it.  Fields and functions then name the lock that they need:
 *
 *     GST_TFRC_DECLARE_MUTEX (GstTfrcExampleMutex, gst_tfrc_example_mutex)
 *
 *     typedef struct
 *     {
 *       GstTfrcExampleMutex lock;
 *       guint count GST_TFRC_GUARDED_BY (gst_tfrc_example_mutex);
 *     } Example;
 *
 *     static void add (Example *self) GST_TFRC_REQUIRES (gst_tfrc_example_mutex);
 *
 * The limits of the check:
 * - In C, clang 14 knows no name of another member inside a struct.  Therefore a capability stands
 *   for all mutexes of one type: to lock one object and to use another is not found.
 * - Attributes belong to functions, not to the types of pointers to functions.  A callback is not
 *   checked where it is called.  Therefore functions with GST_TFRC_RELEASE and GST_TFRC_ACQUIRE
 *   stand round each call of a callback, and each access after it without the lock is found.
 * - GStreamer's own locks, as the object's, are not part of it. */
#ifndef GST_TFRC_THREADS_H
#define GST_TFRC_THREADS_H

#include <glib.h>

G_BEGIN_DECLS

#if defined(__clang__)
#define GST_TFRC_ATTRIBUTE(attribute) __attribute__ ((attribute))
#else
#define GST_TFRC_ATTRIBUTE(attribute)
#endif

/** The capability of holding the mutexes of one type.  Only named in attributes, never defined. */
typedef struct GST_TFRC_ATTRIBUTE (capability ("mutex")) _GstTfrcCapability
{
  gchar unused;
} GstTfrcCapability;

/** Of a field or a variable: is read and written with the mutex held only. */
#define GST_TFRC_GUARDED_BY(mutex) GST_TFRC_ATTRIBUTE (guarded_by (mutex##_held))

/** Of a function: called with the mutex held; called without it; returns with it held; returns TRUE
 * with it held, or FALSE; is called with it held and releases it. */
#define GST_TFRC_REQUIRES(mutex) GST_TFRC_ATTRIBUTE (requires_capability (mutex##_held))
#define GST_TFRC_EXCLUDES(mutex) GST_TFRC_ATTRIBUTE (locks_excluded (mutex##_held))
#define GST_TFRC_ACQUIRE(mutex) GST_TFRC_ATTRIBUTE (acquire_capability (mutex##_held))
#define GST_TFRC_TRY_ACQUIRE(mutex) GST_TFRC_ATTRIBUTE (try_acquire_capability (1, mutex##_held))
#define GST_TFRC_RELEASE(mutex) GST_TFRC_ATTRIBUTE (release_capability (mutex##_held))

/** Of a function: clang believes that the mutex is held after the call. */
#define GST_TFRC_ASSUMES(mutex) GST_TFRC_ATTRIBUTE (assert_capability (mutex##_held))

/** Of a function: clang does not look into it. */
#define GST_TFRC_UNCHECKED GST_TFRC_ATTRIBUTE (no_thread_safety_analysis)

/** Declares a type of mutex and the functions of it:
 * - NAME_init(), NAME_clear()
 * - NAME_lock(), NAME_trylock(), NAME_unlock()
 * - NAME_wait(), NAME_wait_until(): as g_cond_wait(), g_cond_wait_until()
 * - NAME_assume(): no other thread can reach what the mutex guards, before it is shared or after
 *   the last user has gone; the mutex is not locked */
#define GST_TFRC_DECLARE_MUTEX(Type, name) \
  typedef struct \
  { \
    GMutex mutex; \
  } Type; \
  extern GstTfrcCapability name##_held; \
  G_GNUC_UNUSED static inline void name##_init (Type *self) \
  { \
    g_mutex_init (&self->mutex); \
  } \
  G_GNUC_UNUSED static inline void name##_clear (Type *self) \
  { \
    g_mutex_clear (&self->mutex); \
  } \
  G_GNUC_UNUSED static inline void name##_lock (Type *self) GST_TFRC_ACQUIRE (name) \
      GST_TFRC_UNCHECKED \
  { \
    g_mutex_lock (&self->mutex); \
  } \
  G_GNUC_UNUSED static inline gboolean name##_trylock (Type *self) GST_TFRC_TRY_ACQUIRE (name) \
      GST_TFRC_UNCHECKED \
  { \
    return g_mutex_trylock (&self->mutex); \
  } \
  G_GNUC_UNUSED static inline void name##_unlock (Type *self) GST_TFRC_RELEASE (name) \
      GST_TFRC_UNCHECKED \
  { \
    g_mutex_unlock (&self->mutex); \
  } \
  G_GNUC_UNUSED static inline void name##_wait (Type *self, GCond *cond) GST_TFRC_REQUIRES (name) \
  { \
    g_cond_wait (cond, &self->mutex); \
  } \
  G_GNUC_UNUSED static inline gboolean name##_wait_until ( \
      Type *self, GCond *cond, gint64 end_time) GST_TFRC_REQUIRES (name) \
  { \
    return g_cond_wait_until (cond, &self->mutex, end_time); \
  } \
  G_GNUC_UNUSED static inline void name##_assume (Type *self) GST_TFRC_ASSUMES (name) \
      GST_TFRC_UNCHECKED \
  { \
    (void) self; \
  }

G_END_DECLS
#endif
