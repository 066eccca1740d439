# SPDX-License-Identifier: MIT
"""Faults in the mutex."""
from .kinds import Family, Fault

MUTEX, HEADER, WORD = "src/thread/mutex.c", "include/furwock/mutex.h", "src/thread/mutex_word.h"
WAIT, RELEASE = "src/core/wait.c", "src/thread/mutex_release.h"

FAULTS = [
    # --- Taking ---------------------------------------------------------------------------------
    Fault("plain-take", "looks and stores instead of the exchange", "two", HEADER,
          "    if (fw_xchg8_acquire((fw_byte_ *)&m->state_, FW_ID_HELD) != 0)\n",
          "    if (fw_load64_relaxed(&m->state_) != 0)\n"),
    Fault("wide-signature", "signs with a store to the whole word", "two", HEADER,
          "fw_store32_relaxed((fw_half_ *)&m->state_, id);",
          "fw_store64_relaxed(&m->state_, id);"),
    Fault("never-leaves", "takes the lock and stays in line", "two", MUTEX,
          "without(me, with_owner(w, me->id) & ~mine)))", "with_owner(w, me->id) & ~mine))"),
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
          "    do {\n        if (is_free(seen) || is_passed(seen))\n",
          "    left = seen;\n"
          "    if (has_waiters(seen) && !wake_is_under_way(seen))\n"
          "        fw_futex_wake_bitset(waiters_of(m), 1, class_to_wake(seen), FW_FUTEX_PRIVATE);\n"
          "    do {\n        w = without_ghosts(seen, generation);\n"
          "        if (has_waiters(w) && !wake_is_under_way(w)) {\n"
          "            if (fw_cas64_release(&m->state_, &seen, fw_mutex_left_(m, w, fair)))\n"
          "                return;\n"
          "            continue;\n"
          "        }\n"
          "        if (is_free(seen) || is_passed(seen))\n"),
    Fault("forgets-waking", "frees without setting WAKING", "two", RELEASE,
          "wakes_nobody(w) ? w : with_wake(w), 0);", "w & ~MUTEX_OLD, 0);"),
    Fault("touches-after", "looks at the lock after the release", "free", MUTEX,
          "    if (!wakes_nobody(w) ||",
          "    if (!wakes_nobody(fw_load64_relaxed(&m->state_) | w) ||"),
    Fault("unfair", "the fair release frees the lock", "fair", RELEASE,
          "if (fair || wants_handoff(w))", "if ((fair && false) || wants_handoff(w))"),
    Fault("refuses-handoff", "a release ignores HANDOFF", "starving", RELEASE,
          "if (fair || wants_handoff(w))", "if (fair)"),
    Fault("old-only", "wakes only those who were woken before", "two", WORD,
          "? MUTEX_CLASS_OLD : MUTEX_CLASS_ANY", "? MUTEX_CLASS_OLD : MUTEX_CLASS_OLD"),
    Fault("passes-to-nobody", "passes the lock where nobody waits", "fair", RELEASE,
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
          "return fw_cas64_relaxed(&me->m->state_, &w, without(me, w & ~mine));",
          "return fw_cas64_relaxed(&me->m->state_, &w, w & ~mine);"),
    # --- Real-time threads ----------------------------------------------------------------------
    Fault("urgent-unsaid", "a real-time thread sleeps, and the word does not say so",
          "urgent-seat", MUTEX, " | (me->is_urgent ? MUTEX_URGENT : 0);", ";"),
    Fault("urgent-unheard", "a wake goes to the one with the seat, whoever else sleeps",
          "urgent-seat", WORD, "is_seat_taken(w) && !is_urgent(w) ?", "is_seat_taken(w) ?"),
    # --- What the page says decides what it must not --------------------------------------------
    Fault("robs-preempted", "takes the lock from an owner that is said not to run", "lies", MUTEX,
          "    return is_free(w) || (is_passed(w)",
          "    return is_free(w) || fw_running_(holder_of(w)) == FW_RUNNING_NO || (is_passed(w)"),
    Fault("robs-unknown", "takes the lock from an owner that the page does not know", "lies",
          MUTEX, "    return is_free(w) || (is_passed(w)",
          "    return is_free(w) || fw_running_(holder_of(w)) == FW_RUNNING_UNKNOWN ||\n"
          "           (is_passed(w)"),
    Fault("joins-idle-only", "is not counted as a waiter while the owner is said to run", "lies",
          MUTEX, "fw_fork_generation_()) + MUTEX_WAITER;",
          "fw_fork_generation_()) +\n"
          "                (fw_running_(holder_of(w)) == FW_RUNNING_YES ? 0 : MUTEX_WAITER);"),
    Fault("fences-running-only", "relies on it that who is said not to run does not release",
          "lies", MUTEX, "    if (!is_fenced(w)) {\n",
          "    if (!is_fenced(w) && fw_running_(holder_of(w)) != FW_RUNNING_NO) {\n"),
    Fault("wakes-wanted-not", "wakes nobody where others are said to want the CPU", "lies", MUTEX,
          "    if (!wakes_nobody(w) ||", "    if ((!fw_cpu_is_wanted_() && !wakes_nobody(w)) ||"),
    Fault("hands-off-idle-only", "refuses the hand-off where others are said to want the CPU",
          "lies-starving", RELEASE, "if (fair || wants_handoff(w))",
          "extern bool fw_cpu_is_wanted_(void);\n"
          "    if (fair || (wants_handoff(w) && !fw_cpu_is_wanted_()))"),
    Fault("polls-for-good", "polls as long as the owner is said to run", "all-run-alone", WAIT,
          "    return polled < CROWDED_NS ||",
          "    return polled != UINT64_MAX || polled < CROWDED_NS ||"),
    Fault("polls-on", "polls for an owner that does not run", "truth", WAIT,
          "    if (owner == FW_RUNNING_NO)\n        return false;",
          "    if (owner == FW_RUNNING_NO)\n        return fw_wait_poll_(w);"),
    Fault("sleeps-at-once", "sleeps although the owner runs", "lies", WAIT,
          "    if (owner == FW_RUNNING_NO)\n        return false;",
          "    if (owner != FW_RUNNING_UNKNOWN)\n        return false;"),
    # --- Clocks ---------------------------------------------------------------------------------
    Fault("naps-by-realtime", "measures a nap on the clock of the deadline", "clock-step", WAIT,
          "fw_deadline end = fw_deadline_nap_(w->deadline, slice_ns);",
          "fw_deadline end = fw_deadline_in_(w->deadline == NULL ? CLOCK_MONOTONIC\n"
          "                                                          : w->deadline->clock,\n"
          "                                      slice_ns);"),
    # --- Fork -----------------------------------------------------------------------------------
    Fault("sees-ghosts", "counts waiters that a fork left behind", "fork", WORD,
          "    if (!has_ghosts(w, generation))\n",
          "    if (generation <= 31)\n"),
]

FAMILY = Family("mutex", ["thread/mutex.c", "core/wait.c"],
                [HEADER, WORD, RELEASE, "src/thread/mutex_requeue.h", "src/thread/mutex_misuse.h"],
                {"thread/mutex.c": ["fw_mutex_lock"]}, FAULTS)
