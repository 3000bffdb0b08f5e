#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# clang refuses code that uses data without locking the mutex of gst/common/threads.h that protects
# them: in an example, and in the streams and the packet pool.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
have clang || skip "no clang"
read -r -a flags <<<"$(pkg-config --cflags glib-2.0)"

cat >"$SCRATCH/right.c" <<'C'
#include "gst/common/threads.h"

GST_TFRC_DECLARE_MUTEX (ExampleMutex, example_mutex)

typedef struct
{
  ExampleMutex lock;
  GCond changed;
  guint count GST_TFRC_GUARDED_BY (example_mutex);
} Example;

static void
add (Example *self) GST_TFRC_REQUIRES (example_mutex)
{
  self->count++;
}

static void
pause_for_callback (Example *self) GST_TFRC_RELEASE (example_mutex)
{
  example_mutex_unlock (&self->lock);
}

static void
go_on (Example *self) GST_TFRC_ACQUIRE (example_mutex)
{
  example_mutex_lock (&self->lock);
}

void use (Example *self, void (*callback) (void)) GST_TFRC_EXCLUDES (example_mutex);

void
use (Example *self, void (*callback) (void))
{
  example_mutex_lock (&self->lock); // lock
  add (self);
  example_mutex_wait (&self->lock, &self->changed);
  pause_for_callback (self);
  callback ();
  go_on (self); // go on
  add (self);
  example_mutex_unlock (&self->lock); // unlock
}
C

# compiles FILE
compiles() {
  clang -std=gnu99 -fsyntax-only -Wthread-safety -Werror -I"$ROOT" "${flags[@]}" "$1" 2>"$SCRATCH/said"
}

compiles "$SCRATCH/right.c" || fail "correct code is refused: $(cat "$SCRATCH/said")"

# refuses WHAT MARK MESSAGE: clang refuses the example without the line that has the mark
refuses() {
  grep -v "// $2\$" "$SCRATCH/right.c" >"$SCRATCH/wrong.c"
  ! cmp -s "$SCRATCH/right.c" "$SCRATCH/wrong.c" || fail "$1: no line was left out"
  ! compiles "$SCRATCH/wrong.c" || fail "$1 is not found"
  contains "$SCRATCH/said" "$3"
}
refuses "a missing lock" 'lock' "requires holding mutex 'example_mutex_held'"
refuses "a missing unlock" 'unlock' "mutex 'example_mutex_held' is still held at the end of function"
refuses "a missing lock after a callback" 'go on' "requires holding mutex 'example_mutex_held'"

pkg-config --exists gstreamer-base-1.0 gio-2.0 || skip "no GStreamer to compile the streams with"
read -r -a flags <<<"$(pkg-config --cflags gstreamer-base-1.0 gio-2.0)"
flags+=(-I"$ROOT/gst/stream" -I"$ROOT/gst/port" -I"$ROOT/gst/queue" -I"$ROOT/lib/include" -D_GNU_SOURCE)
# The headers of GStreamer are most of the work, and the same each time.
printf '#include <%s>\n' gio/gio.h gst/gst.h gst/base/base.h >"$SCRATCH/gstreamer.h"
clang -std=gnu99 -x c-header "${flags[@]}" -I"$ROOT" -o "$SCRATCH/gstreamer.pch" "$SCRATCH/gstreamer.h"
flags+=(-include-pch "$SCRATCH/gstreamer.pch")

# refuses_without_call FILE CALL MESSAGE: for each line of the file that makes the call, clang refuses
# the file without the line
refuses_without_call() {
  local lines line
  compiles "$ROOT/gst/$1" || fail "$1 is refused: $(cat "$SCRATCH/said")"
  lines=$(grep -n "^ *$2 (" "$ROOT/gst/$1" | cut -d: -f1)
  [ -n "$lines" ] || fail "$1 does not call $2()"
  for line in $lines; do
    sed "${line}d" "$ROOT/gst/$1" >"$SCRATCH/wrong.c"
    ! compiles "$SCRATCH/wrong.c" || fail "$1 without line $line, $2(), is not refused"
    contains "$SCRATCH/said" "$3"
  done
}
for call in lock unlock; do
  refuses_without_call port/port.c "gst_tfrc_port_mutex_$call" "mutex 'gst_tfrc_port_mutex_held'"
  refuses_without_call stream/srcstream.c "gst_tfrc_port_$call" "mutex 'gst_tfrc_port_mutex_held'"
  refuses_without_call queue/packet.c "gst_tfrc_packet_pool_mutex_$call" "mutex 'gst_tfrc_packet_pool_mutex_held'"
done
# clang does not look into a function that tries to lock: here that is the one that locks.
refuses_without_call stream/sinkstream.c gst_tfrc_port_unlock "mutex 'gst_tfrc_port_mutex_held'"
