# SPDX-License-Identifier: MIT
"""Faults in the library's side of tier B; its scheduler's are in rules.py."""
from edits import condition, drop, head, instead, value, word

from .kinds import Family, Fault

USER = "rt/scx/user.c"
ENDED = "rt/scx/ended.c"

FAULTS = [
    Fault("scx-sees-old-leave", "sees that it may lock, and locks then", "scx-pcp-end", USER,
          instead("return fw_or64_seq_cst(&page->locked, fw_rt_bit(desc)), true;")),
    Fault("scx-locks-anyway", "locks by itself without leave", "scx-pcp", USER, head("for (;;)")),
    Fault("scx-late-record", "joins the queue, then says that it is in it", "scx-queue-end-local",
          USER,
          instead("if (fw_or64_seq_cst(queue_of(t, desc), own) == 0) return "
              "fw_or64_seq_cst(&t->page->locked, fw_rt_bit(desc)), 0; $1", 2)),
    Fault("scx-waits-forever", "waits for the answer of a scheduler that is gone", "scx-pcp-end",
          USER, condition("$ && page->away")),
    Fault("scx-late-looks-not", "does not look at the pages of the others", "scx-pcp-end", ENDED,
          condition("is_blocked(t) || !try")),
    Fault("scx-late-one-page", "does not look at one page", "scx-pcp-end", ENDED, word(5, "1")),
    Fault("scx-late-no-token", "leaves a queue with others in it, and no token", "scx-queue-end",
          ENDED, drop()),
    Fault("scx-late-takes-anyway", "takes the queue, whoever has it", "scx-queue-end", ENDED,
          value("0")),
    Fault("scx-late-no-wake", "leaves, and wakes nobody", "scx-pcp-end", ENDED, drop()),
    Fault("scx-late-keeps-token", "takes the token, and leaves it", "scx-queue-end", ENDED, drop()),
]

FAMILY = Family("scx", ["user.c", "ended.c"],
                ["rt/internal.h", "rt/decide.h", "rt/state.h", "rt/scx/page.h", "rt/scx/user.h"],
                {}, FAULTS, "rt/scx")
