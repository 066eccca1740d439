# SPDX-License-Identifier: MIT
"""Faults in permits, barrier, once and semaphore between processes."""
from .kinds import Family, Fault

PERMITS = "src/ipc/permits.c"
BARRIER = "src/ipc/barrier.c"
PLACES = "src/ipc/barrier_place.c"
ONCE = "src/ipc/once.c"
SEM = "src/ipc/sem.c"

TAKE_OVER = ("        else if (life == FW_IPC_DEAD && "
             "fw_cas64_acquire(&v->permits[i], &w, v->me.id)) {\n")

PERMIT_FAULTS = [
    Fault("ipc-permits-robs", "takes permits from the living", "ipc-permits", PERMITS,
          TAKE_OVER, TAKE_OVER.replace("life == FW_IPC_DEAD", "life != FW_IPC_UNREAL")),
    Fault("ipc-permits-torn", "takes a permit by a load and a store", "ipc-permits", PERMITS,
          "        if (w == 0 && fw_cas64_acquire(&v->permits[i], &w, v->me.id))\n"
          "            return i;\n",
          "        if (w == 0) {\n            fw_store64_release(&v->permits[i], v->me.id);\n"
          "            return i;\n        }\n"),
    Fault("ipc-permits-torn-over", "takes a dead one's permit by a load and a store",
          "ipc-permits-kill-two", PERMITS, TAKE_OVER,
          "        else if (life == FW_IPC_DEAD) {\n"
          "            fw_store64_release(&v->permits[i], v->me.id);\n"),
    Fault("ipc-permits-lost", "takes the permits of dead ones for damaged",
          "ipc-permits-kill", PERMITS,
          TAKE_OVER,
          "        else if (life == FW_IPC_DEAD)\n            error = EUCLEAN;\n" +
          TAKE_OVER.replace("life == FW_IPC_DEAD", "life == FW_IPC_UNREAL")),
    Fault("ipc-permits-unannounced", "sleeps, and the queue does not say so",
          "ipc-permits", PERMITS,
          "        uint64_t w = fw_wait_blocks_(&wait->poll) ? announce(v) : 0;\n",
          "        uint64_t w = fw_wait_blocks_(&wait->poll) ? fw_load64_relaxed(&v->u->queue_) : "
          "announce(v);\n"),
    Fault("ipc-permits-looks-first", "looks at the permits, then announces itself",
          "ipc-permits", PERMITS,
          "        uint64_t w = fw_wait_blocks_(&wait->poll) ? announce(v) : 0;\n"
          "        error = try_take(v, wait, permit);\n        if (error != EBUSY)\n"
          "            return error;\n        watch_holders(v, wait);\n",
          "        error = try_take(v, wait, permit);\n        if (error != EBUSY)\n"
          "            return error;\n        watch_holders(v, wait);\n"
          "        uint64_t w = fw_wait_blocks_(&wait->poll) ? announce(v) : 0;\n"),
    Fault("ipc-permits-unwatched", "sleeps, and watches no holder's life",
          "ipc-permits-told", PERMITS,
          "        watch_holders(v, wait);\n", ""),
    Fault("ipc-permits-no-wake", "gives back, and wakes nobody", "ipc-permits", PERMITS,
          "    if (fw_ipc_has_waiters_(w))\n        tell_queue_slow_(v, w);\n    return true;\n",
          "    if (w == UINT64_MAX)\n        tell_queue_slow_(v, w);\n    return true;\n"),
    Fault("ipc-permits-unfenced", "may look at the queue before the permit is free",
          "ipc-permits", PERMITS,
          "    if (fw_load64_relaxed(&v->permits[permit]) != w ||\n"
          "        !fw_cas64_seq_cst(&v->permits[permit], &w, 0))\n        return false;\n",
          "    if (fw_load64_relaxed(&v->permits[permit]) != w)\n        return false;\n"
          "    fw_store64_release(&v->permits[permit], 0);\n"),
]

