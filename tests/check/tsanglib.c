/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells ThreadSanitizer about GLib's locks and GStreamer's pools of buffers, which are made of atomic
 * operations in libraries that it does not instrument.  Linked into a test it stands before the
 * functions of these libraries; without ThreadSanitizer it is empty. */
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include <gst/gst.h>

#if defined(__SANITIZE_THREAD__)
#define WITH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WITH_TSAN 1
#endif
#endif

#ifdef WITH_TSAN
#include <dlfcn.h>

/* From <sanitizer/tsan_interface.h>, which not every compiler brings. */
void __tsan_acquire (void *addr);
void __tsan_release (void *addr);
void __tsan_mutex_destroy (void *addr, unsigned flags);
void __tsan_mutex_pre_lock (void *addr, unsigned flags);
void __tsan_mutex_post_lock (void *addr, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock (void *addr, unsigned flags);
void __tsan_mutex_post_unlock (void *addr, unsigned flags);

#define REENTRANT (1 << 1)
#define READ_LOCK (1 << 3)
#define TRY_LOCK (1 << 4)
#define TRY_LOCK_FAILED (1 << 5)

#define EXPORT __attribute__ ((visibility ("default")))

/* Calls GLib's own function of the same name. */
#define REAL(name) ((__typeof__ (&name)) real (#name))

static gpointer
real (const gchar *name)
{
  return dlsym (RTLD_NEXT, name);
}

#define DEFINE_LOCK(name, Type, flags) \
  EXPORT void name (Type *lock) \
  { \
    __tsan_mutex_pre_lock (lock, flags); \
    REAL (name) (lock); \
    __tsan_mutex_post_lock (lock, flags, 0); \
  }

#define DEFINE_TRYLOCK(name, Type, flags) \
  EXPORT gboolean name (Type *lock) \
  { \
    gboolean locked; \
    __tsan_mutex_pre_lock (lock, (flags) | TRY_LOCK); \
    locked = REAL (name) (lock); \
    __tsan_mutex_post_lock (lock, (flags) | TRY_LOCK | (locked ? 0 : TRY_LOCK_FAILED), 0); \
    return locked; \
  }

#define DEFINE_UNLOCK(name, Type, flags) \
  EXPORT void name (Type *lock) \
  { \
    __tsan_mutex_pre_unlock (lock, flags); \
    REAL (name) (lock); \
    __tsan_mutex_post_unlock (lock, flags); \
  }

#define DEFINE_CLEAR(name, Type) \
  EXPORT void name (Type *lock) \
  { \
    __tsan_mutex_destroy (lock, 0); \
    REAL (name) (lock); \
  }

/* *INDENT-OFF* */
DEFINE_LOCK (g_mutex_lock, GMutex, 0)
DEFINE_TRYLOCK (g_mutex_trylock, GMutex, 0)
DEFINE_UNLOCK (g_mutex_unlock, GMutex, 0)
DEFINE_CLEAR (g_mutex_clear, GMutex)
DEFINE_LOCK (g_rec_mutex_lock, GRecMutex, REENTRANT)
DEFINE_TRYLOCK (g_rec_mutex_trylock, GRecMutex, REENTRANT)
DEFINE_UNLOCK (g_rec_mutex_unlock, GRecMutex, REENTRANT)
DEFINE_CLEAR (g_rec_mutex_clear, GRecMutex)
DEFINE_LOCK (g_rw_lock_writer_lock, GRWLock, 0)
DEFINE_TRYLOCK (g_rw_lock_writer_trylock, GRWLock, 0)
DEFINE_UNLOCK (g_rw_lock_writer_unlock, GRWLock, 0)
DEFINE_LOCK (g_rw_lock_reader_lock, GRWLock, READ_LOCK)
DEFINE_TRYLOCK (g_rw_lock_reader_trylock, GRWLock, READ_LOCK)
DEFINE_UNLOCK (g_rw_lock_reader_unlock, GRWLock, READ_LOCK)
DEFINE_CLEAR (g_rw_lock_clear, GRWLock)
/* *INDENT-ON* */

/* Waiting on a condition unlocks and locks the mutex inside GLib. */
EXPORT void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  __tsan_mutex_pre_unlock (mutex, 0);
  __tsan_mutex_post_unlock (mutex, 0);
  REAL (g_cond_wait) (cond, mutex);
  __tsan_mutex_pre_lock (mutex, 0);
  __tsan_mutex_post_lock (mutex, 0, 0);
}

EXPORT gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  gboolean signalled;

  __tsan_mutex_pre_unlock (mutex, 0);
  __tsan_mutex_post_unlock (mutex, 0);
  signalled = REAL (g_cond_wait_until) (cond, mutex, end_time);
  __tsan_mutex_pre_lock (mutex, 0);
  __tsan_mutex_post_lock (mutex, 0, 0);
  return signalled;
}

/* Whoever drops the last reference comes after all who dropped one before. */
EXPORT void (g_object_unref) (gpointer object)
{
  __tsan_acquire (object);
  __tsan_release (object);
  REAL (g_object_unref) (object);
}

EXPORT void
gst_mini_object_unref (GstMiniObject *object)
{
  __tsan_acquire (object);
  __tsan_release (object);
  REAL (gst_mini_object_unref) (object);
}

/* Who takes a buffer out of a pool comes after who has given the buffer back. */
EXPORT GstFlowReturn
gst_buffer_pool_acquire_buffer (
    GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *params)
{
  GstFlowReturn result = REAL (gst_buffer_pool_acquire_buffer) (pool, buffer, params);

  if (result == GST_FLOW_OK)
    __tsan_acquire (*buffer);
  return result;
}
#endif
