# SPDX-License-Identifier: MIT
"""Faults in units, and so in the semaphore, the event and wait-any."""
from edits import after, argument, at, before, call, condition, drop, instead, operand, value, word

from .kinds import Family, Fault

UNITS, WAIT, WORD = "src/thread/permits.c", "src/thread/permits_wait.c", "src/thread/permits_word.h"
EVENT, ANY, HEADER = "src/thread/event.c", "src/thread/any.c", "include/furwock/sem.h"

FAULTS = [
    Fault("sem-wakes-first", "a post wakes before it adds", "sem-two", UNITS,
          after("wake_others(state, wakes);"), at("sem-touches-after", drop())),
    Fault("sem-uncounted-wake", "a post wakes and does not count it", "sem-two", UNITS, drop()),
    Fault("sem-counted-twice", "a post counts its wakes twice", "sem-waiters", UNITS,
          at("sem-uncounted-wake", argument(2, "$ + *wakes"))),
    Fault("sem-touches-after", "a post looks at the semaphore after it", "sem-free", UNITS,
          before("if (permits_waiters(fw_load64_relaxed(state)) > 0)")),
    Fault("sem-sees-stale", "counts waiters that a fork left behind", "sem-fork", UNITS,
          value("w")),
    Fault("sem-keeps-wake", "a waiter takes a unit and leaves its wake counted", "sem-waiters",
          UNITS, before("(void)waking;"), argument(1, "w")),
    Fault("sem-swallows-wake", "who leaves does not pass its wake on", "any-second", UNITS,
          value("0")),
    Fault("sem-swallows-unit", "who leaves takes a unit with it", "any-second", UNITS,
          argument(1, "permits_available($) > 0 ? w - 1 : w")),
    Fault("sem-still-counted", "who gives up is still counted", "sem-timed", UNITS,
          at("sem-swallows-unit", value("w"))),
    Fault("sem-nap-goes-on", "a post does not wake the one with the reservation", "sem-starving",
          UNITS, condition(word(6, ""))),
    Fault("sem-clears-quietly", "a reset leaves no trace for the one with the reservation",
          "event-auto-starving", UNITS, call(3, "w & ~PERMITS_VALUE_MAX")),
    Fault("sem-takes-quietly", "who takes a reserved unit leaves no trace of it",
          "sem-posix-passed", UNITS, value("w - 1")),
    Fault("any-stale-wakes", "sleeps on a word in which wakes are counted", "any-barger", UNITS,
          value("w")),
    Fault("sem-sleeps-with-wakes", "sleeps without clearing the count of wakes", "sem-barger", WAIT,
          value("w")),
    Fault("sem-naps-unseen", "begins to re-check without saying so", "sem-starving", WAIT, drop()),
    Fault("sem-gives-unit-up", "gives up although its reserved unit is there", "sem-starving-late",
          WAIT, condition("!over && $")),
    Fault("sem-cancelled-stays", "who is cancelled stays queued", "sem-posix-cancel", WAIT,
          condition("permits_value(w) > 0 || $")),
    Fault("sem-cancelled-keeps", "who is cancelled keeps its reserved unit", "sem-posix-starving",
          WAIT, drop()),
    Fault("sem-cancelled-leaves-unit", "who is cancelled leaves its unit without a word",
          "sem-posix-starving-two", WAIT, condition(operand(2, operand(2, "9")))),
    Fault("sem-interrupted-stays", "who is interrupted stays queued", "sem-posix", WAIT,
          instead("return -error;")),
    Fault("sem-unreserved", "anybody takes a reserved unit", "sem-starving", WORD, value("value")),
    Fault("sem-trusts-guess", "takes what it guesses to be there", "sem-mutex", HEADER,
          before("fw_store64_relaxed(&s->state_, w - 1);"), value("true")),
    Fault("event-wakes-none", "a manual event with one waiter wakes nobody", "event-manual", EVENT,
          condition(operand(2, operand(2, "1")))),
    Fault("event-same-round", "setting does not begin a round", "event-manual-reset", EVENT,
          operand(3, operand(1, "futex_half(w)"))),
    Fault("event-leaves-twice", "leaves although the setter has taken it off the list",
          "event-manual-timed", EVENT, condition("true")),
    Fault("any-stays", "takes from one and stays queued at the other", "any-spurious", ANY, drop()),
    Fault("any-does-not-look", "sleeps for long on one where the kernel cannot wait for several",
          "any-dark", ANY, argument(5, "0")),
]

FAMILY = Family("sem", ["thread/any.c", "thread/sem.c", "thread/event.c", "thread/permits_wait.c",
                        "thread/permits.c"],
                ["include/furwock/sem.h", "src/thread/permits_word.h"],
                {"thread/sem.c": ["fw_sem_trywait", "fw_sem_wait", "fw_sem_post", "fw_sem_source_"],
                 "thread/event.c": ["fw_event_source_"]}, FAULTS)
