# SPDX-License-Identifier: MIT
"""Faults in the condition variable that processes share in the POSIX drop-in."""
from .kinds import Family, Fault

COND = "posix/cond_shared.c"

FAULTS = [
    Fault("pcond-unlocks-first", "releases the mutex, then reads the number", "pcond", COND,
          "    announce(&me);\n    error = how->unlock(how->mutex);\n",
          "    error = how->unlock(how->mutex);\n    announce(&me);\n"),
    Fault("pcond-unannounced", "waits, and the word does not say so", "pcond", COND,
          "    while (!has_waiters(word) && "
          "!fw_cas32_relaxed(&me->c->word, &word, word | SHARED_WAITERS))\n        ;\n"
          "    me->seen = word | SHARED_WAITERS;\n", "    me->seen = word;\n"),
    Fault("pcond-same-number", "a signal leaves the number", "pcond-after", COND,
          "    } while (!fw_cas32_release(&c->word, &word, changed(word) | SHARED_WAITERS));\n",
          "    } while (!fw_cas32_release(&c->word, &word, word));\n"),
    Fault("pcond-no-wake", "a signal wakes nobody", "pcond", COND,
          "    if (fw_futex_wake(&c->word, 1, FW_FUTEX_SHARED) > 0)\n", "    if (word != 0)\n"),
    Fault("pcond-clears", "a signal says that nobody waits any more", "pcond-two", COND,
          "    } while (!fw_cas32_release(&c->word, &word, changed(word) | SHARED_WAITERS));\n",
          "    } while (!fw_cas32_release(&c->word, &word, changed(word)));\n"),
    Fault("pcond-clears-quietly", "finds nobody asleep, and leaves those who come",
          "pcond-signallers", COND, "        return;\n    fw_shared_cond_broadcast_(c);\n",
          "        return;\n    word = fw_load32_relaxed(&c->word);\n"
          "    fw_cas32_release(&c->word, &word, changed(word));\n"),
    Fault("pcond-wakes-one", "a broadcast wakes one", "pcond-all", COND,
          "    fw_futex_wake(&c->word, FW_FUTEX_ALL, FW_FUTEX_SHARED);\n",
          "    fw_futex_wake(&c->word, 1, FW_FUTEX_SHARED);\n"),
    Fault("pcond-swallows", "is cancelled, and does not pass its wake on", "pcond-cancel-one",
          COND,
          "    pass_on(me->c, me->seen);\n    leave_line(me);\n", "    leave_line(me);\n"),
    Fault("pcond-cancelled-in-line", "is cancelled, and stays in line", "pcond-cancel", COND,
          "    pass_on(me->c, me->seen);\n    leave_line(me);\n",
          "    pass_on(me->c, me->seen);\n"),
    Fault("pcond-leaves-early", "leaves the line, and then looks at the variable", "pcond-free",
          COND, "    error = sleep_until_over(&me, deadline);\n    leave_line(&me);\n",
          "    leave_line(&me);\n    error = sleep_until_over(&me, deadline);\n"),
    Fault("pcond-sleeps-on", "naps, and does not look whether there was a signal", "pcond-kill",
          COND, "        if (fw_load32_relaxed(&me->c->word) != me->seen)\n            return 0;\n",
          "        if (error != -ETIMEDOUT && fw_load32_relaxed(&me->c->word) != me->seen)\n"
          "            return 0;\n        me->seen = fw_load32_relaxed(&me->c->word);\n"),
]

FAMILY = Family("posix_cond", ["cond_shared.c"], ["posix/cond_shared.h"], {}, FAULTS, "posix")
