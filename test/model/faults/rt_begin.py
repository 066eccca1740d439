# SPDX-License-Identifier: MIT
"""Faults in how tasks of the real-time locks begin and end."""
from .kinds import Family, Fault

TASK = "rt/task.c"

FAULTS = [
    Fault("rt-begin-blindly", "begins, and does not look who goes first", "rt-begin-held-back",
          TASK, "    error = t->page == NULL ? fw_rt_yield_to_first_(t) : 0; /* WAKE1: it is as"
          " one that wakes up */\n", "    error = 0;\n"),
    Fault("rt-begin-cpu-first", "moves to its CPU, and has its priority then", "rt-begin", TASK,
          "    if (t->state->tier == FW_RT_TIER_A && sched_setscheduler(0, policy, &param) != 0)\n",
          "    sched_setaffinity(0, sizeof cpus, &cpus);\n"
          "    if (t->state->tier == FW_RT_TIER_A &&\n"
          "        sched_setscheduler(0, policy, &param) != 0)\n"),
    Fault("rt-begin-unguarded", "takes a record that another one may be taking", "rt-begin-two",
          TASK,
          "    fw_rt_state_lock_(w, t->tid, t->shared, &r);\n    fw_rt_reap_former_(t);\n",
          "    fw_robust_announce_as_(&r, &w->state_lock, FW_ROBUST_INHERITS);\n"
          "    fw_rt_reap_former_(t);\n"),
    Fault("rt-begin-uncounted", "begins, and those who have looked around do not know of it",
          "rt-begin-quick", TASK, "        count_begun(&w->begun);\n",
          "        if (w->begun == UINT32_MAX)\n            count_begun(&w->begun);\n"),
    Fault("rt-end-priority-first", "is an ordinary thread again, and leaves its CPU then",
          "rt-begin", TASK,
          "    if (t->old_cpus != NULL)\n"
          "        sched_setaffinity(0, t->old_cpus_size, (const cpu_set_t *)t->old_cpus);\n"
          "    sched_setscheduler(0, t->old_policy, &old);\n",
          "    sched_setscheduler(0, t->old_policy, &old);\n"
          "    if (t->old_cpus != NULL)\n"
          "        sched_setaffinity(0, t->old_cpus_size, (const cpu_set_t *)t->old_cpus);\n"),
    Fault("rt-end-keeps-cpu", "ends, and stays on its CPU", "rt-begin-two", TASK,
          "    if (t->old_cpus != NULL)\n        sched_setaffinity(",
          "    if (t->old_cpus == NULL)\n        sched_setaffinity("),
    Fault("rt-end-keeps-proxies", "leaves its record, and knows of no proxy that bears its id",
          "rt-end-moved", TASK, "    else\n        fw_rt_proxy_leave_slow_(t); /* PROXY6 */\n",
          "    else if (fw_load32_relaxed(&t->record->unlock_call) != 0)\n"
          "        fw_rt_proxy_leave_slow_(t);\n"),
    Fault("rt-end-keeps-locks", "leaves its record, and still counts as a user of locks",
          "rt-begin-two", TASK,
          "    fw_rt_forget_user_(w, t->slot);\n    fw_store32_relaxed(&t->record->ready, 0);\n",
          "    fw_store32_relaxed(&t->record->ready, 0);\n"),
]

FAMILY = Family("rt_begin", ["task.c", "open.c"], [], {}, FAULTS, "rt")
