# SPDX-License-Identifier: MIT
"""Faults in operations that wait for objects of a region, and in what a loop does for them."""
from edits import argument, condition, drop, instead, value

from .kinds import Family, Fault

WATCH, ARM, REGION = "src/await/watch.c", "src/await/watch_arm.c", "src/await/region.c"
MUTEX, SEM = "src/await/region_mutex.c", "src/await/region_sem.c"
COND = "src/await/region_cond.c"

FAULTS = [
    Fault("ipc-await-never-arms", "queues the first one, and asks the kernel nothing", "ipc-await",
          REGION, instead("(void)is_first;")),
    Fault("ipc-await-late-word", "waits for a change of what the word is by then", "ipc-await", ARM,
          argument(6, "fw_load32_acquire(look->word)")),
    Fault("ipc-await-unannounced", "waits, and the word does not say so", "ipc-await", MUTEX,
          condition("false")),
    Fault("ipc-await-keeps-wake", "was told, and is the last to know", "ipc-await-drop", WATCH,
          instead("(void)0;")),
    Fault("ipc-await-leaves-quietly", "was told, and nobody waits in the loop any more",
          "ipc-await-drop", WATCH, drop()),
    Fault("ipc-await-untold", "takes it after a wake as if there had been none",
          "ipc-await-threads", WATCH, instead("(void)0;")),
    Fault("ipc-await-unwatched", "watches nobody's life", "ipc-await-told", ARM,
          instead("(void)0;")),
    Fault("ipc-await-late-life", "waits for the end of a life that has ended", "ipc-await-told-two",
          ARM, condition("false")),
    Fault("ipc-await-keeps-death", "learns of a death, and does not pass it on",
          "ipc-await-told-three", WATCH, instead("(void)0;")),
    Fault("ipc-await-deaf", "does not wait for the alarm", "ipc-await-told-three", ARM, drop()),
    Fault("ipc-await-late-alarm", "does not look again once it hears the alarm",
          "ipc-await-told-three", WATCH, drop()),
    Fault("ipc-await-keeps-alarm", "is woken by the alarm, and does not pass it on",
          "ipc-await-told-four", WATCH, drop()),
    Fault("ipc-await-idle-alarm", "is woken by the alarm, and does not look",
          "ipc-await-told-three", WATCH, drop()),
    Fault("ipc-await-hides-death", "is dropped, and gives the mutex up that it has from the dead",
          "ipc-await-told-drop", MUTEX, condition("false")),
    Fault("ipc-await-keeps-unit", "is dropped, and keeps the unit that it was granted",
          "ipc-await-units-drop", SEM, drop()),
    Fault("ipc-await-old-moves", "was moved before it asked anew, and thinks that it was not",
          "ipc-await-cond-tasks", COND,
          value("w->word.word != NULL && were_moves(w->beside.expected, now)")),
    Fault("ipc-await-closes-quietly", "the same, and its loop is destroyed", "ipc-await-cond-all",
          WATCH, drop()),
]

FAMILY = Family("ipc_await", ["await/region.c", "await/region_mutex.c", "await/region_sem.c",
                              "await/region_cond.c", "await/watch.c", "await/watch_arm.c",
                              "await/operation.c", "await/loop.c", "await/run.c"], [],
                {"await/region.c": ["fw_targets_", "fw_operation_region_"],
                 "await/region_mutex.c": ["fw_target_mutex_", "fw_target_relock_"],
                 "await/region_sem.c": ["fw_target_sem_"],
                 "await/region_cond.c": ["fw_target_cond_"],
                 "await/run.c": ["fw_operation_post_", "fw_operation_timer_"]}, FAULTS)