BARRIER_FAULTS = [
    Fault("ipc-barrier-waits-for-dead", "waits for those who died", "ipc-barrier-goes-on", BARRIER,
          "        is_awaited |= life == FW_IPC_ALIVE;\n", "        is_awaited = true;\n"),
    Fault("ipc-barrier-never-fails", "goes on where it is to fail", "ipc-barrier-fails", BARRIER,
          "        if (life == FW_IPC_DEAD && !v->goes_on) {\n",
          "        if (life == FW_IPC_UNREAL && !v->goes_on) {\n"),
    Fault("ipc-barrier-always-fails", "fails where it is to go on", "ipc-barrier-goes-on", BARRIER,
          "        if (life == FW_IPC_DEAD && !v->goes_on) {\n",
          "        if (life == FW_IPC_DEAD) {\n"),
    Fault("ipc-barrier-unwatched", "sleeps, and watches nobody's life", "ipc-barrier-told", BARRIER,
          "    fw_ipc_barrier_watch_(v, w, wait);\n", ""),
    Fault("ipc-barrier-sleeps-done", "sleeps where the last one has arrived, and has died over it",
          "ipc-barrier-told", PLACES,
          "    if (!goes_on)\n        fw_ipc_wait_skip_sleep_(wait);\n", ""),
    Fault("ipc-barrier-uncompared", "sleeps, and does not see that somebody has come and died",
          "ipc-barrier-told-joins", PLACES,
          "            fw_ipc_wait_compare_more_(wait, fw_ipc_half_(at), (uint32_t)place);\n",
          "            ;\n"),
    Fault("ipc-barrier-unwatched-newcomer", "becomes a party, and nobody watches its life",
          "ipc-barrier-told-joins", PLACES,
          "    fw_ipc_barrier_call_one_(v, *w);\n    return 0;\n", "    return 0;\n"),
    Fault("ipc-barrier-old-look", "fails over one that arrived before it died", "ipc-barrier-fails",
          BARRIER, "            place = fw_load64_seq_cst(at); "
          "/* it may have arrived since then: B3 */\n", ""),
    Fault("ipc-barrier-early", "does not wait for the living", "ipc-barrier", BARRIER,
          "        if (life == FW_IPC_ALIVE && !is_thorough)\n            return ROUND_GOES;\n"
          "        is_awaited |= life == FW_IPC_ALIVE;\n", ""),
    Fault("ipc-barrier-torn-end", "ends a round by a load and a store", "ipc-barrier", PLACES,
          "        return fw_cas64_acq_rel(&v->b->round_, &w, next);\n",
          "        return fw_store64_release(&v->b->round_, next), true;\n"),
    Fault("ipc-barrier-no-wake", "ends a round, and wakes nobody", "ipc-barrier", PLACES,
          "    if (is_done)\n        fw_ipc_wake_(",
          "    if (w == UINT64_MAX)\n        fw_ipc_wake_("),
    Fault("ipc-barrier-unannounced", "sleeps, and the word does not say so", "ipc-barrier",
          BARRIER, "    if (fw_wait_blocks_(&wait->poll) && !has_sleepers(w)) {\n",
          "    if (!fw_wait_blocks_(&wait->poll) && !has_sleepers(w)) {\n"),
    Fault("ipc-barrier-robs", "takes its place for its own after a reset", "ipc-barrier-retakes",
          BARRIER,
          "            continue; /* reset: it may be another's by now (B1) */\n"
          "        if (has_arrived(", "            (void)0;\n        else if (has_arrived("),
    Fault("ipc-barrier-quiet-newcomer", "takes a place, and does not change the round's word",
          "ipc-barrier-takes-left", PLACES,
          "    *w = fw_ipc_barrier_change_(v);\n",
          "    *w = fw_load64_acquire(&v->b->round_);\n"),
    Fault("ipc-barrier-old-place", "takes a place that looks vacant, in an old epoch",
          "ipc-barrier-joins-late", PLACES,
          "        if (!is_present(v, w))\n            return NULL;\n", ""),
    Fault("ipc-barrier-quiet-withdraw", "takes its arrival back, and does not change the round's "
          "word", "ipc-barrier-timed", BARRIER,
          "    w = fw_ipc_barrier_change_(v); /* B4 */\n",
          "    w = fw_load64_acquire(&v->b->round_);\n"),
    Fault("ipc-barrier-serial-ender", "who ends a round is its serial thread, or nobody",
          "ipc-barrier-ends-by-arrival", BARRIER,
          "    return error <= 0 ? claim_serial(&v, token) : error;\n",
          "    return error == ENDED_HERE ? FW_IPC_BARRIER_SERIAL : error;\n"),
    Fault("ipc-barrier-serial-torn", "claims the serial role by a load and a store", "ipc-barrier",
          BARRIER,
          "        if (fw_cas64_relaxed(at, &claim, claim_of(token))) "
          "/* an earlier round -> this one */\n            return FW_IPC_BARRIER_SERIAL;\n",
          "        {\n            fw_store64_relaxed(at, claim_of(token));\n"
          "            return FW_IPC_BARRIER_SERIAL;\n        }\n"),
    Fault("ipc-barrier-serial-await", "who only arrived is the serial thread",
          "ipc-barrier-token", BARRIER,
          "    error = await_slow_(&v, token, &wait, NULL);\n    fw_ipc_wait_end_(&wait);\n",
          "    error = await_slow_(&v, token, &wait, NULL);\n    fw_ipc_wait_end_(&wait);\n"
          "    if (error <= 0)\n        return claim_serial(&v, token);\n"),
    Fault("ipc-barrier-quiet-leave", "leaves, and does not look whether that ends the round",
          "ipc-barrier-leaves", BARRIER,
          "    error = settle(&v, fw_load64_relaxed(&v.b->round_), NULL, false);\n"
          "    return error == EUCLEAN", "    return error == EUCLEAN"),
    Fault("ipc-barrier-forgets", "knows the end of a round after one reset only",
          "ipc-barrier-resets", "src/ipc/barrier_word.h",
          "    return ago < BARRIER_EPOCH_SHIFT && ", "    return ago == 0 && "),
    Fault("ipc-barrier-torn-past", "remembers by a load and a store", "ipc-barrier-resets-two",
          BARRIER, "            fw_cas64_acq_rel(&v.b->past_, &past, past_after(past, w));\n",
          "            fw_store64_release(&v.b->past_, past_after(past, w));\n"),
]

