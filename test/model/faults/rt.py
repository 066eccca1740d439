# SPDX-License-Identifier: MIT
"""Faults in the real-time locks."""
from .kinds import Family, Fault

CEILING = "rt/ceiling.c"
PIP = "rt/pip.c"
GATE = "rt/gate.c"
BOOST = "rt/boost.c"
RAISE = "rt/raise.c"
LEVEL = "rt/boost_level.h"

FAULTS = [
    Fault("rt-keeps-gate", "leaves a section, and does not give back the gate", "rt-pcp-two", GATE,
          "    for (; gates != 0; gates &= gates - 1)\n"
          "        give_back(t, &t->world->gate[__builtin_ctzll(gates)]);\n", "    (void)gates;\n"),
    Fault("rt-keeps-idle-gate", "gives back only gates at which somebody sleeps",
          "rt-pcp-moved-late", GATE, "        } else if (gate != NULL) {\n",
          "        } else if (gate != NULL && (fw_load32_relaxed(gate) & FUTEX_WAITERS)) {\n"),
    Fault("rt-gate-unnoted", "does not note which gate it is", "rt-pcp-two", GATE,
          "        fw_store8_relaxed(&holder->at[d], (uint8_t)(g + 1));\n", ""),
    Fault("rt-gate-late-note", "writes the gate, then notes which it is", "rt-pcp-kill", GATE,
          "        fw_store8_relaxed(&holder->at[d], (uint8_t)(g + 1));\n"
          "        if (fw_cas32_release(&w->gate[g], &seen, tid)) /* 0 -> L.  G7 */\n"
          "            break;\n",
          "        if (fw_cas32_release(&w->gate[g], &seen, tid))\n"
          "            return fw_store8_relaxed(&holder->at[d], (uint8_t)(g + 1)), g;\n"),
    Fault("rt-gate-forgets-outer", "leaves a section, and forgets that another one is waited for",
          "rt-pcp-nested", GATE, "            is_awaited |= gate != NULL;\n", ""),
    Fault("rt-gate-kept", "wakes with the gate, and keeps it", "rt-pcp-two", GATE,
          "        return give_back(t, gate);\n", "        return false;\n"),
    Fault("rt-gate-unwatched", "writes the gate while its holder looks for gates",
          "rt-pcp-moved", GATE,
          "    fw_rt_guard_lock_(t->world, &holder->watch, t->tid, t->shared);\n"
          "    fw_store32_relaxed(&holder->unlock_call, 1);\n"
          "    has_it = (fw_load64_seq_cst(&holder->held) & fw_rt_bit(d)) != 0;\n"
          "    if (has_it)\n        gate = prepare_gate(t, holder, d);\n"
          "    fw_rt_guard_unlock_(&holder->watch, t->tid, t->shared);\n",
          "    fw_store32_relaxed(&holder->unlock_call, 1);\n"
          "    has_it = (fw_load64_seq_cst(&holder->held) & fw_rt_bit(d)) != 0;\n"
          "    if (has_it)\n        gate = prepare_gate(t, holder, d);\n"),
    Fault("rt-gate-late-clear", "leaves its watch, then says that nobody waits", "rt-pcp-moved",
          GATE, "    fw_rt_guard_unlock_(&t->cell->watch, t->tid, t->shared);\n    for (; gates",
          "    fw_rt_guard_unlock_(&t->cell->watch, t->tid, t->shared);\n"
          "    fw_store32_relaxed(&t->cell->unlock_call, 0);\n    for (; gates"),
    Fault("rt-gate-no-burial", "does not bury a holder that is dead", "rt-pcp-kill", GATE,
          "        fw_rt_bury_(t, slot);\n    return", "        (void)slot;\n    return"),
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
    Fault("rt-claims-last", "claims by a look that somebody's short way does not know of",
          "rt-claim-again", CEILING, "    seen[n] = 0;\n",
          "    seen[n] = fw_load64_acquire(t->peer[n]);\n"),
    Fault("rt-claims-stale", "who was the last to take a lock is somebody else by now",
          "rt-claim-again", "rt/quick.h", "t->quiet, t->peers)", "t->quiet, t->peers - 1)"),
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
    Fault("rt-boost-no-wake", "hands a lock over and wakes nobody", "rt-mpcp-remote", BOOST,
          "    fw_futex_wake(grant, 1, t->shared);\n", ""),
    Fault("rt-boost-overwrites", "names the next one, whoever has set WAITERS meanwhile",
          "rt-mpcp-line", BOOST,
          "        if (fw_cas32_release(&l->counter, &word, named)) /* s -> next [WAITERS] */\n",
          "        if (fw_store32_release(&l->counter, named), 1)\n"),
    Fault("rt-boost-unsure", "trusts a WAITERS that a plain release may undo", "rt-mpcp-remote",
          RAISE, "t->shared == FW_FUTEX_PRIVATE ? fw_release_fence_() : 0;", "0;"),
    Fault("rt-kernel-boost-unsure", "the same where the kernel is asked", "rt-kernel-mpcp-remote",
          BOOST, "        fw_release_fence_(); /* I8 */\n", "        (void)told;\n"),
    Fault("rt-boost-late-line", "sleeps, and enters the line when it has woken", "rt-mpcp-remote",
          BOOST, "    fw_or64_seq_cst(&l->waiters, fw_rt_bit(t->slot));\n"
          "    tell(t, FW_RT_EVENT_BLOCK",
          "    tell(t, FW_RT_EVENT_BLOCK"),
    Fault("rt-boost-forgets-rest", "names the next one, and forgets the others", "rt-mpcp-line",
          BOOST, "        if ((fw_load64_relaxed(&l->waiters) & ~fw_rt_bit(next)) != 0)\n"
          "            named |= FW_RT_WORD_WAITERS;\n", ""),
    Fault("rt-boost-stays", "leaves the section, and stays boosted", "rt-mpcp-remote", LEVEL,
          "    fw_schedule_(0, fw_rt_policy_(t), (int)t->cell->base);\n", ""),
    Fault("rt-boost-hands-back", "is lowered before it hands the lock on", "rt-kernel-mpcp-cpus",
          BOOST, "    uint32_t died = own & FW_RT_WORD_DIED;\n\n    for (;;) {\n",
          "    uint32_t died = own & FW_RT_WORD_DIED;\n\n    end_boost(t);\n    for (;;) {\n"),
    Fault("rt-boost-late", "waits as it is, and is boosted when it has the lock",
          "rt-mpcp-held-back", BOOST,
          "            fw_rt_raise_self_(t, l); /* I6 */\n"
          "        error = stand_in_line(t, d);\n",
          "            fw_fence_seq_cst();\n"
          "        error = stand_in_line(t, d);\n"
          "        fw_rt_raise_self_(t, l);\n"),
    Fault("rt-raise-forgotten", "sleeps, and does not raise the owner", "rt-mpcp-outside", BOOST,
          "        if (!fw_rt_raise_owner_(t, d)) /* I6, I8 */\n            return false;\n",
          "        if (!is_shared(t))\n            fw_release_fence_();\n"),
    Fault("rt-raise-self", "raises itself, and not the owner", "rt-fmlp-outside", RAISE,
          "        error = fw_schedule_(fw_load32_relaxed(&c->tid), policy, (int)level);\n",
          "        error = fw_schedule_(0, policy, (int)level);\n"),
    Fault("rt-raise-unwatched", "raises the owner, which may be leaving", "rt-mpcp-outside",
          RAISE, "    fw_rt_guard_lock_(w, &c->watch, t->tid, t->shared);\n"
          "    is_it = is_awaited_owner(l, owner);\n"
          "    if (is_it)\n        raise(t, l, owner);\n"
          "    fw_rt_guard_unlock_(&c->watch, t->tid, t->shared);\n",
          "    is_it = is_awaited_owner(l, owner);\n"
          "    if (is_it)\n        raise(t, l, owner);\n    (void)c;\n"),
    Fault("rt-raise-blindly", "raises an owner that has left while it made sure of WAITERS",
          "rt-mpcp-outside-again", RAISE, "error == 0 && is_awaited_owner(l, owner) &&\n",
          "error == 0 &&\n"),
    Fault("rt-raise-unnoted", "raises the owner, then writes it down", "rt-mpcp-outside-kill",
          RAISE, "    fw_store32_relaxed(&c->boost, level); /* R1 */\n", ""),
    Fault("rt-raise-kept", "leaves a section, and does not look whether it was raised",
          "rt-mpcp-outside", BOOST,
          "    } else if (!is_free || fw_load32_relaxed(&t->cell->boost) != 0) {\n",
          "    } else if (is_free && fw_load32_relaxed(&t->cell->boost) != 0) {\n"),
    Fault("rt-lower-unwatched", "lowers itself while somebody raises it", "rt-mpcp-outside",
          RAISE, "    fw_rt_guard_lock_(t->world, &own->watch, t->tid, t->shared);\n"
          "    word = fw_load32_acquire(&t->world->lock[d].counter);\n"
          "    is_owner = fw_rt_word_owner(word) == t->slot;\n"
          "    if (is_owner && fw_load32_relaxed(&own->boost) != 0 && "
          "!fw_rt_word_has_waiters(word))\n"
          "        fw_rt_lower_slow_(t); /* R2 */\n"
          "    fw_rt_guard_unlock_(&own->watch, t->tid, t->shared);\n",
          "    word = fw_load32_acquire(&t->world->lock[d].counter);\n"
          "    is_owner = fw_rt_word_owner(word) == t->slot;\n"
          "    if (is_owner && fw_load32_relaxed(&own->boost) != 0 && "
          "!fw_rt_word_has_waiters(word))\n"
          "        fw_rt_lower_slow_(t); /* R2 */\n"),
    Fault("rt-lower-under-watch", "lowers itself while others may sleep for its watch",
          "rt-mpcp-lent", RAISE,
          "    if (is_owner && fw_load32_relaxed(&own->boost) != 0 && "
          "!fw_rt_word_has_waiters(word))\n",
          "    if (fw_load32_relaxed(&own->boost) != 0 && "
          "(!is_owner || !fw_rt_word_has_waiters(word)))\n"),
    Fault("rt-lower-awaited", "has waited, is lowered, and others still wait",
          "rt-fmlp-outside-two", RAISE,
          "    if (is_owner && fw_load32_relaxed(&own->boost) != 0 && "
          "!fw_rt_word_has_waiters(word))\n",
          "    if (is_owner && fw_load32_relaxed(&own->boost) != 0)\n"),
    Fault("rt-boost-lowered-early", "is lowered in its section beside one that is ready",
          "rt-mpcp-held-back", LEVEL,
          " ||\n            (fw_load32_relaxed(&c->ready) != 0 && c->base >= own->base))", ")"),
    Fault("rt-boost-forgets-other", "is lowered beside a section that has to go before it later",
          "rt-fmlp-beside", LEVEL,
          "(fw_load64_relaxed(&c->held) & ~fw_rt_bit(d)) != 0 ||\n            ", ""),
    Fault("rt-kernel-boost-late", "is boosted only when it has to wait", "rt-kernel-fmlp-cpus",
          BOOST, "    if (asks_kernel(l))\n        fw_rt_raise_slow_(t, l);\n", ""),
    Fault("rt-late-ticket", "enters the line, then takes its ticket", "rt-fmlp-line", BOOST,
          "        fw_store64_relaxed(&c->ticket, fw_add64_acquire(&l->tickets, 1) + 1);\n"
          "    fw_or64_seq_cst(&l->waiters, fw_rt_bit(t->slot));\n",
          "        fw_or64_seq_cst(&l->waiters, fw_rt_bit(t->slot));\n"
          "    if (l->kind == FW_RT_KIND_FMLP)\n"
          "        fw_store64_relaxed(&c->ticket, fw_add64_acquire(&l->tickets, 1) + 1);\n"
          "    fw_or64_seq_cst(&l->waiters, fw_rt_bit(t->slot));\n"),
    Fault("rt-youngest-first", "the youngest request is next", "rt-fmlp-line", "rt/decide.h",
          "c->ticket < n->ticket", "c->ticket > n->ticket"),
    Fault("rt-least-urgent-first", "the least urgent waiter is next", "rt-mpcp-line",
          "rt/decide.h", "c->base > n->base)\n            next",
          "c->base < n->base)\n            next"),
    Fault("rt-boost-dead-owner", "sleeps, and does not look whether the owner lives",
          "rt-fmlp-kill", BOOST,
          "            continue;\n        told = 0;\n        look_after_owner(t, d, true);\n"
          "        error = check_word(t, d);\n",
          "            continue;\n        told = 0;\n        error = check_word(t, d);\n"),
    Fault("rt-boost-quiet-death", "who gets a dead owner's lock is not told", "rt-fmlp-kill", BOOST,
          "        return 0;\n    fw_and32_relaxed(&l->counter, ~FW_RT_WORD_DIED);",
          "        return 0;\n    fw_and32_relaxed(&l->counter, ~FW_RT_WORD_DIED);\n"
          "    return 0;"),
    Fault("rt-boost-robs", "takes the lock of an owner that lives", "rt-fmlp-kill-both",
          BOOST,           "!fw_rt_word_is_in_burial(word)) {\n            if",
          "!fw_rt_word_is_in_burial(word) && l->kind == FW_RT_KIND_MPCP) {\n            if"),
]

# Those in boost.c call those in life.c, too, and faults in life.c are shown by other protocols.
FAMILY = Family("rt", ["lock.c", "ceiling.c", "pip.c", "wake.c", "gate.c", "life.c", "boost.c",
                       "raise.c", "guard.c"],
                ["rt/internal.h", "rt/decide.h", "rt/state.h", "rt/quick.h", LEVEL], {}, FAULTS,
                "rt")
