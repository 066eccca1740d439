# SPDX-License-Identifier: MIT
"""Faults in the mutex between processes, and in what all such locks stand on."""
from .kinds import Family, Fault

MUTEX = "src/ipc/mutex.c"
MEMBER = "src/ipc/member.c"

FAULTS: list[Fault] = []

FAMILY = Family("ipc_mutex", ["mutex.c", "recover.c", "nap.c", "member.c"],
                ["src/ipc/mutex.h", "src/ipc/recover.h", "src/ipc/nap.h", "src/ipc/member.h"],
                {"member.c": ["fw_ipc_self_"]}, FAULTS, "src/ipc")
