# SPDX-License-Identifier: MIT
"""Faults in the condition variable between processes."""
from edits import argument, at, call, condition, drop, instead, operand, value, word

from .kinds import Family, Fault

COND = "src/ipc/cond.c"
MUTEX = "src/ipc/mutex.c"

FAULTS = [
    Fault("ipc-cond-unlocks-first", "unlocks, then reads the number", "ipc-cond", COND,
          instead("$2 $3 $1", 3)),
    Fault("ipc-cond-unannounced", "waits, and the word does not say so", "ipc-cond", COND,
          argument(2, "0")),
    Fault("ipc-cond-same-number", "a signal leaves the number", "ipc-cond-after", COND,
          operand(2, "now")),
    Fault("ipc-cond-no-wake", "a signal wakes nobody", "ipc-cond", COND, call(2, "me->id")),
    Fault("ipc-cond-quiet-sleep", "sleeps, and the word does not say so", "ipc-cond", COND,
          condition(word(7, ""))),
    Fault("ipc-cond-clears-quietly", "finds nobody asleep, and leaves those who come",
          "ipc-cond-two-after", COND,
          instead("fw_cas64_release(&c->word_, &next, changed(next));")),
    Fault("ipc-cond-unmarked-move", "moves waiters, and the mutex does not say so", "ipc-cond-all",
          COND, value("m != NULL && fw_ipc_mutex_half_(m) != NULL && me != NULL")),
    Fault("ipc-cond-locks-as-anybody", "was moved, and locks as if nobody else had been",
          "ipc-cond-all", COND, call(1, "now == UINT64_MAX")),
    Fault("ipc-cond-forgets-sleepers", "a moved waiter takes the mutex, and that is all",
          "ipc-cond-all", MUTEX, argument(3, operand(2, "")),
          at("ipc-cond-forgets-sleepers-2", drop())),
    Fault("ipc-cond-swallows", "who is cancelled does not pass its wake on", "ipc-cond-cancel-one",
          COND, drop(2)),
    Fault("ipc-cond-cancelled-outside", "who is cancelled does not lock the mutex again",
          "ipc-cond-cancel", COND, drop()),
    Fault("ipc-cond-cancelled-late", "may be cancelled after the release as if it were before",
          "ipc-cond-cancel", COND, instead("$1 $2 $3 $4 $1", 4)),
    Fault("ipc-cond-cancelled-as-anybody",
          "was moved and cancelled, and locks as if nobody else " "had been moved",
          "ipc-cond-cancel-all", COND,
          at("ipc-cond-swallows", instead("$2 fw_ipc_wait_end_(&me->wait); "
              "(void)fw_ipc_mutex_lock(me->m);", 3))),
]

FAMILY = Family("ipc_cond", ["cond.c", "mutex.c"], ["src/ipc/mutex.h"],
                {"mutex.c": ["fw_ipc_mutex_lock"]}, FAULTS, "src/ipc")
