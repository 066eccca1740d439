# SPDX-License-Identifier: MIT
"""Faults in the library's side of tier B; its scheduler's are in rules.py."""
from .kinds import Family, Fault

USER = "rt/scx/user.c"
ENDED = "rt/scx/ended.c"

FAULTS = [
    Fault("scx-sees-old-leave", "sees that it may lock, and locks then", "scx-pcp-end", USER,
          "        if (fw_cas64_acquire(&page->locked, &seen, seen | fw_rt_bit(desc)))\n"
          "            return true;\n",
          "        return fw_or64_seq_cst(&page->locked, fw_rt_bit(desc)), true;\n"),
    Fault("scx-locks-anyway", "locks by itself without leave", "scx-pcp", USER,
          "    while (seen & FW_RT_CAN_LOCK)\n", "    for (;;)\n"),
    Fault("scx-late-record", "joins the queue, then says that it is in it", "scx-queue-end-local",
          USER, "    fw_or64_seq_cst(&t->page->locked, fw_rt_bit(desc));\n"
          "    if (fw_or64_seq_cst(queue_of(t, desc), own) == 0) /* 0 -> own */\n"
          "        return 0;\n",
          "    if (fw_or64_seq_cst(queue_of(t, desc), own) == 0)\n"
          "        return fw_or64_seq_cst(&t->page->locked, fw_rt_bit(desc)), 0;\n"
          "    fw_or64_seq_cst(&t->page->locked, fw_rt_bit(desc));\n"),
    Fault("scx-waits-for-ever", "waits for the answer of a scheduler that is gone", "scx-pcp-end",
          USER, "        if (!was_alive) {", "        if (!was_alive && page->away) {"),
    Fault("scx-late-looks-not", "does not look at the pages of the others", "scx-pcp-end", ENDED,
          "        if (!is_blocked(t)) {", "        if (is_blocked(t) || !try) {"),
    Fault("scx-late-one-page", "does not look at one page", "scx-pcp-end", ENDED,
          "static bool is_blocked(const struct fw_rt_task *t)\n{\n"
          "    const struct fw_rt_scx *scx = scx_of(t);\n"
          "    bool blocked = false;\n    uint32_t i;\n\n"
          "    for (i = 0; i < FW_RT_TASKS; i++) {\n",
          "static bool is_blocked(const struct fw_rt_task *t)\n{\n"
          "    const struct fw_rt_scx *scx = scx_of(t);\n"
          "    bool blocked = false;\n    uint32_t i;\n\n"
          "    for (i = 1; i < FW_RT_TASKS; i++) {\n"),
    Fault("scx-late-no-token", "leaves a queue with others in it, and no token", "scx-queue-end",
          ENDED, "    fw_store32_relaxed(&scx_of(t)->shared->token[desc], 1);\n", ""),
    Fault("scx-late-takes-anyway", "takes the queue, whoever has it", "scx-queue-end", ENDED,
          "            return EBUSY;\n        mark_died",
          "            return 0;\n        mark_died"),
    Fault("scx-late-no-wake", "leaves, and wakes nobody", "scx-pcp-end", ENDED,
          "    fw_futex_wake(&t->state->left, FW_FUTEX_ALL, t->shared);\n", ""),
    Fault("scx-late-keeps-token", "takes the token, and leaves it", "scx-queue-end", ENDED,
          "    fw_store32_relaxed(&scx->shared->token[desc], 0);\n"
          "    return tell_died(scx, desc);\n",
          "    return tell_died(scx, desc);\n"),
]

FAMILY = Family("scx", ["user.c", "ended.c"],
                ["rt/internal.h", "rt/decide.h", "rt/state.h", "rt/scx/page.h", "rt/scx/user.h"],
                {}, FAULTS, "rt/scx")
