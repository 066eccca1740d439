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
    Rule("bucket-lent-nothing", "the kernel lends no priority", "bucket-inversion",
         "FAULT_LENDS_NOTHING"),
    Rule("scx-keeps-leave", "the scheduler ends, and a task may still lock", "scx-pcp-end",
         "FAULT_KEEPS_LEAVE"),
    Rule("scx-unnoted", "the scheduler does not look what a task has taken", "scx-pcp",
         "FAULT_UNNOTED"),
    Rule("scx-lost-token", "the scheduler forgets a lock that nobody asks for yet", "scx-queue",
         "FAULT_LOST_TOKEN"),
    Rule("scx-quiet-burial", "the scheduler forgets that an owner has died", "scx-pcp-kill",
         "FAULT_QUIET_BURIAL"),
    Rule("scx-quiet-handoff", "the scheduler does not tell who tries that the owner has died",
         "scx-queue-kill-try", "FAULT_QUIET_HANDOFF"),
    Rule("unlocked-cas", "compare-and-swap is a load and a store", "two", "FAULT_UNLOCKED_CAS"),
]
