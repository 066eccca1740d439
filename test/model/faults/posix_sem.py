# SPDX-License-Identifier: MIT
"""Faults in the shared semaphore of the POSIX drop-in."""
from .kinds import Family, Fault

SHARED, WORD = "posix/sem_shared.c", "posix/sem_word.h"

FAULTS = [
    Fault("psem-wakes-first", "a post wakes before it adds", "psem-two", SHARED,
          "    } while (!fw_cas64_release(&s->state, &w, w + 1)); /* n -> n + 1 */\n"
          "    if (shared_has_waiters(w))\n"
          "        fw_futex_wake(value_word(s), 1, FW_FUTEX_SHARED); /* S3 */\n",
          "        if (shared_has_waiters(w))\n"
          "            fw_futex_wake(value_word(s), 1, FW_FUTEX_SHARED);\n"
          "    } while (!fw_cas64_release(&s->state, &w, w + 1));\n"),
    Fault("psem-looks-after", "a post looks for waiters once it has added", "psem-free", SHARED,
          "    if (shared_has_waiters(w))\n"
          "        fw_futex_wake(value_word(s), 1, FW_FUTEX_SHARED); /* S3 */\n",
          "    if (shared_has_waiters(fw_load64_relaxed(&s->state)))\n"
          "        fw_futex_wake(value_word(s), 1, FW_FUTEX_SHARED); /* S3 */\n"),
    Fault("psem-one-wake", "a post beside a unit wakes nobody", "psem-waiters", SHARED,
          "    if (shared_has_waiters(w))\n"
          "        fw_futex_wake(value_word(s), 1, FW_FUTEX_SHARED); /* S3 */\n",
          "    if (shared_has_waiters(w) && shared_value(w) == 0)\n"
          "        fw_futex_wake(value_word(s), 1, FW_FUTEX_SHARED); /* S3 */\n"),
    Fault("psem-uncounted", "sleeps without being counted", "psem-two", SHARED,
          "    fw_add64_acquire(&s->state, SHARED_WAITER_); /* m waiters -> m + 1 */\n",
          "    if (fw_load64_relaxed(&s->state) != 0)\n"
          "        fw_add64_acquire(&s->state, SHARED_WAITER_); /* m waiters -> m + 1 */\n"),
    Fault("psem-swallows-wake", "who is cancelled does not pass its wake on", "psem-cancel", SHARED,
          "    if (shared_value(left) > 0 && shared_has_waiters(left))\n",
          "    if (shared_value(left) > 1 && shared_has_waiters(left))\n"),
    Fault("psem-still-counted", "who gives up is still counted", "psem-timed", SHARED,
          "            leave(s);\n"
          "            return end;\n",
          "            return end;\n"),
    Fault("psem-takes-twice", "a counted waiter takes its unit and stays counted", "psem-two",
          SHARED,
          "            uint64_t left = w - 1 - SHARED_WAITER_;\n",
          "            uint64_t left = w - 1;\n"),
    Fault("psem-guesses-waiters", "adds beside a waiter as if there were none", "psem-two", WORD,
          "    return fw_cas64_release(&s->state, &w, w + 1);\n",
          "    fw_add64_release(&s->state, 1);\n"
          "    return true;\n"),
    Fault("psem-trusts-guess", "takes what it guesses to be there", "psem-mutex", WORD,
          "    return fw_cas64_acquire(&s->state, &w, w - 1);\n",
          "    fw_add64_acq_rel(&s->state, -UINT64_C(1));\n"
          "    return true;\n"),
    Fault("psem-late-guess", "a post tells its guess when it has added", "psem-free", WORD,
          "    fw_store32_relaxed(&s->guess, (uint32_t)w + 1);\n"
          "    return fw_cas64_release(&s->state, &w, w + 1);\n",
          "    if (!fw_cas64_release(&s->state, &w, w + 1))\n"
          "        return false;\n"
          "    fw_store32_relaxed(&s->guess, (uint32_t)w + 1);\n"
          "    return true;\n"),
]

FAMILY = Family("posix_sem", ["sem_shared.c"], ["posix/sem_word.h"], {}, FAULTS, "posix")
