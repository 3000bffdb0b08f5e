#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds the container images of Dockerfile and of examples/Containerfile.*, and runs each once.
#
# No registry is asked: debootstrap makes the image debian:12, and buildah the others, in a directory that is removed at the end (4 GB).
# In a network of their own the demo plays, and tfrc-recv plays a movie from the server that the director names. Only root can do
# this. Exit status: 77 buildah is missing, or cannot run here.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

# The script starts itself for each phase, with two arguments.
[[ "$#:${1:-}" =~ ^2:(build|try)$ ]] || at_most 0 "$@"
export BUILDAH_ISOLATION=chroot
scratch=${2:-}

# store COMMAND...: buildah with the images of this run
store() {
  TMPDIR=$scratch buildah --root "$scratch/store" --runroot "$scratch/run" "$@"
}

make_base() {
  local container
  debootstrap --variant=minbase bookworm "$scratch/base" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
  container=$(store from scratch)
  store copy --quiet "$container" "$scratch/base" /
  store commit --quiet --rm "$container" docker.io/library/debian:12
  rm -rf "$scratch/base"
}

# build NAME FILE CONTEXT: steps that images have in common are taken once.
build() {
  quietly "$scratch/$1.log" store build --layers --pull-never -f "$ROOT/$2" -t "$1" "$ROOT/$3"
  say "built: $1"
}

# run IMAGE [ARGUMENT...]: what a container of the image does, with the movies in /movies
run() {
  local image=$1 container command field=Cmd
  shift
  [ $# = 0 ] || field=Entrypoint
  container=$(store from --pull-never "localhost/$image")
  read -r -a command <<<"$(store inspect --format "{{range .OCIv1.Config.$field}}{{.}} {{end}}" "$container")"
  store run -v "$scratch/movies:/movies:ro" "$container" -- "${command[@]}" "$@"
}

ask() {
  curl --silent --fail --retry 60 --retry-delay 1 --retry-max-time 60 --retry-connrefused "http://127.0.0.1:$1"
}

try() {
  local address
  ip link set lo up
  quietly "$scratch/demo.log" run gst-tfrc
  grep '^TFRC .*pictures' "$scratch/demo.log" || die "the demo has no result: $(cat "$scratch/demo.log")"

  run tfrc-server /movies >"$scratch/server.log" 2>&1 &
  ask 8080/movies | grep -q movie.ts || die "the server has no movie: $(cat "$scratch/server.log")"
  run server-director http://127.0.0.1:8080 >"$scratch/director.log" 2>&1 &
  address=$(ask 8000/call/movie.ts) || die "the director does not answer: $(cat "$scratch/director.log")"
  store from --pull-never --name receiver localhost/tfrc-server
  # The server puts null packets before the last of the 100 packets.
  store run -v "$scratch/movies:/movies:ro" receiver -- \
    sh -c "tfrc-recv --timeout 20 '$address' /tmp/received.ts && cmp -n $((99 * 188)) /movies/movie.ts /tmp/received.ts"
  say "tried: the demo, and a movie from $address"
}

case ${1:-} in
  build)
    if ! store from scratch >"$scratch/log" 2>&1; then
      say "skipped: buildah cannot run here: $(tail -n 1 "$scratch/log")"
      exit 77
    fi
    quietly "$scratch/base.log" make_base
    build server-director examples/Containerfile.director examples
    build gst-tfrc Dockerfile .
    build tfrc-server examples/Containerfile.server .
    ;;
  try) try ;;
  *)
    if [ "$(id -u)" != 0 ] || ! unshare --mount --pid --net --fork true 2>/dev/null; then
      say "skipped: only root can make namespaces"
      exit 77
    fi
    "$ROOT/scripts/install-deps.sh" images
    scratch=$(mktemp -d -p /var/tmp)
    trap 'rm -rf "$scratch"' EXIT
    mkdir "$scratch/movies"
    "$PYTHON" "$ROOT/scripts/short-movie.py" >"$scratch/movies/movie.ts"
    # Processes and mounts of a phase end with it.
    unshare --mount --pid --fork --kill-child --mount-proc "$0" build "$scratch"
    unshare --mount --pid --net --fork --kill-child --mount-proc "$0" try "$scratch"
    ;;
esac
