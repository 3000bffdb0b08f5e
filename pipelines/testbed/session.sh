#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs the jobs and events of a spec in a network of namespaces: session.sh DIRECTORY OUTPUT
#
# DIRECTORY holds plan.sh and jobs/NAME.sh, which are made from the spec, and work/, where the jobs run. Needs root, and
# TESTBED_SEED in the environment; NS begins the names of its namespaces, CAPTURES lists NODE:LINK to capture.
# OUTPUT gets jobs.csv, what jobs print and write, captures, and session/ for the back end (see
# results.py). Times are of the testbed's clock: at 0 the network is complete and the jobs can
# start.
set -euo pipefail
set -m # every job is a process group of its own, so that a signal can end all of it

directory=$1
export TESTBED_OUT=$2 LC_ALL=C
NS=${NS:-}
grace_us=2000000

now_us() {
  now=${EPOCHREALTIME/./}
}

# seconds MICROSECONDS: sets 'text'
seconds() {
  printf -v text '%d.%06d' $(($1 / 1000000)) $(($1 % 1000000))
}

# Ends the processes of the jobs and captures first, then removes the network.
clean_up() {
  local namespace processes
  for namespace in "${namespaces[@]}"; do
    processes=$(ip netns pids "$NS$namespace" 2>/dev/null) || continue
    # shellcheck disable=SC2086 # one word each
    [ -z "$processes" ] || kill -KILL $processes 2>/dev/null || true
    ip netns delete "$NS$namespace"
  done
}

# run_job NAME: runs in a process of its own. When the job's command has ended, the process writes a
# report into the pipe.
run_job() {
  local status=0
  # A signal ends the command, but not this process, which reports the end.
  trap : INT TERM
  cd "$directory/work"
  ip netns exec "$NS${node_of[$1]}" bash "$directory/jobs/$1.sh" \
    >"$TESTBED_OUT/jobs/$1.out" 2>"$TESTBED_OUT/jobs/$1.err" </dev/null {reports}>&- || status=$?
  echo "$1 ${EPOCHREALTIME/./} $status" >&"$reports"
}

start_job() {
  now_us
  started_us[$1]=$now
  run_job "$1" &
  group[$1]=$!
}

# take_report NAME END STATUS
take_report() {
  local name=$1 start end
  unset "group[$name]"
  seconds $((started_us[$name] - zero))
  start=$text
  seconds $(($2 - zero))
  end=$text
  echo "$name,${node_of[$name]},$start,$end,$3" >>"$TESTBED_OUT/jobs.csv"
  [ -n "${background[$name]:-}" ] || waited_for=$((waited_for - 1))
  # The status of a job that was told to end does not count as a failure.
  if [ "$result" = 0 ] && [ -z "$ending" ]; then
    result=$3
  fi
}

# read_report [OPTION...]: sets 'report'. If the time is up in the middle of a report, its first
# part is kept for the next call.
read_report() {
  local read_now="" status=0
  IFS= read -r "$@" -u "$reports" read_now || status=$?
  pending+=$read_now
  [ $status = 0 ] || return $status
  report=$pending pending=""
}

# reports_until TIME: takes the next report before TIME; fails if there is none.
reports_until() {
  local report
  now_us
  [ "$now" -lt "$1" ] || return 1
  seconds $(($1 - now))
  read_report -t "$text" || return 1
  # shellcheck disable=SC2086 # its words are the arguments
  take_report $report
}

# end_jobs SIGNAL: sends the signal to the jobs that still run, and gives them time to end.
end_jobs() {
  local name until
  now_us
  until=$((now + grace_us))
  for name in "${!group[@]}"; do
    kill -"$1" -- "-${group[$name]}" 2>/dev/null || true
  done
  while [ ${#group[@]} -gt 0 ] && reports_until $until; do :; done
}

# Kills the jobs that have not ended. Their processes cannot report any more, so this function does.
kill_jobs() {
  local name
  for name in "${!group[@]}"; do
    kill -KILL -- "-${group[$name]}" 2>/dev/null || true
    now_us
    take_report "$name" "$now" 137
  done
}

# The time of an event in events.csv is the time at which all of its commands were done.
run_event() {
  "event_$1"
  now_us
  seconds $((now - zero))
  echo "$1,$text" >>"$TESTBED_OUT/session/events.csv"
}

# A capture has started when its file exists.
start_captures() {
  local capture node link file
  for capture in ${CAPTURES:-}; do
    node=${capture%%:*}
    link=${capture#*:}
    file=$TESTBED_OUT/pcap/$node-$link.pcap
    mkdir -p "$TESTBED_OUT/pcap"
    ip netns exec "$NS$node" tcpdump -i "$link" -n -Z root -B 16384 -w "$file" \
      2>"$TESTBED_OUT/session/$node-$link.tcpdump" </dev/null &
    captures+=($!)
    until [ -e "$file" ]; do
      kill -0 ${captures[-1]} 2>/dev/null || { cat "$TESTBED_OUT/session/$node-$link.tcpdump" >&2 && return 1; }
      read -r -t 0.01 -u "$reports" _ || true
    done
  done
}

stop_captures() {
  [ ${#captures[@]} -gt 0 ] || return 0
  # The kernel passes captured packets on once a second.
  read -r -t 1.1 -u "$reports" _ || true
  kill -INT "${captures[@]}" 2>/dev/null || true
  wait "${captures[@]}" 2>/dev/null || true
}

# shellcheck source=/dev/null
. "$directory/plan.sh"
declare -A group=() started_us=()
captures=()
pending=""
result=0
ending=""
waited_for=$((${#node_of[@]} - ${#background[@]}))

mkdir -p "$TESTBED_OUT/jobs" "$TESTBED_OUT/session" "$directory/work"
trap clean_up EXIT
trap 'exit 143' TERM INT
mkfifo "$directory/reports"
exec {reports}<>"$directory/reports"
network_up
start_captures

echo "job,node,start_s,end_s,exit_status" >"$TESTBED_OUT/jobs.csv"
now_us
zero=$now
echo "$zero" >"$TESTBED_OUT/session/started_us"
next=0
while [ $waited_for -gt 0 ]; do
  at=""
  if [ $next -lt ${#schedule[@]} ]; then
    read -r at kind what <<<"${schedule[next]}"
  fi
  if [ -n "$limit_us" ] && { [ -z "$at" ] || [ "$limit_us" -lt "$at" ]; }; then
    at=$limit_us kind=limit
  fi
  if [ -z "$at" ]; then
    read_report
    # shellcheck disable=SC2086 # its words are the arguments
    take_report $report
    continue
  fi
  ! reports_until $((zero + at)) || continue
  next=$((next + 1))
  case $kind in
    job) start_job "$what" ;;
    event) run_event "$what" ;;
    limit)
      result=124
      break
      ;;
  esac
done

ending=yes
[ $result = 124 ] || end_jobs INT
end_jobs TERM
kill_jobs
stop_captures
now_us
seconds $((now - zero))
echo "$text" >"$TESTBED_OUT/session/duration_s"
tc -n "$NS"_wire -s -j qdisc show >"$TESTBED_OUT/session/qdiscs.json"
echo $result >"$TESTBED_OUT/session/status"
