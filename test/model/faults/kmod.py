# SPDX-License-Identifier: MIT
"""Faults in the core of the kernel module."""
from edits import argument, before, condition, drop, instead, value

from .kinds import Family, Fault

CORE, QUEUE = "kmod/core.c", "kmod/queue.c"
ACQUIRE, SEM = "kmod/acquire.c", "kmod/sem.c"

FAULTS = [
    Fault("kmod-reads-early", "compares the word when it does not have the bucket", "kmod-wait",
          CORE, instead("fwk_spin_unlock(&b->lock); $ fwk_spin_lock(&b->lock);")),
    Fault("kmod-wakes-nobody", "takes a waiter out, and leaves it asleep", "kmod-wait", QUEUE,
          drop()),
    Fault("kmod-gone-early", "says that a waiter may go, and uses it", "kmod-wait", QUEUE,
          before("fwk_store_release(&w->bucket, NULL);")),
    Fault("kmod-trusts-bucket", "leaves by the lock of the bucket where it was", "kmod-requeue",
          QUEUE, condition("true")),
    Fault("kmod-takes-blind", "takes the word, and does not say that others wait",
          "kmod-count-three", ACQUIRE, value(argument(3, "false"))),
    Fault("kmod-queues-blind", "sleeps, and does not say so", "kmod-count", ACQUIRE, value("v")),
    Fault("kmod-leaves-blind", "was woken and gives up, and does not say that others wait",
          "kmod-count-late", ACQUIRE, condition("may_queue")),
    Fault("kmod-grants-blind", "hands over, and does not say that others wait", "kmod-count-fair",
          ACQUIRE, value(argument(3, "false"))),
    Fault("kmod-forgets-token", "does not see the unit that came before", "kmod-sem", SEM,
          condition("true")),
]

FAMILY = Family("kmod", ["core.c", "acquire.c", "sem.c", "queue.c"],
                ["kmod/core.h", "kmod/queue.h"], {}, FAULTS, "kmod")
