# SPDX-License-Identifier: MIT
"""Faults in the head of a region."""
from edits import at, before, instead, value

from .kinds import Family, Fault

HEAD = "src/ipc/region/head.c"

FAULTS = [
    Fault("ipc-head-torn-plan", "stores its plan, whoever was quicker", "ipc-head-plans", HEAD,
          value("nothing == fw_xchg64_seq_cst(&head->plan, word_of(plan))")),
    Fault("ipc-head-magic-first", "says that it is made, then makes it", "ipc-head-look", HEAD,
          before("fw_store64_release(&head->magic, FW_IPC_MAGIC);")),
    Fault("ipc-head-own-plan", "completes a head by its own plan", "ipc-head-plans", HEAD,
          instead("(void)is_maker; struct fw_ipc_head_ wanted; struct fw_ipc_plan_ mine = *plan; "
              "mine.boot = mine.pid_namespace = 1; draw_up(&mine, &wanted); for (unsigned i = 1; "
              "i <= CONSTANT_WORDS; i++) fw_store64_release((fw_word_ *)head + i, "
              "words_of(&wanted)[i]); fw_store64_release(&head->magic, FW_IPC_MAGIC);")),
    Fault("ipc-head-left", "leaves a head that another maker has begun", "ipc-head", HEAD,
          at("ipc-head-own-plan", before("if (is_maker)"))),
    Fault("ipc-head-plan-early", "looks at the plan before all other constants", "ipc-head-look",
          HEAD,
          at("ipc-head-magic-late", before("to[PLAN_WORD] = fw_load64_relaxed(words_of(head) + "
              "PLAN_WORD);")), instead("if (to[PLAN_WORD] != 0 || to[0] == 0) { $ return; } $")),
    Fault("ipc-head-magic-late", "looks whether it is made after all else", "ipc-head-look", HEAD,
          instead("$1 $2 $3 $1", 3)),
]

FAMILY = Family("ipc_head", ["head.c"], ["src/ipc/region/head.h"], {}, FAULTS, "src/ipc/region")
