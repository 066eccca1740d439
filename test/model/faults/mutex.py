# SPDX-License-Identifier: MIT
"""Faults in the mutex."""
from .kinds import Family, Fault

MUTEX, HEADER, WORD = "src/mutex.c", "include/furwock/mutex.h", "src/mutex_word.h"

FAULTS = [
    # --- Taking ---------------------------------------------------------------------------------
    Fault("plain-take", "looks and stores instead of the exchange", "two", HEADER,
          "    if (fw_xchg8_acquire((fw_byte_ *)&m->state_, FW_ID_HELD) != 0)\n",
          "    if (fw_load64_relaxed(&m->state_) != 0)\n"),
    Fault("wide-signature", "signs with a store to the whole word", "two", HEADER,
          "fw_store32_relaxed((fw_half_ *)&m->state_, id);",
          "fw_store64_relaxed(&m->state_, id);"),
    Fault("never-leaves", "takes the lock and stays in line", "two", MUTEX,
          "(with_owner(w, me->id) & ~mine) - MUTEX_WAITER))",
          "with_owner(w, me->id) & ~mine))"),
    Fault("keeps-waking", "takes the lock and leaves WAKING set", "three", MUTEX,
          "fw_mutex_word_ mine = MUTEX_WAKING | (was_woken(me)",
          "fw_mutex_word_ mine = 0 | (was_woken(me)"),
    # --- Going to sleep -------------------------------------------------------------------------
    Fault("skips-fence", "sleeps without looking at FENCED", "two", MUTEX,
          "    if (!is_fenced(w)) {\n", "    if (false) {\n"),
    Fault("sleeps-with-waking", "sleeps without clearing WAKING", "spurious", MUTEX,
          "fw_mutex_word_ wanted = w & ~MUTEX_WAKING;", "fw_mutex_word_ wanted = w;"),
    Fault("stale-value", "sleeps with a value it has not decided upon", "two", MUTEX,
          "waiters_half(wanted),", "waiters_half(fw_load64_relaxed(&me->m->state_)),"),
    Fault("naps-for-good", "sleeps with WAKING set, and without an end", "nap", MUTEX,
          "slice_ns = NAP_NS;", "slice_ns = 0;"),
    Fault("sleeps-unfenced", "sleeps for long although the fence was refused", "refused", MUTEX,
          "slice_ns = UNFENCED_SLICE_NS;", "slice_ns = 0;"),
    # --- Releasing ------------------------------------------------------------------------------
    Fault("wakes-first", "wakes before it has released", "two", MUTEX,
          "    do {\n        w = without_ghosts(seen, generation);\n",
          "    left = seen;\n"
          "    if (has_waiters(seen) && !wake_is_under_way(seen))\n"
          "        fw_futex_wake_bitset(waiters_of(m), 1, class_to_wake(seen), FW_FUTEX_PRIVATE);\n"
          "    do {\n        w = without_ghosts(seen, generation);\n"
          "        if (has_waiters(w) && !wake_is_under_way(w)) {\n"
          "            if (fw_cas64_release(&m->state_, &seen, after_release(m, w, fair)))\n"
          "                return;\n"
          "            continue;\n"
          "        }\n"),
    Fault("forgets-waking", "frees without setting WAKING", "two", MUTEX,
          "return with_owner((w | MUTEX_WAKING) & ~MUTEX_OLD, 0);",
          "return with_owner(w & ~MUTEX_OLD, 0);"),
    Fault("touches-after", "looks at the lock after the release", "free", MUTEX,
          "if (has_waiters(w) && (!wake_is_under_way(w) ||",
          "if (has_waiters(w) && (!wake_is_under_way(fw_load64_relaxed(&m->state_) & w) ||"),
    Fault("unfair", "the fair release frees the lock", "fair", MUTEX,
          "if (fair || wants_handoff(w))", "if ((fair && false) || wants_handoff(w))"),
    Fault("refuses-handoff", "a release ignores HANDOFF", "starving", MUTEX,
          "if (fair || wants_handoff(w))", "if (fair)"),
    Fault("old-only", "wakes only those who were woken before", "two", WORD,
          "? MUTEX_CLASS_OLD : MUTEX_CLASS_ANY", "? MUTEX_CLASS_OLD : MUTEX_CLASS_OLD"),
    Fault("passes-to-nobody", "passes the lock where nobody waits", "fair", MUTEX,
          "    if (!has_waiters(w))\n        return fw_one_in_",
          "    if (!has_waiters(w) && !fair)\n        return fw_one_in_"),
    # --- Passing --------------------------------------------------------------------------------
    Fault("late-claims", "a late arrival claims the pass under which it came", "fair", MUTEX,
          "owner_half(w) != me->came_under);\n}", "owner_half(w) != me->id);\n}"),
    Fault("no-requeue", "the claimant leaves late arrivals where they sleep", "fair-back", MUTEX,
          "    if (late) ", "    if (false && late) "),
    Fault("no-late-flag", "a late arrival does not set LATE", "fair-back", MUTEX,
          "if (!has_late_sleepers(w) && !fw_cas64", "if (false && !fw_cas64"),
    # --- Giving up ------------------------------------------------------------------------------
    Fault("keeps-baton", "a waiter gives up and leaves WAKING set", "timed-old", MUTEX,
          "(is_passed(w) ? 0 : MUTEX_WAKING);", "0;"),
    Fault("ignores-pass", "a waiter gives up although it could claim a pass", "timed-fair", MUTEX,
          "        if (may_take(me, w)) {\n", "        if (!over && may_take(me, w)) {\n"),
    Fault("disturbs-pass", "a late arrival gives up and clears WAKING", "timed-fair-spin", MUTEX,
          "(is_passed(w) ? 0 : MUTEX_WAKING);", "MUTEX_WAKING;"),
    Fault("gives-up-twice", "a waiter gives up and is still counted", "timed", MUTEX,
          "return fw_cas64_relaxed(&me->m->state_, &w, (w & ~mine) - MUTEX_WAITER);",
          "return fw_cas64_relaxed(&me->m->state_, &w, w & ~mine);"),
    # --- Fork -----------------------------------------------------------------------------------
    Fault("sees-ghosts", "counts waiters that a fork left behind", "fork", WORD,
          "    if (!has_ghosts(w, generation))\n",
          "    if (generation <= 31)\n"),
]

FAMILY = Family("mutex", ["mutex.c"], [HEADER, WORD, "src/mutex_move.h"],
                {"mutex.c": ["fw_mutex_lock"]}, FAULTS)
