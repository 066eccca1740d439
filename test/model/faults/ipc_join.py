# SPDX-License-Identifier: MIT
"""Faults in making a region, and in joining it."""
from edits import argument, condition, drop, instead, operand, value

from .kinds import Family, Fault

JOIN = "src/ipc/region/join.c"

GROW = "        if (error == 0)\n            error = fw_shm_grow_(fd, plan->size);\n"
CHECK = ("    if (error == 0)\n"
         "        error = fw_ipc_head_check_(head, mapped, plan);\n"
         "    return error == 0 ? check_origin(plan) : error;\n")

FAULTS = [
    Fault("ipc-join-one-look", "looks once at a head that is begun meanwhile", "ipc-open", JOIN,
          condition(operand(1, operand(2, "1")))),
    Fault("ipc-join-one-round", "gives up where somebody else was quicker", "ipc-open-sizes", JOIN,
          condition(operand(2, "1"))),
    Fault("ipc-join-short", "does not make the file long enough", "ipc-open", JOIN, drop()),
    Fault("ipc-join-grows-late", "the file has a head, and not yet the length that it says",
          "ipc-open-find", JOIN, argument(2, "sizeof(struct fw_ipc_head_)")),
    Fault("ipc-join-own-plan", "has not won, and goes on with its own plan", "ipc-open-sizes", JOIN,
          value("error == EEXIST ? 0 : $")),
    Fault("ipc-join-left", "finds a head that is begun, and does not complete it", "ipc-open", JOIN,
          instead("$1", 3)),
    Fault("ipc-join-unchecked", "joins a region that does not fit", "ipc-adopt-sizes", JOIN,
          argument(4, "FW_IPC_REGION_MAX_SIZE")),
    Fault("ipc-join-not-only", "joins what another one has made, and was to be the only maker",
          "ipc-open-only", JOIN, drop()),
    Fault("ipc-join-only-again", "lost the race to be the only maker, and joins", "ipc-adopt-only",
          JOIN, condition(operand(2, ""))),
    Fault("ipc-join-too-small", "joins a region that is smaller than it asks for", "ipc-open-sizes",
          JOIN, drop()),
    Fault("ipc-join-makes-anyway", "makes a region where it is only to find one", "ipc-open-find",
          JOIN, value(operand(2, ""))),
]

FAMILY = Family("ipc_join", ["join.c"], ["src/ipc/region/join.h"], {}, FAULTS, "src/ipc/region")
