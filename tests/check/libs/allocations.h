/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts allocations. A test that includes this file is linked with -Wl,--wrap=malloc and the like.
 * So only the calls of the code under test are counted, not those of shared libraries. */
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stddef.h>

void *__real_malloc (size_t size);
void *__real_calloc (size_t n, size_t size);
void *__real_realloc (void *memory, size_t size);
#pragma GCC visibility push(default) /* GNU ld takes calls of shared libraries for these, too */
void *__wrap_malloc (size_t size);
void *__wrap_calloc (size_t n, size_t size);
void *__wrap_realloc (void *memory, size_t size);
#pragma GCC visibility pop

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
