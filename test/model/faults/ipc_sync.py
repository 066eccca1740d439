# SPDX-License-Identifier: MIT
"""Faults in permits, barrier, once and semaphore between processes."""
from edits import after, argument, at, before, call, condition, drop, head, instead, operand, value

from .kinds import Family, Fault

PERMITS = "src/ipc/permits.c"
BARRIER = "src/ipc/barrier.c"
SLOTS = "src/ipc/barrier_slot.c"
ONCE = "src/ipc/once.c"
SEM = "src/ipc/sem.c"

TAKE_OVER = ("        else if (life == FW_IPC_DEAD && "
             "fw_cas64_acquire(&v->permits[i], &w, v->me.id)) {\n")

PERMIT_FAULTS = [
    Fault("ipc-permits-robs", "takes permits from the living", "ipc-permits", PERMITS,
          condition(operand(1, "life != FW_IPC_CORRUPT"))),
    Fault("ipc-permits-torn", "takes a permit by a load and a store", "ipc-permits", PERMITS,
          instead("if (w == 0) { fw_store64_release(&v->permits[i], v->me.id); return i; }")),
    Fault("ipc-permits-torn-over", "takes a dead one's permit by a load and a store",
          "ipc-permits-kill-two", PERMITS, at("ipc-permits-robs", condition(operand(2, ""))),
          before("fw_store64_release(&v->permits[i], v->me.id);")),
    Fault("ipc-permits-lost", "takes the permits of dead ones for damaged", "ipc-permits-kill",
          PERMITS, instead("$1 $2 if (life == FW_IPC_DEAD) $1 $2", 2),
          at("ipc-permits-robs", condition(operand(1, operand(2, "FW_IPC_CORRUPT"))))),
    Fault("ipc-permits-unannounced", "sleeps, and the queue does not say so", "ipc-permits",
          PERMITS,
          value("fw_wait_blocks_(&wait->spin) ? fw_load64_relaxed(&v->u->queue_) : announce(v)")),
    Fault("ipc-permits-looks-first", "looks at the permits, then announces itself", "ipc-permits",
          PERMITS, at("ipc-permits-unannounced", instead("$2 $3 $4 $1", 4))),
    Fault("ipc-permits-unwatched", "sleeps, and watches no holder's life", "ipc-permits-told",
          PERMITS, drop()),
    Fault("ipc-permits-no-wake", "gives back, and wakes nobody", "ipc-permits", PERMITS,
          condition("w == UINT64_MAX")),
    Fault("ipc-permits-unfenced", "may look at the queue before the permit is free", "ipc-permits",
          PERMITS, condition(operand(2, "")),
          at("ipc-permits-unfenced-2", before("fw_store64_release(&v->permits[permit], 0);"))),
]

BARRIER_FAULTS = [
    Fault("ipc-barrier-waits-for-dead", "waits for those who died", "ipc-barrier-goes-on", BARRIER,
          instead("is_awaited = true;")),
    Fault("ipc-barrier-never-fails", "goes on where it is to fail", "ipc-barrier-fails", BARRIER,
          condition(operand(1, operand(2, "FW_IPC_CORRUPT")))),
    Fault("ipc-barrier-always-fails", "fails where it is to go on", "ipc-barrier-goes-on", BARRIER,
          at("ipc-barrier-never-fails", condition(operand(2, "")))),
    Fault("ipc-barrier-unwatched", "sleeps, and watches nobody's life", "ipc-barrier-told", BARRIER,
          drop()),
    Fault("ipc-barrier-sleeps-done", "sleeps where the last one has arrived, and has died over it",
          "ipc-barrier-told", SLOTS, drop()),
    Fault("ipc-barrier-uncompared", "sleeps, and does not see that somebody has come and died",
          "ipc-barrier-told-joins", SLOTS, instead(";")),
    Fault("ipc-barrier-unwatched-newcomer", "becomes a party, and nobody watches its life",
          "ipc-barrier-told-joins", SLOTS, drop()),
    Fault("ipc-barrier-old-look", "fails over one that arrived before it died", "ipc-barrier-fails",
          BARRIER, drop()),
    Fault("ipc-barrier-early", "does not wait for the living", "ipc-barrier", BARRIER, drop(2)),
    Fault("ipc-barrier-torn-end", "ends a round by a load and a store", "ipc-barrier", SLOTS,
          value("fw_store64_release(&v->b->round_, next), true")),
    Fault("ipc-barrier-no-wake", "ends a round, and wakes nobody", "ipc-barrier", SLOTS,
          condition("w == UINT64_MAX")),
    Fault("ipc-barrier-unannounced", "sleeps, and the word does not say so", "ipc-barrier", BARRIER,
          condition("!$")),
    Fault("ipc-barrier-robs", "takes its slot for its own after a reset", "ipc-barrier-retakes",
          BARRIER, instead("(void)0; else")),
    Fault("ipc-barrier-quiet-newcomer", "takes a slot, and does not change the round's word",
          "ipc-barrier-takes-left", SLOTS, value("fw_load64_acquire(&v->b->round_)")),
    Fault("ipc-barrier-old-slot", "takes a slot that looks vacant, in an old epoch",
          "ipc-barrier-joins-late", SLOTS, drop()),
    Fault("ipc-barrier-quiet-withdraw",
          "takes its arrival back, and does not change the round's " "word", "ipc-barrier-timed",
          BARRIER, value("fw_load64_acquire(&v->b->round_)")),
    Fault("ipc-barrier-serial-ender", "who ends a round is its serial thread, or nobody",
          "ipc-barrier-ends-by-arrival", BARRIER,
          value("error == ENDED_HERE ? FW_IPC_BARRIER_SERIAL : error")),
    Fault("ipc-barrier-serial-torn", "claims the serial role by a load and a store", "ipc-barrier",
          BARRIER,
          instead("{ fw_store64_relaxed(at, claim_of(token)); return FW_IPC_BARRIER_SERIAL; }")),
    Fault("ipc-barrier-serial-await", "who only arrived is the serial thread",
          "ipc-barrier-token-fails", BARRIER,
          before("if (error <= 0) return claim_serial(&v, token);")),
    Fault("ipc-barrier-quiet-leave", "leaves, and does not look whether that ends the round",
          "ipc-barrier-leaves", BARRIER, drop()),
    Fault("ipc-barrier-forgets", "knows the end of a round after one reset only",
          "ipc-barrier-resets", "src/ipc/barrier_word.h", operand(1, value("ago == 0"))),
    Fault("ipc-barrier-torn-history", "remembers by a load and a store", "ipc-barrier-resets-two",
          BARRIER, call(1, "fw_store64_release(&v.b->history_, history_after(history, w))")),
]

