# SPDX-License-Identifier: MIT
"""Faults of participants that join and leave; in the search for the dead.  (More: ipc_mutex.py)"""
from edits import at, before, call, condition, drop, instead, operand

from .kinds import Family, Fault

PARTICIPANT = "src/ipc/region/participant.c"

INTRODUCED = "    fw_store64_release(&m->introduced, nth);\n"
IDS = "    fw_store64_release(&m->ids, (uint64_t)fw_process_id_() << 32 | thread);\n"
SINCE = ("    fw_store64_release(&m->here_since, fw_start_now_());\n"
         "    fw_store64_release(&m->pid_namespace, fw_robust_namespace_());\n")
CHECKED = ("    uint64_t nth = fw_load64_acquire(&m->introduced);\n",
           "    uint32_t thread = (uint32_t)fw_load64_acquire(&m->ids);\n",
           "    uint64_t life = fw_load64_acquire(&m->life);\n")
USED = "    raise_used(place->head, slot + 1);\n"
RAISE = ("    uint32_t now = fw_load32_relaxed(&head->participants_used);\n\n"
         "    while (now < used && !fw_cas32_relaxed(&head->participants_used, &now, used)) "
         "/* n -> more */\n        ;\n")
LEAVE = "    fw_robust_announce_(&r, robust_word(m)); /* in view until it is free */\n"
FREES = ("        fw_store64_release(&m->life, slot_generation(k->id) << 32); "
         "/* tid -> free, the same slot generation: M1 */\n")

FAULTS = [
    Fault("ipc-participant-marks-next", "marks a line, whoever has it by then",
          "ipc-participant-unmarked", PARTICIPANT, condition(operand(2, "")),
          at("ipc-participant-marks-next-2", before("fw_store64_release(&m->life, marked);"))),
    Fault("ipc-participant-mixed-ids", "fills in who it is while the one before is still named",
          "ipc-participant-name", PARTICIPANT, drop()),
    Fault("ipc-participant-named-early", "says that its line is filled in, then fills it in",
          "ipc-participant-full", PARTICIPANT, instead("$4 $1 $2 $3", 4)),
    Fault("ipc-participant-no-former", "forgets who had the line", "ipc-participant-name",
          PARTICIPANT, call(1, "(void)remember_former")),
    Fault("ipc-participant-one-look", "reads who it is, and does not look whether that has changed",
          "ipc-participant-name", PARTICIPANT, condition("ids != 0")),
    Fault("ipc-participant-before-its-time", "takes one who came meanwhile for one that cannot be",
          "ipc-participant-ask", PARTICIPANT, instead("$3 $2 $1", 3)),
    Fault("ipc-participant-next-alive",
          "takes the next one that has a slot for the one it was asked about",
          "ipc-participant-full", PARTICIPANT, call(2, "FW_IPC_ALIVE")),
    Fault("ipc-participant-unused", "takes a line, and does not say that it is used",
          "ipc-participant", PARTICIPANT, drop()),
    Fault("ipc-participant-used-torn", "says how many lines are used by a load and a store",
          "ipc-participant-three", PARTICIPANT,
          instead("if (fw_load32_relaxed(&head->participants_used) < used) "
                  "fw_store32_relaxed(&head->participants_used, used);", 2)),
    Fault("ipc-participant-worn-out", "begins with slot generation 0 again",
          "ipc-participant-worn", PARTICIPANT, condition(operand(2, ""))),
    Fault("ipc-participant-leaves-unseen", "leaves, and the kernel does not have the line in view",
          "ipc-participant", PARTICIPANT, call(1,
          "r = (struct fw_robust_){fw_robust_thread_.id, 1, 0}")),
    Fault("ipc-participant-leaves-early", "withdraws its line, then frees it", "ipc-participant",
          PARTICIPANT, before("fw_robust_withdraw_(&r);")),
    Fault("ipc-participant-links-late", "withdraws its line, then enters it into its list",
          "ipc-participant", PARTICIPANT, before("fw_robust_withdraw_(&r);")),
    Fault("ipc-participant-counts-itself", "takes itself for another one",
          "ipc-participant-others", PARTICIPANT, condition(operand(1, ""))),
    Fault("ipc-participant-counts-dead", "takes a thread that has ended for a live one",
          "ipc-participant-others", PARTICIPANT, call(1, "slot < UINT32_MAX")),
    Fault("ipc-participant-quiet-line", "takes a line, and its process does not know",
          "ipc-participant-others", PARTICIPANT, drop()),
]

FAMILY = Family("ipc_participant", ["participant.c"], ["src/ipc/region/participant.h"],
                {"participant.c": ["fw_ipc_self_"]}, FAULTS, "src/ipc/region")
