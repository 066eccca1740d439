# SPDX-License-Identifier: MIT
"""Faults in the shared and the robust mutex of the POSIX drop-in."""
from .kinds import Family, Fault

SHARED, ROBUST = "posix/mutex_shared.c", "posix/mutex_robust.c"

FAULTS = [
    Fault("pshared-forgets", "who has slept takes it as uncontended", "pshared-three", SHARED,
          "            if (take(m, CROWDED)) /* S2 */\n", "            if (take(m, HELD))\n"),
    Fault("pshared-no-wake", "a release wakes nobody", "pshared-two", SHARED,
          "    if (fw_xchg32_release(&m->word, FREE) == CROWDED) /* 1 -> 0, 2 -> 0 */\n",
          "    if (fw_xchg32_release(&m->word, FREE) > CROWDED)\n"),
    Fault("pshared-looks-first", "a release looks for sleepers, then stores", "pshared-two", SHARED,
          "    if (fw_xchg32_release(&m->word, FREE) == CROWDED) /* 1 -> 0, 2 -> 0 */\n",
          "    uint32_t was = fw_load32_relaxed(&m->word);\n\n"
          "    fw_store32_release(&m->word, FREE);\n    if (was == CROWDED)\n"),
    Fault("pshared-stale-sleep", "sleeps with whatever it finds", "pshared-two", SHARED,
          "fw_futex_wait(&m->word, CROWDED,",
          "fw_futex_wait(&m->word, fw_load32_relaxed(&m->word),"),
    Fault("pshared-signs-after", "clears the owner after the release", "pshared-free", SHARED,
          "    fw_type_clear_(m, 0);\n    if (fw_xchg32_release(&m->word, FREE) == CROWDED)"
          " /* 1 -> 0, 2 -> 0 */\n        fw_futex_wake(&m->word, 1, FW_FUTEX_SHARED);\n",
          "    if (fw_xchg32_release(&m->word, FREE) == CROWDED)\n"
          "        fw_futex_wake(&m->word, 1, FW_FUTEX_SHARED);\n    fw_type_clear_(m, 0);\n"),
    Fault("pshared-relocks", "the owner of a recursive one waits for itself", "pshared-twice",
          SHARED, "is_mine(m, id) ? fw_type_relock_(m) : FW_TYPE_WAITS", "FW_TYPE_WAITS"),
    Fault("pshared-lets-go", "a recursive one is free after the first release", "pshared-twice",
          SHARED, "    if (fw_type_is_recursive_(m) && --m->shared_count != 0)\n",
          "    if (fw_type_is_recursive_(m) && --m->shared_count == UINT32_MAX)\n"),
    Fault("probust-forgets", "who has slept takes it without W", "probust-three", ROBUST,
          "        extra = FW_ROBUST_WAITERS;\n", ""),
    Fault("probust-no-wake", "a release wakes nobody", "probust-two", ROBUST,
          "    if (has_waiters(fw_xchg32_release(&m->word, 0)))\n",
          "    if (has_died(fw_xchg32_release(&m->word, 0)))\n"),
    Fault("probust-unlisted", "is not in the thread's list while it is held", "probust-kill",
          ROBUST, "    fw_robust_enter_(&m->word, 0);\n", ""),
    Fault("probust-heir-unlisted", "is not in the list of an heir", "probust-kill-two", ROBUST,
          "    fw_robust_enter_(&m->word, 0);\n",
          "    if (!has_died(before))\n        fw_robust_enter_(&m->word, 0);\n"),
    Fault("probust-unannounced-lock", "is taken before the kernel is told", "probust-kill", ROBUST,
          "    fw_robust_announce_as_(&r, &m->word, 0); /* R2 */\n"
          "    error = attempt(m, r.id, 0, &now);\n    if (error == FW_TYPE_WAITS)\n",
          "    r.id = fw_robust_self_();\n    error = attempt(m, r.id, 0, &now);\n"
          "    fw_robust_announce_as_(&r, &m->word, 0);\n    if (error == FW_TYPE_WAITS)\n"),
    Fault("probust-leaves-first", "leaves the list before it is announced", "probust-kill", ROBUST,
          "    fw_robust_announce_as_(&r, &m->word, 0); /* R2 */\n"
          "    fw_robust_leave_(&m->word);\n",
          "    fw_robust_leave_(&m->word);\n    fw_robust_announce_as_(&r, &m->word, 0);\n"),
    Fault("probust-withdraws-first", "is no longer announced when it is released", "probust-kill",
          ROBUST, "    put_back(m);\n    fw_robust_withdraw_(&r);\n",
          "    fw_robust_withdraw_(&r);\n    put_back(m);\n"),
    Fault("probust-quiet-heir", "an heir is not told", "probust-kill", ROBUST,
          "    return has_died(before) ? EOWNERDEAD : 0;\n", "    return 0;\n"),
    Fault("probust-sound-heir", "what a dead owner left counts as sound", "probust-give-up", ROBUST,
          "        fw_store32_relaxed(&m->owner, FW_OWNER_INCONSISTENT); /* R3 */\n",
          "        fw_store32_relaxed(&m->owner, id);\n"),
    Fault("probust-never-lost", "what was not repaired may be had", "probust-give-up", ROBUST,
          "is_sound ? 0 : FW_OWNER_GONE", "0"),
    Fault("probust-keeps-lost", "who finds it given up keeps the word",
          "probust-give-up-again", ROBUST,
          "        m->shared_count = 0;\n        put_back(m);\n", "        m->shared_count = 0;\n"),
    Fault("probust-robs", "takes it from the living", "probust-two", ROBUST,
          "    while (owner_of(*now) == 0) {\n",
          "    while (owner_of(*now) != id) {\n"),
    Fault("probust-robs-preempted", "takes it from an owner that is said not to run",
          "probust-lies", ROBUST, "    while (owner_of(*now) == 0) {\n",
          "    while (owner_of(*now) == 0 || fw_running_(owner_of(*now)) == FW_RUNNING_NO) {\n"),
    Fault("pshared-running-awake", "takes a waiter for awake while others want the CPU",
          "pshared-lies", "posix/mutex_shared.c",
          "if (fw_xchg32_release(&m->word, FREE) == CROWDED)",
          "if (fw_xchg32_release(&m->word, FREE) == CROWDED && !fw_cpu_is_wanted_())"),
    Fault("probust-no-nap", "sleeps without an end", "probust-kill-two", ROBUST,
          "FW_FUTEX_SHARED, &end)", "FW_FUTEX_SHARED, deadline)"),
]

FAMILY = Family("posix_mutex", ["mutex_shared.c", "mutex_robust.c"], ["posix/mutex_type.h"], {},
                FAULTS, "posix")