ONCE_FAULTS = [
    Fault("ipc-once-robs", "takes over from the living", "ipc-once", ONCE,
          condition("life == FW_IPC_CORRUPT")),
    Fault("ipc-once-waits-for-dead", "waits for a dead initialiser", "ipc-once-kill", ONCE,
          at("ipc-once-robs", instead("return life != FW_IPC_CORRUPT ? EBUSY : EUCLEAN;"))),
    Fault("ipc-once-unwatched", "sleeps, and does not watch the initialiser's life",
          "ipc-once-told", "src/ipc/holder_word.h", at("ipc-owner-unwatched", drop())),
    Fault("ipc-once-done-early", "is done before the initialiser has run", "ipc-once", ONCE,
          instead("run.error = 0; $2 $1", 2)),
    Fault("ipc-once-done-anyway", "a failure counts as done", "ipc-once-fails", ONCE,
          value("FW_IPC_ONCE_DONE_")),
    Fault("ipc-once-torn", "becomes the initialiser by a load and a store", "ipc-once", ONCE,
          head("fw_store64_release(&o->word_, mine | (*w & (FW_IPC_WAITERS | FW_IPC_DIED)));")),
    Fault("ipc-once-no-wake", "ends, and wakes nobody", "ipc-once", ONCE,
          condition("w == UINT64_MAX")),
]

SEM_FAULTS = [
    Fault("ipc-sem-torn-take", "takes a unit by a load and a store", "ipc-sem-waiters", SEM,
          head("fw_store64_release(&s->word_, fw_ipc_changed_(*w) - 1);")),
    Fault("ipc-sem-torn-post", "posts by a load and a store", "ipc-sem-posters", SEM,
          after("fw_store64_release(&s->word_, fw_ipc_changed_(*w) + n);"),
          at("ipc-sem-torn-post-2", condition("false"))),
    Fault("ipc-sem-unannounced", "sleeps, and the word does not say so", "ipc-sem", SEM,
          condition("!$")),
    Fault("ipc-sem-torn-announce", "announces itself by a store", "ipc-sem", SEM,
          instead("fw_store64_release(&s->word_, announced);")),
    Fault("ipc-sem-no-wake", "posts, and wakes nobody", "ipc-sem", SEM,
          condition(operand(2, "n == 0"))),
    Fault("ipc-sem-wakes-one", "wakes one, however many units come", "ipc-sem-post-two", SEM,
          argument(3, "1")),
    Fault("ipc-sem-clears-all", "says that nobody sleeps, whatever has changed", "ipc-sem-waiters",
          "src/ipc/announce.h",
          call(1, "fw_and64_release(word, ~(uint64_t)FW_IPC_WAITERS + 0 * seen)")),
    Fault("ipc-sem-clears-first", "says that nobody sleeps, then wakes one", "ipc-sem-waiters", SEM,
          argument(1, "$ & ~(uint64_t)FW_IPC_WAITERS")),
    Fault("ipc-sem-overflows", "posts beyond the maximum", "ipc-sem-full", SEM,
          condition(operand(2, operand(1, "FW_IPC_SEM_MAX")))),
    Fault("ipc-sem-late-unit", "takes a unit at its deadline, and does not say so",
          "ipc-sem-timed", SEM, operand(2, "ETIMEDOUT")),
    Fault("ipc-sem-made-twice", "each maker puts in the first units", "ipc-sem-init", SEM,
          head("for (;;)")),
    Fault("ipc-sem-made-over", "puts in the first units, whatever is there", "ipc-sem-init", SEM,
          head("fw_xchg64_seq_cst(&s->word_, fw_ipc_changed_(w | SEM_MADE) + value);")),
    Fault("ipc-sem-half-made", "leaves a semaphore without units where a maker has died",
          "ipc-sem-init-kill", SEM, before("if (made != 0) return 0;")),
]

FAMILY = Family("ipc_sync", ["permits.c", "barrier.c", "barrier_slot.c", "once.c", "sem.c"],
                ["src/ipc/barrier_slot.h", "src/ipc/barrier_word.h", "src/ipc/announce.h",
                 "src/ipc/holder_word.h", "src/ipc/sem.h"],
                {"once.c": ["fw_ipc_once_call", "fw_ipc_once_is_done"]},
                PERMIT_FAULTS + BARRIER_FAULTS + ONCE_FAULTS + SEM_FAULTS, "src/ipc")
