/* Counts allocations.  A test that includes this is linked with
 * -Wl,--wrap=malloc and the like, so that calls of the code under test come
 * here; those of shared libraries do not. */
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stddef.h>

void *__real_malloc (size_t size);
void *__real_calloc (size_t n, size_t size);
void *__real_realloc (void *memory, size_t size);
void *__wrap_malloc (size_t size);
void *__wrap_calloc (size_t n, size_t size);
void *__wrap_realloc (void *memory, size_t size);

static unsigned allocations;

void *
__wrap_malloc (size_t size)
{
  allocations++;
  return __real_malloc (size);
}

void *
__wrap_calloc (size_t n, size_t size)
{
  allocations++;
  return __real_calloc (n, size);
}

void *
__wrap_realloc (void *memory, size_t size)
{
  allocations++;
  return __real_realloc (memory, size);
}

#endif
