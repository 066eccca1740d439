#!/bin/sh
# SPDX-License-Identifier: MIT
#
# look.sh PID: attach to a running program and look at its locks, whatever locks they are: first who
# waits for whom, and whether that is a deadlock; then, if it is none, the locks that cost most in
# the next two seconds.  The program is neither prepared nor stopped.
#
#     $ cc -g -o deadlock deadlock.c -pthread
#     $ ./deadlock & until ./look.sh $!; [ $? -eq 3 ]; do sleep 0.1; done > looked; kill $!
#     $ grep -A 2 "^Deadlock" looked
#     Deadlock 1: 2 threads wait for one another.
#       thread ... holds mutex ... and waits to lock mutex ... in move (deadlock.c:22), which ...
#       thread ... holds mutex ... and waits to lock mutex ... in move (deadlock.c:22), which ...
#     --
#     Deadlocked: change the order in which these locks are taken.
#
# The exit status is 3 if something is stuck.
set -u
[ $# -eq 1 ] || {
    echo "usage: look.sh PID" >&2
    exit 2
}

furwock who --brief -p "$1"
status=$?
case $status in
    3) echo "Deadlocked: change the order in which these locks are taken." ;;
    0) furwock top -p "$1" --once || status=$? ;; # says what it lacks, if it may not
esac
exit "$status"
