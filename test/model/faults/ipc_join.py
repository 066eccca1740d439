# SPDX-License-Identifier: MIT
"""Faults in making a region, and in joining it."""
from .kinds import Family, Fault

JOIN = "src/ipc/join.c"

GROW = "        if (error == 0)\n            error = fw_shm_grow_(fd, plan->size);\n"
CHECK = ("    if (error == 0)\n"
         "        error = fw_ipc_head_check_(head, mapped, plan);\n"
         "    return error == 0 ? check_origin(plan) : error;\n")

FAULTS = [
    Fault("ipc-join-one-look", "looks once at a head that is begun meanwhile", "ipc-open", JOIN,
          "i < 2 && found == EUCLEAN", "i < 1 && found == EUCLEAN"),
    Fault("ipc-join-one-round", "gives up where somebody else was quicker", "ipc-open-sizes", JOIN,
          "i < ROUNDS; i++", "i < 1; i++"),
    Fault("ipc-join-short", "does not make the file long enough", "ipc-open", JOIN, GROW, ""),
    Fault("ipc-join-grows-late", "the file has a head, and not yet the length that it says",
          "ipc-open-find", JOIN, GROW,
          "        if (error == 0)\n"
          "            error = fw_shm_grow_(fd, sizeof(struct fw_ipc_head_));\n"),
    Fault("ipc-join-own-plan", "has not won, and goes on with its own plan", "ipc-open-sizes",
          JOIN, CHECK,
          "    if (error == 0)\n        error = fw_ipc_head_check_(head, mapped, plan);\n"
          "    return error == EEXIST ? 0 : error == 0 ? check_origin(plan) : error;\n"),
    Fault("ipc-join-left", "finds a head that is begun, and does not complete it", "ipc-open", JOIN,
          "    else\n        fw_ipc_head_complete_(head);\n", ""),
    Fault("ipc-join-unchecked", "joins a region that does not fit", "ipc-adopt-sizes", JOIN,
          "        error = settle(memory, false, plan, size);\n",
          "        error = settle(memory, false, plan, FW_IPC_REGION_MOST);\n"),
    Fault("ipc-join-not-only", "joins what another one has made, and was to be the only maker",
          "ipc-open-only", JOIN,
          "    if (found == 0 && (flags & FW_REGION_EXCLUSIVE) != 0)\n        return EEXIST;\n",
          ""),
    Fault("ipc-join-only-again", "lost the race to be the only maker, and joins", "ipc-adopt-only",
          JOIN, "    if (error == EEXIST && (flags & FW_REGION_EXCLUSIVE) == 0)\n"
          "        error = settle(memory", "    if (error == EEXIST)\n"
          "        error = settle(memory"),
    Fault("ipc-join-too-small", "joins a region that is smaller than it asks for",
          "ipc-open-sizes", JOIN,
          "    if (error == 0 && plan->size < size)\n        error = EPROTO;\n", ""),
    Fault("ipc-join-makes-anyway", "makes a region where it is only to find one", "ipc-open-find",
          JOIN, "    *is_to_make = found == ENOENT && (flags & FW_REGION_CREATE) != 0;\n",
          "    *is_to_make = found == ENOENT;\n"),
]

FAMILY = Family("ipc_join", ["join.c"], ["src/ipc/join.h"], {}, FAULTS, "src/ipc")
