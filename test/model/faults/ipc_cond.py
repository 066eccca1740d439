# SPDX-License-Identifier: MIT
"""Faults in the condition variable between processes."""
from .kinds import Family, Fault

COND = "src/ipc/cond.c"
MUTEX = "src/ipc/mutex.c"

FAULTS = [
    Fault("ipc-cond-unlocks-first", "unlocks, then reads the number", "ipc-cond", COND,
          "    announce(&me);\n    error = fw_ipc_mutex_unlock(m);\n    if (error != 0)\n"
          "        return error;\n",
          "    error = fw_ipc_mutex_unlock(m);\n    if (error != 0)\n        return error;\n"
          "    announce(&me);\n"),
    Fault("ipc-cond-unannounced", "waits, and the word does not say so", "ipc-cond", COND,
          "        word = fw_or64_relaxed(&me->c->word_, COND_WAITERS);\n",
          "        word = fw_or64_relaxed(&me->c->word_, 0);\n"),
    Fault("ipc-cond-same-number", "a signal leaves the number", "ipc-cond-after", COND,
          "        next = has_sleepers(now) ? now + COND_CHANGE : changed(now);\n",
          "        next = has_sleepers(now) ? now : changed(now);\n"),
    Fault("ipc-cond-no-wake", "a signal wakes nobody", "ipc-cond", COND,
          "    if (!has_sleepers(next) || rouse(c, next, me, is_held, 1) != 0)\n",
          "    if (!has_sleepers(next) || me->id != 0)\n"),
    Fault("ipc-cond-quiet-sleep", "sleeps, and the word does not say so", "ipc-cond", COND,
          "        if (has_sleepers(*word) || !fw_wait_blocks_(&me->wait.poll))\n",
          "        if (has_sleepers(*word) || fw_wait_blocks_(&me->wait.poll))\n"),
    Fault("ipc-cond-clears-quietly", "finds nobody asleep, and leaves those who come",
          "ipc-cond-two-after", COND,
          "    if (fw_cas64_release(&c->word_, &next, changed(next)))\n"
          "        fw_ipc_wake_(half(c), FW_FUTEX_ALL);\n",
          "    fw_cas64_release(&c->word_, &next, changed(next));\n"),
    Fault("ipc-cond-unmarked-move", "moves waiters, and the mutex does not say so", "ipc-cond-all",
          COND, "fw_ipc_is_marked_(me->member) && fw_ipc_mutex_mark_waiters_(m, me);\n",
          "fw_ipc_mutex_half_(m) != NULL && me != NULL;\n"),
    Fault("ipc-cond-locks-as-anybody", "was moved, and locks as if nobody else had been",
          "ipc-cond-all", COND,
          "    int error = me->has_slept && were_moves(me->number, now) /* C4 */\n",
          "    int error = me->has_slept && now == UINT64_MAX\n"),
    Fault("ipc-cond-forgets-sleepers", "a moved waiter takes the mutex, and that is all",
          "ipc-cond-all", MUTEX,
          "    if (fw_cas64_acquire(&m->word_, &now, me->id | FW_IPC_WAITERS)) {"
          " /* free -> id|W: X4 */\n"
          "        fw_ipc_past_begin_(&m->past_, me);\n"
          "        fw_ipc_wake_(half(m), 1); /* X6 */\n",
          "    if (fw_cas64_acquire(&m->word_, &now, me->id)) {\n"
          "        fw_ipc_past_begin_(&m->past_, me);\n"),
    Fault("ipc-cond-swallows", "who is cancelled does not pass its wake on", "ipc-cond-cancel-one",
          COND, "    fw_ipc_wait_cancelled_(&me->wait);\n"
          "    if (is_over(me))\n        fw_ipc_wake_(half(me->c), 1);\n", ""),
    Fault("ipc-cond-cancelled-outside", "who is cancelled does not lock the mutex again",
          "ipc-cond-cancel", COND,
          "    (void)lock_again(me); /* if it is not held, unlock will say so */\n", ""),
    Fault("ipc-cond-cancelled-late", "may be cancelled after the release as if it were before",
          "ipc-cond-cancel", COND,
          "    poll(&me, policy);\n    error = sleep_until_over(&me);\n",
          "    fw_cancel_point_(nothing, NULL);\n    poll(&me, policy);\n"
          "    error = sleep_until_over(&me);\n"),
    Fault("ipc-cond-cancelled-as-anybody", "was moved and cancelled, and locks as if nobody else "
          "had been moved", "ipc-cond-cancel-all", COND,
          "    fw_ipc_wait_cancelled_(&me->wait);\n"
          "    if (is_over(me))\n        fw_ipc_wake_(half(me->c), 1);\n"
          "    (void)lock_again(me); /* if it is not held, unlock will say so */\n",
          "    if (is_over(me))\n        fw_ipc_wake_(half(me->c), 1);\n"
          "    fw_ipc_wait_end_(&me->wait);\n    (void)fw_ipc_mutex_lock(me->m);\n"),
]

FAMILY = Family("ipc_cond", ["cond.c", "mutex.c"], ["src/ipc/mutex.h"],
                {"mutex.c": ["fw_ipc_mutex_lock"]}, FAULTS, "src/ipc")
