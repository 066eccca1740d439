# SPDX-License-Identifier: MIT
"""Faults in the condition variable that processes share in the POSIX drop-in."""
from edits import argument, at, before, condition, drop, instead, operand, swap, value

from .kinds import Family, Fault

COND = "posix/cond_shared.c"

FAULTS = [
    Fault("pcond-unlocks-first", "releases the mutex, then reads the number", "pcond", COND,
          swap()),
    Fault("pcond-unannounced", "waits, and the word does not say so", "pcond", COND, drop(),
          at("pcond-unannounced-2", value("word"))),
    Fault("pcond-same-number", "a signal leaves the number", "pcond-after", COND,
          argument(3, "word")),
    Fault("pcond-no-wake", "a signal wakes nobody", "pcond", COND, condition("word != 0")),
    Fault("pcond-clears", "a signal says that nobody waits any more", "pcond-two", COND,
          at("pcond-same-number", argument(3, operand(2, "")))),
    Fault("pcond-clears-quietly", "finds nobody asleep, and leaves those who come",
          "pcond-signallers", COND,
          instead("word = fw_load32_relaxed(&c->word); fw_cas32_release(&c->word, &word, "
              "changed(word));")),
    Fault("pcond-wakes-one", "a broadcast wakes one", "pcond-all", COND, argument(2, "1")),
    Fault("pcond-swallows", "is cancelled, and does not pass its wake on", "pcond-cancel-one", COND,
          drop()),
    Fault("pcond-cancelled-in-line", "is cancelled, and stays queued", "pcond-cancel", COND,
          drop()),
    Fault("pcond-leaves-early", "leaves the line, and then looks at the variable", "pcond-free",
          COND, swap()),
    Fault("pcond-sleeps-on", "re-checks, and does not look for a signal", "pcond-kill",
          COND, condition("error != -ETIMEDOUT && $"),
          at("pcond-sleeps-on-2", before("me->seen = fw_load32_relaxed(&me->c->word);"))),
]

FAMILY = Family("posix_cond", ["cond_shared.c"], ["posix/cond_shared.h"], {}, FAULTS, "posix")