ONCE_FAULTS = [
    Fault("ipc-once-robs", "takes over from the living", "ipc-once", ONCE,
          "            if (life != FW_IPC_DEAD)\n", "            if (life == FW_IPC_UNREAL)\n"),
    Fault("ipc-once-waits-for-dead", "waits for a dead initialiser", "ipc-once-kill", ONCE,
          "            if (life != FW_IPC_DEAD)\n"
          "                return life == FW_IPC_ALIVE ? EBUSY : EUCLEAN;\n",
          "            return life != FW_IPC_UNREAL ? EBUSY : EUCLEAN;\n"),
    Fault("ipc-once-unwatched", "sleeps, and does not watch the initialiser's life",
          "ipc-once-told", ONCE,
          "            fw_ipc_wait_watch_(wait, w & FW_IPC_HOLDER);\n", ""),
    Fault("ipc-once-done-early", "is done before the initialiser has run", "ipc-once", ONCE,
          "    run.error = init(arg);\n    pthread_cleanup_pop(1);\n",
          "    run.error = 0;\n    pthread_cleanup_pop(1);\n    run.error = init(arg);\n"),
    Fault("ipc-once-done-anyway", "a failure counts as done", "ipc-once-fails", ONCE,
          "        next = r->error == 0 ? FW_IPC_ONCE_DONE_ : w & FW_IPC_DIED;\n",
          "        next = FW_IPC_ONCE_DONE_;\n"),
    Fault("ipc-once-torn", "becomes the initialiser by a load and a store", "ipc-once", ONCE,
          "        if (fw_cas64_acquire(&o->word_, w, mine | (*w & (FW_IPC_WAITERS | "
          "FW_IPC_DIED))))\n            return 0;\n",
          "        fw_store64_release(&o->word_, mine | (*w & (FW_IPC_WAITERS | FW_IPC_DIED)));\n"
          "        return 0;\n"),
    Fault("ipc-once-no-wake", "ends, and wakes nobody", "ipc-once", ONCE,
          "    if ((w & FW_IPC_WAITERS) != 0)\n        fw_ipc_wake_(",
          "    if (w == UINT64_MAX)\n        fw_ipc_wake_("),
]

