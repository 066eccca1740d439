# SPDX-License-Identifier: MIT
"""Faults in units, and so in the semaphore, the event and wait-any."""
from .kinds import Family, Fault

UNITS, WAIT, WORD = "src/units.c", "src/units_wait.c", "src/units_word.h"
EVENT, ANY, HEADER = "src/event.c", "src/any.c", "include/furwock/sem.h"

FAULTS = [
    Fault("sem-wakes-first", "a post wakes before it adds", "sem-two", UNITS,
          "    } while (!fw_cas64_release(state, &seen, left));\n"
          "    wake_others(state, wakes);\n",
          "        wake_others(state, wakes);\n"
          "    } while (!fw_cas64_release(state, &seen, left));\n"),
    Fault("sem-uncounted-wake", "a post wakes and does not count it", "sem-two", UNITS,
          "            left = with_wakes(left, wakes);\n",
          ""),
    Fault("sem-counted-twice", "a post counts its wakes twice", "sem-waiters", UNITS,
          "            left = with_wakes(left, wakes);\n",
          "            left = with_wakes(left, wakes + wakes);\n"),
    Fault("sem-touches-after", "a post looks at the semaphore after it", "sem-free", UNITS,
          "    } while (!fw_cas64_release(state, &seen, left));\n"
          "    wake_others(state, wakes);\n",
          "    } while (!fw_cas64_release(state, &seen, left));\n"
          "    if (units_waiters(fw_load64_relaxed(state)) > 0)\n"
          "        wake_others(state, wakes);\n"),
    Fault("sem-sees-ghosts", "counts waiters that a fork left behind", "sem-fork", UNITS,
          "    return units_waiters(w) == 0 ? w : without_ghosts(w, fw_fork_generation_());\n",
          "    return w;\n"),
    Fault("sem-keeps-wake",
          "a waiter takes a unit and leaves its wake counted", "sem-waiters", UNITS,
          "    return without_waiter(waking > 0 ? with_waking(w, waking - 1) : w);\n",
          "    (void)waking;\n"
          "    return without_waiter(w);\n"),
    Fault("sem-swallows-wake", "who leaves does not pass its wake on", "any-second", UNITS,
          "    uint32_t wakes = wakes_due(left, 1);\n",
          "    uint32_t wakes = 0;\n"),
    Fault("sem-swallows-unit", "who leaves takes a unit with it", "any-second", UNITS,
          "    fw_units_word_ left = out_of_line(w);\n",
          "    fw_units_word_ left = out_of_line(units_available(w) > 0 ? w - 1 : w);\n"),
    Fault("sem-still-counted", "who gives up is still counted", "sem-timed", UNITS,
          "    fw_units_word_ left = out_of_line(w);\n",
          "    fw_units_word_ left = w;\n"),
    Fault("sem-nap-goes-on",
          "a post does not wake the one with the reservation", "sem-starving", UNITS,
          "    if (is_napping(w) && !is_napping(left))\n",
          "    if (is_napping(w) && is_napping(left))\n"),
    Fault("sem-clears-quietly",
          "a reset leaves no trace for the one with the reservation", "event-auto-starving", UNITS,
          "(is_reserved(w) ? UNITS_NAPPING : 0)",
          "0"),
    Fault("any-stale-wakes", "sleeps on a word in which wakes are counted", "any-barger", UNITS,
          "    wanted = with_waking(w, 0);\n",
          "    wanted = w;\n"),
    Fault("sem-sleeps-with-wakes", "sleeps without clearing the count of wakes", "sem-barger", WAIT,
          "    fw_units_word_ wanted = with_waking(w, 0);\n",
          "    fw_units_word_ wanted = w;\n"),
    Fault("sem-naps-unseen", "goes to nap without saying so", "sem-starving", WAIT,
          "    if (!is_napping(w) && !fw_cas64_relaxed(me->state, &w, w | UNITS_NAPPING))\n"
          "        return -EAGAIN;\n",
          ""),
    Fault("sem-gives-unit-up",
          "gives up although its reserved unit is there", "sem-starving-late", WAIT,
          "        if (may_take(me, w)) {\n",
          "        if (!over && may_take(me, w)) {\n"),
    Fault("sem-cancelled-stays", "who is cancelled stays in line", "sem-posix-cancel", WAIT,
          "        } else if (give_up(me, w)) {\n",
          "        } else if (units_value(w) > 0 || give_up(me, w)) {\n"),
    Fault("sem-cancelled-keeps", "who is cancelled keeps its reserved unit",
          "sem-posix-starving", WAIT,
          "                fw_units_post_(me->state, 1, UNITS_VALUE_MAX);\n",
          ""),
    Fault("sem-cancelled-leaves-unit", "who is cancelled leaves its unit without a word",
          "sem-posix-starving-two", WAIT,
          "        if (me->has_reservation && units_value(w) > 0) {\n",
          "        if (me->has_reservation && units_value(w) > 9) {\n"),
    Fault("sem-interrupted-stays", "who is interrupted stays in line", "sem-posix", WAIT,
          "            over = -error;\n",
          "            return -error;\n"),
    Fault("sem-unreserved", "anybody takes a reserved unit", "sem-starving", WORD,
          "    return is_reserved(w) && value > 0 ? value - 1 : value;\n",
          "    return value;\n"),
    Fault("sem-trusts-guess", "takes what it guesses to be there", "sem-mutex", HEADER,
          "    return fw_cas64_acquire(&s->state_, &w, w - 1);\n",
          "    fw_store64_relaxed(&s->state_, w - 1);\n"
          "    return true;\n"),
    Fault("event-wakes-none", "a manual event with one waiter wakes nobody", "event-manual", EVENT,
          "    if (!is_set(w) && waiters(w) > 0)\n",
          "    if (!is_set(w) && waiters(w) > 1)\n"),
    Fault("event-same-round", "setting does not begin a round", "event-manual-reset", EVENT,
          "(uint32_t)(gate(w) + EVENT_ROUND) | EVENT_SET",
          "gate(w) | EVENT_SET"),
    Fault("event-leaves-twice",
          "leaves although the setter has taken it off the list", "event-manual-timed", EVENT,
          "    while (!may_pass(w, since)) {\n"
          "        if (fw_cas64_relaxed(&e->state_, &w, w - EVENT_WAITER))\n",
          "    while (true) {\n"
          "        if (fw_cas64_relaxed(&e->state_, &w, w - EVENT_WAITER))\n"),
    Fault("any-stays", "takes from one and stays in line at the other", "any-two", ANY,
          "        found = wait_for_first(me);\n"
          "        leave_all(me);\n",
          "        found = wait_for_first(me);\n"),
    Fault("any-does-not-look",
          "sleeps for long on one where the kernel cannot wait for several", "any-dark", ANY,
          "                                BLIND_SLICE_NS);\n",
          "                                0);\n"),
]

FAMILY = Family("sem", ["any.c", "sem.c", "event.c", "units_wait.c", "units.c"],
                ["include/furwock/sem.h", "src/units_word.h"],
                {"sem.c": ["fw_sem_trywait", "fw_sem_wait", "fw_sem_post", "fw_sem_source_"],
                 "event.c": ["fw_event_source_"]}, FAULTS)
