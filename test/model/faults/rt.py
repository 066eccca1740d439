# SPDX-License-Identifier: MIT
"""Faults in the real-time locks."""
from .kinds import Family, Fault

CEILING = "rt/ceiling.c"
PIP = "rt/pip.c"
GATE = "rt/gate.c"

FAULTS = [
    Fault("rt-keeps-gate", "leaves a section, and does not give back the gate", "rt-pcp-two", GATE,
          "    if (gate != NULL)\n        give_back(t, gate);\n", ""),
    Fault("rt-waits-unannounced", "waits for a task that does not know", "rt-pcp-two", GATE,
          "    fw_store32_relaxed(&holder->unlock_call, 1);\n", ""),
    Fault("rt-looks-first", "looks who waits, then leaves the section", "rt-pcp-two",
          "rt/quick.h",
          "    fw_store64_release(&own->held, held);\n"
          "    __atomic_signal_fence(__ATOMIC_SEQ_CST);\n"
          "    return fw_load32_relaxed(&own->unlock_call) != 0;\n",
          "    uint32_t seen = fw_load32_relaxed(&own->unlock_call);\n\n"
          "    fw_store64_release(&own->held, held);\n    return seen != 0;\n"),
    Fault("rt-gives-no-way", "begins a section for which somebody waits already", "rt-pcp-again",
          "rt/quick.h", "is_quiet && fw_load32_relaxed(&t->cell->unlock_call) == 0", "is_quiet"),
    Fault("rt-takes-anyway", "takes a lock whatever is in the way", "rt-claim-three", CEILING,
          "            o = obstacle(t, d);\n            if (o.lock != FW_RT_NOBODY)\n"
          "                return o;\n", ""),
    Fault("rt-claims-blindly", "what it has looked at may have changed", "rt-claim-suspends",
          CEILING, "                      t->peers))\n", "                      0))\n"),
    Fault("rt-wakes-blindly", "does not look who goes first when it wakes", "rt-ipcp-middle",
          "rt/wake.c", "        if (o.lock == FW_RT_NOBODY)\n",
          "        if (o.lock <= FW_RT_NOBODY)\n"),
    Fault("rt-pip-no-wake", "frees the lock by itself while others wait", "rt-pip-two", PIP,
          "        if (fw_futex_unlock_pi_(gate, t->shared) != 0)\n",
          "        if (gate != NULL)\n"),
    Fault("rt-pip-quiet-heir", "an heir is not told", "rt-pip-kill", PIP,
          " & FUTEX_OWNER_DIED ? EOWNERDEAD : 0;", " & FUTEX_OWNER_DIED ? 0 : 0;"),
    Fault("rt-buries-quietly", "a lock that a dead task had is as good as new", "rt-pcp-kill",
          "rt/life.c", "    fw_rt_set_died_(w, l);\n    if (l->kind", "    if (l->kind"),
    Fault("rt-boost-no-wake", "hands a lock over and wakes nobody", "rt-mpcp-remote", "rt/boost.c",
          "    fw_futex_wake(grant, 1, t->shared);\n", ""),
]

FAMILY = Family("rt", ["lock.c", "ceiling.c", "pip.c", "boost.c", "wake.c", "gate.c", "life.c",
                       "guard.c"],
                ["rt/internal.h", "rt/decide.h", "rt/state.h", "rt/quick.h"], {}, FAULTS, "rt")
