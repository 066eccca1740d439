# SPDX-License-Identifier: MIT
"""Faults in the rules of the model; the programs are the mutex's."""
from .kinds import Rule

RULES = [
    Rule("no-fence", "the fence does nothing", "two", "FAULT_NO_FENCE"),
    Rule("fence-without-drain", "the fence leaves stores in the buffers", "two",
         "FAULT_FENCE_WITHOUT_DRAIN"),
    Rule("fence-without-abort", "the fence leaves plain releases under way", "two",
         "FAULT_FENCE_WITHOUT_ABORT"),
    Rule("owner-half-only", "the plain release does not look at the waiters half", "two",
         "FAULT_LOOK_AT_OWNER_ONLY"),
    Rule("lost-wake", "the kernel wakes nobody", "two", "FAULT_LOST_WAKE"),
    Rule("wait-without-compare", "the kernel lets sleep without comparing", "two",
         "FAULT_WAIT_WITHOUT_COMPARING"),
    Rule("lost-requeue", "the kernel moves nobody", "fair-back", "FAULT_LOST_REQUEUE"),
    Rule("lost-move", "the kernel moves nobody from the variable to the mutex", "cond-broadcast",
         "FAULT_LOST_REQUEUE"),
    Rule("ipc-no-mark", "the kernel does not mark the dead", "ipc-try", "FAULT_NO_MARK"),
    Rule("lends-nothing", "the kernel lends no priority", "rt-pcp-middle", "FAULT_LENDS_NOTHING"),
    Rule("unlocked-cas", "compare-and-swap is a load and a store", "two", "FAULT_UNLOCKED_CAS"),
]
