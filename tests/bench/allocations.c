/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts allocations of the process that loads this library with LD_PRELOAD.  The program finds the
 * count with dlsym(): bench_allocations.
 *
 * glibc exports its allocator under these second names. */
#include <stddef.h>
#include <stdint.h>

void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *memory, size_t size);
void *__libc_memalign (size_t alignment, size_t size);

#define EXPORT __attribute__ ((visibility ("default")))

uint64_t bench_allocations (void) EXPORT;
void *malloc (size_t size) EXPORT;
void *calloc (size_t n, size_t size) EXPORT;
void *realloc (void *memory, size_t size) EXPORT;
void *aligned_alloc (size_t alignment, size_t size) EXPORT;
void *memalign (size_t alignment, size_t size) EXPORT;
int posix_memalign (void **memory, size_t alignment, size_t size) EXPORT;

#define NO_MEMORY 12 /* ENOMEM */

static uint64_t count;

static void
add_one (void)
{
  __atomic_add_fetch (&count, 1, __ATOMIC_RELAXED);
}

uint64_t
bench_allocations (void)
{
  return __atomic_load_n (&count, __ATOMIC_RELAXED);
}

void *
malloc (size_t size)
{
  add_one ();
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  add_one ();
  return __libc_calloc (n, size);
}

void *
realloc (void *memory, size_t size)
{
  add_one ();
  return __libc_realloc (memory, size);
}

void *
aligned_alloc (size_t alignment, size_t size)
{
  add_one ();
  return __libc_memalign (alignment, size);
}

void *
memalign (size_t alignment, size_t size)
{
  add_one ();
  return __libc_memalign (alignment, size);
}

int
posix_memalign (void **memory, size_t alignment, size_t size)
{
  add_one ();
  *memory = __libc_memalign (alignment, size);
  return *memory != NULL ? 0 : NO_MEMORY;
}
