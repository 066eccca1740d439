# SPDX-License-Identifier: MIT
"""Faults in members that come and leave, and in looking for the dead.  (More: ipc_mutex.py.)"""
from edits import at, before, call, condition, drop, instead, operand

from .kinds import Family, Fault

MEMBER = "src/ipc/region/member.c"

INTRODUCED = "    fw_store64_release(&m->introduced, nth);\n"
IDS = "    fw_store64_release(&m->ids, (uint64_t)fw_process_id_() << 32 | thread);\n"
SINCE = ("    fw_store64_release(&m->here_since, fw_start_now_());\n"
         "    fw_store64_release(&m->pid_namespace, fw_robust_namespace_());\n")
CHECKED = ("    uint64_t nth = fw_load64_acquire(&m->introduced);\n",
           "    uint32_t thread = (uint32_t)fw_load64_acquire(&m->ids);\n",
           "    uint64_t life = fw_load64_acquire(&m->life);\n")
USED = "    raise_used(place->head, slot + 1);\n"
RAISE = ("    uint32_t now = fw_load32_relaxed(&head->members_used);\n\n"
         "    while (now < used && !fw_cas32_relaxed(&head->members_used, &now, used)) "
         "/* n -> more */\n        ;\n")
LEAVE = "    fw_robust_announce_(&r, robust_word(m)); /* in view until it is free */\n"
FREES = ("        fw_store64_release(&m->life, slot_generation(k->id) << 32); "
         "/* tid -> free, the same slot generation: M1 */\n")

FAULTS = [
    Fault("ipc-member-marks-next", "marks a line, whoever has it by then", "ipc-member-unmarked",
          MEMBER, condition(operand(2, "")),
          at("ipc-member-marks-next-2", before("fw_store64_release(&m->life, marked);"))),
    Fault("ipc-member-mixed-ids", "fills in who it is while the one before is still named",
          "ipc-member-name", MEMBER, drop()),
    Fault("ipc-member-named-early", "says that its line is filled in, then fills it in",
          "ipc-member-full", MEMBER, instead("$4 $1 $2 $3", 4)),
    Fault("ipc-member-no-former", "forgets who had the line", "ipc-member-name", MEMBER,
          call(1, "(void)remember_former")),
    Fault("ipc-member-one-look", "reads who it is, and does not look whether that has changed",
          "ipc-member-name", MEMBER, condition("ids != 0")),
    Fault("ipc-member-before-its-time", "takes one who came meanwhile for one that cannot be",
          "ipc-member-ask", MEMBER, instead("$3 $2 $1", 3)),
    Fault("ipc-member-next-alive",
          "takes the next one that has a slot for the one it was asked about", "ipc-member-full",
          MEMBER, call(2, "FW_IPC_ALIVE")),
    Fault("ipc-member-unused", "takes a line, and does not say that it is used", "ipc-member",
          MEMBER, drop()),
    Fault("ipc-member-used-torn", "says how many lines are used by a load and a store",
          "ipc-member-three", MEMBER,
          instead("if (fw_load32_relaxed(&head->members_used) < used) "
              "fw_store32_relaxed(&head->members_used, used);", 2)),
    Fault("ipc-member-worn-out", "begins with slot generation 0 again", "ipc-member-worn", MEMBER,
          condition(operand(2, ""))),
    Fault("ipc-member-leaves-unseen", "leaves, and the kernel does not have the line in view",
          "ipc-member", MEMBER, call(1, "r = (struct fw_robust_){fw_robust_thread_.id, 1, 0}")),
    Fault("ipc-member-leaves-early", "withdraws its line, then frees it", "ipc-member", MEMBER,
          before("fw_robust_withdraw_(&r);")),
    Fault("ipc-member-links-late", "withdraws its line, then enters it into its list", "ipc-member",
          MEMBER, before("fw_robust_withdraw_(&r);")),
    Fault("ipc-member-counts-itself", "takes itself for another one", "ipc-member-company", MEMBER,
          condition(operand(1, ""))),
    Fault("ipc-member-counts-dead", "takes a thread that has ended for company",
          "ipc-member-company", MEMBER, call(1, "slot < UINT32_MAX")),
    Fault("ipc-member-quiet-line", "takes a line, and its process does not know",
          "ipc-member-company", MEMBER, drop()),
]

FAMILY = Family("ipc_member", ["member.c"], ["src/ipc/region/member.h"],
                {"member.c": ["fw_ipc_self_"]}, FAULTS, "src/ipc/region")
