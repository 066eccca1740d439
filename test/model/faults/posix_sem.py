# SPDX-License-Identifier: MIT
"""Faults in the shared semaphore of the POSIX drop-in."""
from edits import after, argument, at, before, condition, drop, instead, operand, value

from .kinds import Family, Fault

SHARED, WORD = "posix/sem_shared.c", "posix/sem_word.h"

FAULTS = [
    Fault("psem-wakes-first", "a post wakes before it adds", "psem-two", SHARED,
          after("if (shared_has_waiters(w)) fw_futex_wake(value_word(s), 1, FW_FUTEX_SHARED);"),
          at("psem-looks-after", drop())),
    Fault("psem-looks-after", "a post looks for waiters once it has added", "psem-free", SHARED,
          argument(1, "fw_load64_relaxed(&s->state)")),
    Fault("psem-one-wake", "a post beside a unit wakes nobody", "psem-waiters", SHARED,
          at("psem-looks-after", condition("$ && shared_value(w) == 0"))),
    Fault("psem-uncounted", "sleeps without being counted", "psem-two", SHARED,
          before("if (fw_load64_relaxed(&s->state) != 0)")),
    Fault("psem-swallows-wake", "who is cancelled does not pass its wake on", "psem-cancel", SHARED,
          condition(operand(1, operand(2, "1")))),
    Fault("psem-still-counted", "who gives up is still counted", "psem-timed", SHARED, drop()),
    Fault("psem-takes-twice", "a counted waiter takes its unit and stays counted", "psem-two",
          SHARED, value(operand(3, ""))),
    Fault("psem-guesses-waiters", "adds beside a waiter as if there were none", "psem-two", WORD,
          before("fw_add64_release(&s->state, 1);"), value("true")),
    Fault("psem-trusts-guess", "takes what it guesses to be there", "psem-mutex", WORD,
          before("fw_add64_acq_rel(&s->state, -UINT64_C(1));"), value("true")),
    Fault("psem-late-guess", "a post tells its guess when it has added", "psem-free", WORD,
          instead("$ if (!fw_cas64_release(&s->state, &w, w + 1)) $"),
          at("psem-guesses-waiters", value("true"))),
]

FAMILY = Family("posix_sem", ["sem_shared.c"], ["posix/sem_word.h"], {}, FAULTS, "posix")