SEM_FAULTS = [
    Fault("ipc-sem-torn-take", "takes a unit by a load and a store", "ipc-sem-waiters", SEM,
          "        if (fw_cas64_acquire(&s->word_, w, fw_ipc_changed_(*w) - 1)) "
          "/* n -> n - 1 (S1) */\n            return 0;\n",
          "        fw_store64_release(&s->word_, fw_ipc_changed_(*w) - 1);\n        return 0;\n"),
    Fault("ipc-sem-torn-post", "posts by a load and a store", "ipc-sem-posters", SEM,
          "    } while (!fw_cas64_release(&s->word_, w, fw_ipc_changed_(*w) + n)); "
          "/* v -> v + n (S1) */\n",
          "        fw_store64_release(&s->word_, fw_ipc_changed_(*w) + n);\n"
          "    } while (false);\n"),
    Fault("ipc-sem-unannounced", "sleeps, and the word does not say so", "ipc-sem", SEM,
          "    if (fw_wait_blocks_(&wait->poll)) {\n        uint64_t announced",
          "    if (!fw_wait_blocks_(&wait->poll)) {\n        uint64_t announced"),
    Fault("ipc-sem-torn-announce", "announces itself by a store", "ipc-sem", SEM,
          "        if (!fw_cas64_relaxed(&s->word_, &w, announced))\n            return 0;\n",
          "        fw_store64_release(&s->word_, announced);\n"),
    Fault("ipc-sem-no-wake", "posts, and wakes nobody", "ipc-sem", SEM,
          "    if (posted && n != 0)\n", "    if (posted && n == 0)\n"),
    Fault("ipc-sem-wakes-one", "wakes one, however many units come", "ipc-sem-post-two", SEM,
          "fw_ipc_wake_announced_(&s->word_, more, n);",
          "fw_ipc_wake_announced_(&s->word_, more, 1);"),
    Fault("ipc-sem-clears-all", "says that nobody sleeps, whatever has changed", "ipc-sem-waiters",
          "src/ipc/announce.h",
          "        fw_cas64_relaxed(word, &seen, seen & ~FW_IPC_WAITERS); /* A2 */\n",
          "        fw_and64_release(word, ~(uint64_t)FW_IPC_WAITERS + 0 * seen);\n"),
    Fault("ipc-sem-clears-first", "says that nobody sleeps, then wakes one", "ipc-sem-waiters", SEM,
          "    uint64_t more = fw_ipc_changed_(*w) + n;\n",
          "    uint64_t more = fw_ipc_changed_(*w & ~(uint64_t)FW_IPC_WAITERS) + n;\n"),
    Fault("ipc-sem-overflows", "posts beyond the maximum", "ipc-sem-full", SEM,
          "        if (n > max - value_of(*w))\n",
          "        if (n > FW_IPC_SEM_MAX - value_of(*w))\n"),
    Fault("ipc-sem-late-unit", "takes a unit when the time is over, and does not say so",
          "ipc-sem-timed", SEM, "            return take(s, &w) == 0 ? 0 : ETIMEDOUT;\n",
          "            return take(s, &w) == 0 ? ETIMEDOUT : ETIMEDOUT;\n"),
    Fault("ipc-sem-made-twice", "each maker puts in the first units", "ipc-sem-init", SEM,
          "    while (!is_made(w)) {\n", "    for (;;) {\n"),
    Fault("ipc-sem-made-over", "puts in the first units, whatever is there", "ipc-sem-init", SEM,
          "        if (fw_cas64_release(&s->word_, &w, fw_ipc_changed_(w | SEM_MADE) + value))\n"
          "            break;\n",
          "        fw_xchg64_seq_cst(&s->word_, fw_ipc_changed_(w | SEM_MADE) + value);\n"
          "        break;\n"),
    Fault("ipc-sem-half-made", "leaves a semaphore without units where a maker has died",
          "ipc-sem-init-kill", SEM,
          "        made != (FW_IPC_SEM_MADE_ | max))\n        return EEXIST;\n",
          "        made != (FW_IPC_SEM_MADE_ | max))\n        return EEXIST;\n"
          "    if (made != 0)\n        return 0;\n"),
]

FAMILY = Family("ipc_gates", ["permits.c", "barrier.c", "barrier_place.c", "once.c", "sem.c"],
                ["src/ipc/barrier_place.h", "src/ipc/barrier_word.h", "src/ipc/announce.h",
                 "src/ipc/sem.h"], {},
                PERMIT_FAULTS + BARRIER_FAULTS + ONCE_FAULTS + SEM_FAULTS, "src/ipc")
