# SPDX-License-Identifier: MIT
"""Faults in the mutex."""
from edits import after, argument, at, before, call, condition, operand, value

from .kinds import Family, Fault

MUTEX, HEADER, WORD = "src/thread/mutex.c", "include/furwock/mutex.h", "src/thread/mutex_word.h"
WAIT, RELEASE = "src/core/wait.c", "src/thread/mutex_release.h"

FAULTS = [
    # --- Taking ---------------------------------------------------------------------------------
    Fault("plain-take", "looks and stores instead of the exchange", "two", HEADER,
          call(1, "fw_load64_relaxed(&m->state_)")),
    Fault("wide-signature", "signs with a store to the whole word", "two", HEADER,
          call(1, "fw_store64_relaxed(&m->state_, id)")),
    Fault("never-leaves", "takes the lock and stays queued", "two", MUTEX,
          argument(3, "with_owner(w, me->id) & ~mine")),
    Fault("keeps-waking", "takes the lock and leaves WAKING set", "three", MUTEX,
          operand(1, value("0"))),
    # --- Going to sleep -------------------------------------------------------------------------
    Fault("skips-fence", "sleeps without looking at FENCED", "two", MUTEX, condition("false")),
    Fault("sleeps-with-waking", "sleeps without clearing WAKING", "spurious", MUTEX, value("w")),
    Fault("stale-value", "sleeps with a value it has not decided upon", "two", MUTEX,
          argument(3, argument(1, "fw_load64_relaxed(&me->m->state_)"))),
    Fault("no-recheck", "sleeps with WAKING set, and without an end", "needless-wakes", MUTEX,
          value("0")),
    Fault("trusts-waking", "relies on WAKING alone, and sleeps for good", "vouch", MUTEX,
          value(operand(1, "wake_is_under_way(w)"))),
    Fault("leaves-vouching", "says that somebody vouches, and leaves", "vouch", MUTEX,
          condition(operand(2, ""))),
    Fault("sleeps-unfenced", "sleeps for long although the fence was refused", "refused", MUTEX,
          value("0")),
    # --- Releasing ------------------------------------------------------------------------------
    Fault("wakes-first", "wakes before it has released", "two", MUTEX,
          after("left = seen; if (has_waiters(seen) && !wake_is_under_way(seen)) "
              "fw_futex_wake_bitset(waiters_of(m), 1, class_to_wake(seen), FW_FUTEX_PRIVATE);"),
          at("wakes-first-2", before("w = without_stale(seen, generation); if (has_waiters(w) && "
              "!wake_is_under_way(w)) { if (fw_cas64_release(&m->state_, &seen, fw_mutex_left_(m, "
              "w, fair))) return; continue; }"))),
    Fault("forgets-waking", "frees without setting WAKING", "two", RELEASE,
          argument(1, "w & ~MUTEX_RETRY")),
    Fault("touches-after", "looks at the lock after the release", "free", MUTEX,
          argument(1, "fw_load64_relaxed(&m->state_) | $")),
    Fault("unfair", "the fair release frees the lock", "fair", RELEASE,
          condition(operand(1, "($ && false)"))),
    Fault("refuses-handoff", "a release ignores STARVING", "starving", RELEASE,
          at("unfair", condition("fair"))),
    Fault("old-only", "wakes only those who were woken before", "two", WORD,
          value(operand(3, "MUTEX_CLASS_RETRY"))),
    Fault("passes-to-nobody", "passes the lock where nobody waits", "fair", RELEASE,
          condition("$ && !fair")),
    # --- Passing --------------------------------------------------------------------------------
    Fault("late-claims", "a late arrival claims the hand-off under which it came", "fair", MUTEX,
          value(operand(2, operand(2, operand(2, "me->id"))))),
    Fault("no-requeue", "the claimant leaves late arrivals where they sleep", "fair-back", MUTEX,
          condition("false && $")),
    Fault("no-late-flag", "a late arrival does not set LATE", "fair-back", MUTEX,
          condition(operand(1, "false"))),
    # --- Giving up ------------------------------------------------------------------------------
    Fault("keeps-baton", "a waiter gives up and leaves WAKING set", "timed-old", MUTEX,
          value(operand(2, "0"))),
    Fault("ignores-pass", "a waiter gives up although it could claim the lock", "timed-fair", MUTEX,
          condition("!over && $")),
    Fault("disturbs-pass", "a late arrival gives up and clears WAKING", "timed-fair-spin", MUTEX,
          at("keeps-baton", value(operand(2, "MUTEX_WAKING")))),
    Fault("gives-up-twice", "a waiter gives up and is still counted", "timed", MUTEX,
          argument(3, "w & ~mine")),
    # --- Real-time threads ----------------------------------------------------------------------
    Fault("urgent-unsaid", "a real-time thread sleeps, and the word does not say so",
          "urgent-waker", MUTEX, value(operand(2, ""))),
    Fault("urgent-unheard", "a wake goes to the designated waker, whoever else sleeps",
          "urgent-waker", WORD, at("old-only", operand(1, operand(2, "")))),
    Fault("urgent-vouches", "the wake of a real-time thread says that another vouches",
          "urgent-vouch", WORD,
          value("(w & ~(is_urgent(w) ? MUTEX_URGENT : MUTEX_RETRY)) | MUTEX_WAKING")),
    # --- What the page says decides what it must not --------------------------------------------
    Fault("robs-preempted", "takes the lock from an owner that is said not to run", "lies", MUTEX,
          at("late-claims", operand(1, "$ || fw_running_(holder_of(w)) == FW_RUNNING_NO"))),
    Fault("robs-unknown", "takes the lock from an owner that the page does not know", "lies", MUTEX,
          at("late-claims", operand(1, "$ || fw_running_(holder_of(w)) == FW_RUNNING_UNKNOWN"))),
    Fault("joins-idle-only", "is not counted as a waiter while the owner is said to run", "lies",
          MUTEX, value(operand(2, "(fw_running_(holder_of(w)) == FW_RUNNING_YES ? 0 : $)"))),
    Fault("fences-running-only", "relies on it that who is said not to run does not release",
          "lies", MUTEX,
          at("skips-fence", condition("$ && fw_running_(holder_of(w)) != FW_RUNNING_NO"))),
    Fault("wakes-wanted-not", "wakes nobody where others are said to want the CPU", "lies", MUTEX,
          at("touches-after", condition(operand(1, "(!fw_cpu_is_wanted_() && $)")))),
    Fault("hands-off-idle-only", "refuses the hand-off where others are said to want the CPU",
          "lies-starving", RELEASE, at("unfair", before("extern bool fw_cpu_is_wanted_(void);")),
          at("unfair", call(1, "($ && !fw_cpu_is_wanted_())"))),
    Fault("spins-forever", "spins as long as the owner is said to run", "all-run-alone", WAIT,
          value("spun != UINT64_MAX || $")),
    Fault("spins-on", "spins for an owner that does not run", "truth", WAIT,
          value("fw_wait_spin_(w)")),
    Fault("sleeps-at-once", "sleeps although the owner runs", "lies", WAIT,
          condition("owner != FW_RUNNING_UNKNOWN")),
    # --- Clocks ---------------------------------------------------------------------------------
    Fault("recheck-by-realtime", "times its re-check on the clock of the deadline", "clock-step",
          WAIT, value("fw_deadline_in_(w->deadline == NULL ? CLOCK_MONOTONIC : w->deadline->clock, "
              "slice_ns)")),
    # --- Fork -----------------------------------------------------------------------------------
    Fault("sees-stale", "counts waiters that a fork left behind", "fork", WORD,
          condition("generation <= 31")),
]

FAMILY = Family("mutex", ["thread/mutex.c", "core/wait.c"],
                [HEADER, WORD, RELEASE, "src/thread/mutex_requeue.h", "src/thread/mutex_misuse.h"],
                {"thread/mutex.c": ["fw_mutex_lock"]}, FAULTS)
