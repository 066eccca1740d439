# SPDX-License-Identifier: MIT
"""Faults in the shared and the robust mutex of the POSIX drop-in."""
from edits import argument, at, before, call, condition, drop, instead, operand, swap, value, word

from .kinds import Family, Fault

SHARED, ROBUST = "posix/mutex_shared.c", "posix/mutex_robust.c"
CONTENDED = "posix/mutex_contended.h"
OWNER_WORD, SLEEP = "src/core/owner_word.h", "src/core/sleep.h"

FAULTS = [
    Fault("pshared-forgets", "who has slept takes it as uncontended", "pshared-three",
          CONTENDED, value(operand(2, "FW_HELD_"))),
    Fault("pshared-no-wake", "a release wakes nobody", "pshared-two", SHARED,
          condition(operand(2, "FW_HELD_ + 2"))),
    Fault("pshared-looks-first", "a release looks for sleepers, then stores", "pshared-two", SHARED,
          at("pshared-no-wake", before("uint32_t was = fw_load32_relaxed(&m->word); "
              "fw_store32_release(&m->word, FW_FREE_);")), at("pshared-no-wake", call(1, "was"))),
    Fault("pshared-stale-sleep", "sleeps with whatever it finds", "pshared-two",
          CONTENDED, argument(2, "fw_load32_relaxed(&me->m->word) + 0 * $")),
    Fault("pshared-signs-after", "clears the owner after the release", "pshared-free", SHARED,
          swap()),
    Fault("pshared-relocks", "the owner of a recursive one waits for itself", "pshared-twice",
          SHARED, value("FW_TYPE_WAITS")),
    Fault("pshared-lets-go", "a recursive one is free after the first release", "pshared-twice",
          SHARED, condition(operand(2, "--m->shared_count == UINT32_MAX"))),
    Fault("probust-forgets", "who has slept takes it without W", "probust-three", OWNER_WORD,
          at("owner-word-forgets", drop())),
    Fault("probust-no-wake", "a release wakes nobody", "probust-kill", ROBUST,
          condition(word(1, "has_died"))),
    Fault("probust-unlisted", "is not in the thread's list while it is held", "probust-kill",
          ROBUST, drop()),
    Fault("probust-successor-unlisted", "is not in the receiver's list", "probust-kill-two", ROBUST,
          before("if (!has_died(before))")),
    Fault("probust-unannounced-lock", "is taken before the kernel is told", "probust-kill", ROBUST,
          instead("r.id = fw_robust_self_(); $2 $1", 2)),
    Fault("probust-unannounced-quick", "the kernel is told of another word", "probust-kill", ROBUST,
          argument(2, "$ + 1")),
    Fault("probust-leaves-quickly", "the same where nobody sleeps", "probust-kill", ROBUST, swap()),
    Fault("probust-quick-no-wake", "wakes nobody who has come since it looked", "probust-kill",
          ROBUST, condition(word(1, "has_died"))),
    Fault("probust-leaves-first", "leaves the list before it is announced", "probust-kill", ROBUST,
          swap()),
    Fault("probust-withdraws-first", "is no longer announced when it is released", "probust-kill",
          ROBUST, swap()),
    Fault("probust-quiet-successor", "the next is not told", "probust-kill", ROBUST, value("0")),
    Fault("probust-sound-successor", "what a dead owner left counts as sound",
          "probust-give-up", ROBUST,
          argument(2, "id")),
    Fault("probust-never-lost", "what was not repaired may be had", "probust-give-up", ROBUST,
          argument(2, "0")),
    Fault("probust-keeps-lost", "who finds it given up keeps the word", "probust-give-up-again",
          ROBUST, drop()),
    Fault("probust-robs", "takes it from the living", "probust-kill", ROBUST,
          condition("owner_of(*now) != id")),
    Fault("probust-robs-preempted", "takes it from an owner that is said not to run",
          "probust-lies", ROBUST,
          at("probust-robs", condition("$ || fw_running_(owner_of(*now)) == FW_RUNNING_NO"))),
    Fault("pshared-running-awake", "takes a waiter for awake while others want the CPU",
          "pshared-lies", "posix/mutex_shared.c",
          at("pshared-no-wake", condition("$ && !fw_cpu_is_wanted_()"))),
    Fault("probust-no-recheck", "sleeps without an end", "probust-kill-two", SLEEP,
          at("sleep-unbounded", argument(5, "s->deadline"))),
]

FAMILY = Family("posix_mutex", ["mutex_shared.c", "mutex_robust.c"],
                [CONTENDED, OWNER_WORD, SLEEP, "posix/mutex_type.h"], {}, FAULTS, "posix")
