# SPDX-License-Identifier: MIT
"""Faults in the head of a region."""
from .kinds import Family, Fault

HEAD = "src/ipc/head.c"

FAULTS = [
    Fault("ipc-head-torn-plan", "stores its plan, whoever was quicker", "ipc-head-plans", HEAD,
          "        is_maker = fw_cas64_acq_rel(&head->plan, &nothing, word_of(plan)); "
          "/* not begun -> begun */\n",
          "        is_maker = nothing == fw_xchg64_seq_cst(&head->plan, word_of(plan));\n"),
    Fault("ipc-head-magic-first", "says that it is made, then makes it", "ipc-head-look", HEAD,
          "    for (unsigned i = 1; i <= CONSTANT_WORDS; i++)\n"
          "        fw_store64_release((fw_word_ *)head + i, words_of(&wanted)[i]); /* H5 */\n",
          "    fw_store64_release(&head->magic, FW_IPC_MAGIC);\n"
          "    for (unsigned i = 1; i <= CONSTANT_WORDS; i++)\n"
          "        fw_store64_release((fw_word_ *)head + i, words_of(&wanted)[i]);\n"),
    Fault("ipc-head-own-plan", "completes a head by its own plan", "ipc-head-plans", HEAD,
          "    fw_ipc_head_complete_(head);\n    return is_maker ? 0 : EEXIST;\n",
          "    (void)is_maker;\n    struct fw_ipc_head_ wanted;\n"
          "    struct fw_ipc_plan_ mine = *plan;\n"
          "    mine.boot = mine.pid_namespace = 1;\n    draw_up(&mine, &wanted);\n"
          "    for (unsigned i = 1; i <= CONSTANT_WORDS; i++)\n"
          "        fw_store64_release((fw_word_ *)head + i, words_of(&wanted)[i]);\n"
          "    fw_store64_release(&head->magic, FW_IPC_MAGIC);\n"
          "    return is_maker ? 0 : EEXIST;\n"),
    Fault("ipc-head-left", "leaves a head that another maker has begun", "ipc-head", HEAD,
          "    fw_ipc_head_complete_(head);\n    return is_maker ? 0 : EEXIST;\n",
          "    if (is_maker)\n        fw_ipc_head_complete_(head);\n"
          "    return is_maker ? 0 : EEXIST;\n"),
    Fault("ipc-head-plan-early", "looks at the plan before all other constants", "ipc-head-look",
          HEAD, "    to[0] = fw_load64_acquire(words_of(head));\n",
          "    to[PLAN_WORD] = fw_load64_relaxed(words_of(head) + PLAN_WORD);\n"
          "    to[0] = fw_load64_acquire(words_of(head));\n"
          "    if (to[PLAN_WORD] != 0 || to[0] == 0) {\n"
          "        for (unsigned i = 1; i <= CONSTANT_WORDS; i++)\n"
          "            if (i != PLAN_WORD)\n"
          "                to[i] = fw_load64_acquire(words_of(head) + i);\n"
          "        return;\n    }\n"),
    Fault("ipc-head-magic-late", "looks whether it is made after all else", "ipc-head-look", HEAD,
          "    to[PLAN_WORD] = fw_load64_relaxed(words_of(head) + PLAN_WORD);\n",
          "    to[PLAN_WORD] = fw_load64_relaxed(words_of(head) + PLAN_WORD);\n"
          "    to[0] = fw_load64_acquire(words_of(head));\n"),
]

FAMILY = Family("ipc_head", ["head.c"], ["src/ipc/head.h"], {}, FAULTS, "src/ipc")
