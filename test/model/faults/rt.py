# SPDX-License-Identifier: MIT
"""Faults in the real-time locks."""
from .kinds import Family, Fault

CEILING = "rt/ceiling.c"
PIP = "rt/pip.c"
PROXY = "rt/proxy.c"
BOOST = "rt/boost.c"
RAISE = "rt/raise.c"
LEVEL = "rt/boost_level.h"

FAULTS = [
    Fault("rt-keeps-proxy", "leaves a section, and does not give back the proxy", "rt-pcp-two",
          PROXY,
          "    for (; proxies != 0; proxies &= proxies - 1)\n"
          "        give_back(t, &t->state->proxy[__builtin_ctzll(proxies)]);\n",
          "    (void)proxies;\n"),
    Fault("rt-keeps-idle-proxy", "gives back only proxies at which somebody sleeps",
          "rt-pcp-moved-late", PROXY, "        } else if (proxy != NULL) {\n",
          "        } else if (proxy != NULL && (fw_load32_relaxed(proxy) & FUTEX_WAITERS)) {\n"),
    Fault("rt-proxy-unnoted", "does not note which proxy it is", "rt-pcp-two", PROXY,
          "        fw_store8_relaxed(&holder->at[d], (uint8_t)(g + 1));\n", ""),
    Fault("rt-proxy-late-note", "writes the proxy, then notes which it is", "rt-pcp-kill", PROXY,
          "        fw_store8_relaxed(&holder->at[d], (uint8_t)(g + 1));\n"
          "        if (fw_cas32_release(&w->proxy[g], &seen, tid)) /* 0 -> L.  PROXY7 */\n"
          "            break;\n",
          "        if (fw_cas32_release(&w->proxy[g], &seen, tid))\n"
          "            return fw_store8_relaxed(&holder->at[d], (uint8_t)(g + 1)), g;\n"),
    Fault("rt-proxy-forgets-outer", "leaves a section, and forgets that another one is waited for",
          "rt-pcp-nested", PROXY, "            is_awaited |= proxy != NULL;\n", ""),
    Fault("rt-proxy-kept", "wakes with the proxy, and keeps it", "rt-pcp-two", PROXY,
          "        return give_back(t, proxy);\n", "        return false;\n"),
    Fault("rt-proxy-unwatched", "writes the proxy while its holder looks for proxies",
          "rt-pcp-moved", PROXY,
          "    fw_rt_pi_lock_(t->state, &holder->record_lock, t->tid, t->shared);\n"
          "    fw_store32_relaxed(&holder->unlock_call, 1);\n"
          "    has_it = (fw_load64_seq_cst(&holder->held) & fw_rt_bit(d)) != 0;\n"
          "    if (has_it)\n        proxy = prepare_proxy(t, holder, d);\n"
          "    fw_rt_pi_unlock_(&holder->record_lock, t->tid, t->shared);\n",
          "    fw_store32_relaxed(&holder->unlock_call, 1);\n"
          "    has_it = (fw_load64_seq_cst(&holder->held) & fw_rt_bit(d)) != 0;\n"
          "    if (has_it)\n        proxy = prepare_proxy(t, holder, d);\n"),
    Fault("rt-proxy-late-clear", "leaves its record lock, then says that nobody waits",
          "rt-pcp-moved", PROXY, "    fw_rt_pi_unlock_(&t->record->record_lock, t->tid, t->shared);\n"
          "    for (; proxies",
          "    fw_rt_pi_unlock_(&t->record->record_lock, t->tid, t->shared);\n"
          "    fw_store32_relaxed(&t->record->unlock_call, 0);\n    for (; proxies"),
    Fault("rt-proxy-no-reaping", "does not reap a holder that is dead", "rt-pcp-kill", PROXY,
          "        fw_rt_reap_(t, slot);\n    return", "        (void)slot;\n    return"),
    Fault("rt-waits-unannounced", "waits for a task that does not know", "rt-pcp-two", PROXY,
          "    fw_store32_relaxed(&holder->unlock_call, 1);\n", ""),
    Fault("rt-looks-first", "looks who waits, then leaves the section", "rt-pcp-two",
          "rt/quick.h",
          "    fw_store64_release(&own->held, held);\n"
          "    __atomic_signal_fence(__ATOMIC_SEQ_CST);\n"
          "    return fw_load32_relaxed(&own->unlock_call) != 0;\n",
          "    uint32_t seen = fw_load32_relaxed(&own->unlock_call);\n\n"
          "    fw_store64_release(&own->held, held);\n    return seen != 0;\n"),
    Fault("rt-gives-no-way", "begins a section for which somebody waits already", "rt-pcp-again",
          "rt/quick.h", "is_quiet && fw_load32_relaxed(&t->record->unlock_call) == 0", "is_quiet"),
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
          "        if (fw_futex_unlock_pi_(word, t->shared) != 0)\n",
          "        if (word != NULL)\n"),
    Fault("rt-pip-quiet-owner", "the next owner is not told", "rt-pip-kill", PIP,
          " & FUTEX_OWNER_DIED ? EOWNERDEAD : 0;", " & FUTEX_OWNER_DIED ? 0 : 0;"),
    Fault("rt-reaps-quietly", "a lock that a dead task had is as good as new", "rt-pcp-kill",
          "rt/death.c", "    fw_rt_set_died_(w, l);\n    if (l->kind", "    if (l->kind"),
    Fault("rt-boost-no-wake", "hands a lock over and wakes nobody", "rt-mpcp-remote", BOOST,
          "    fw_futex_wake(grant, 1, t->shared);\n", ""),
    Fault("rt-boost-overwrites", "names the next one, whoever has set WAITERS meanwhile",
          "rt-mpcp-queue", BOOST,
          "        if (fw_cas32_release(&l->counter, &word, named)) /* s -> next [WAITERS] */\n",
          "        if (fw_store32_release(&l->counter, named), 1)\n"),
    Fault("rt-boost-unsure", "trusts a WAITERS that a plain release may undo", "rt-mpcp-remote",
          RAISE, "t->shared == FW_FUTEX_PRIVATE ? fw_release_fence_() : 0;", "0;"),
    Fault("rt-kernel-boost-unsure", "the same where the kernel is asked", "rt-kernel-mpcp-remote",
          BOOST, "        fw_release_fence_(); /* BOOST8 */\n", "        (void)told;\n"),
    Fault("rt-boost-late-line", "sleeps, and enters the line when it has woken", "rt-mpcp-remote",
          BOOST, "    fw_or64_seq_cst(&l->waiters, fw_rt_bit(t->slot));\n"
          "    tell(t, FW_RT_EVENT_BLOCK",
          "    tell(t, FW_RT_EVENT_BLOCK"),
    Fault("rt-boost-forgets-rest", "names the next one, and forgets the others", "rt-mpcp-queue",
          BOOST, "        if ((fw_load64_relaxed(&l->waiters) & ~fw_rt_bit(next)) != 0)\n"
          "            named |= FW_RT_WORD_WAITERS;\n", ""),
    Fault("rt-boost-stays", "leaves the section, and stays boosted", "rt-mpcp-remote", LEVEL,
          "    fw_schedule_(0, fw_rt_policy_(t), (int)t->record->base);\n", ""),
    Fault("rt-boost-hands-back", "is lowered before it hands the lock on", "rt-kernel-mpcp-cpus",
          BOOST, "    uint32_t died = own & FW_RT_WORD_DIED;\n\n    for (;;) {\n",
          "    uint32_t died = own & FW_RT_WORD_DIED;\n\n    end_boost(t);\n    for (;;) {\n"),
    Fault("rt-boost-late", "waits as it is, and is boosted when it has the lock",
          "rt-mpcp-held-back", BOOST,
          "            fw_rt_raise_self_(t, l); /* BOOST6 */\n"
          "        error = wait_in_queue(t, d);\n",
          "            fw_fence_seq_cst();\n"
          "        error = wait_in_queue(t, d);\n"
          "        fw_rt_raise_self_(t, l);\n"),
    Fault("rt-raise-forgotten", "sleeps, and does not raise the owner", "rt-mpcp-outside", BOOST,
          "        if (!fw_rt_raise_owner_(t, d)) /* BOOST6, BOOST8 */\n"
          "            return false;\n",
          "        if (!is_shared(t))\n            fw_release_fence_();\n"),
    Fault("rt-raise-self", "raises itself, and not the owner", "rt-fmlp-outside", RAISE,
          "        error = fw_schedule_(fw_load32_relaxed(&c->tid), policy, (int)level);\n",
          "        error = fw_schedule_(0, policy, (int)level);\n"),
    Fault("rt-raise-unwatched", "raises the owner, which may be leaving", "rt-mpcp-outside",
          RAISE, "    fw_rt_pi_lock_(w, &c->record_lock, t->tid, t->shared);\n"
          "    is_it = is_awaited_owner(l, owner);\n"
          "    if (is_it)\n        raise(t, l, owner);\n"
          "    fw_rt_pi_unlock_(&c->record_lock, t->tid, t->shared);\n",
          "    is_it = is_awaited_owner(l, owner);\n"
          "    if (is_it)\n        raise(t, l, owner);\n    (void)c;\n"),
    Fault("rt-raise-blindly", "raises an owner that has left while it made sure of WAITERS",
          "rt-mpcp-outside-again", RAISE, "error == 0 && is_awaited_owner(l, owner) &&\n",
          "error == 0 &&\n"),
    Fault("rt-raise-unnoted", "raises the owner, then writes it down", "rt-mpcp-outside-kill",
          RAISE, "    fw_store32_relaxed(&c->boost, level); /* RAISE1 */\n", ""),
    Fault("rt-raise-kept", "leaves a section, and does not look whether it was raised",
          "rt-mpcp-outside", BOOST,
          "    } else if (!is_free || fw_load32_relaxed(&t->record->boost) != 0) {\n",
          "    } else if (is_free && fw_load32_relaxed(&t->record->boost) != 0) {\n"),
    Fault("rt-lower-unwatched", "lowers itself while somebody raises it", "rt-mpcp-outside",
          RAISE, "    fw_rt_pi_lock_(t->state, &own->record_lock, t->tid, t->shared);\n"
          "    word = fw_load32_acquire(&t->state->lock[d].counter);\n"
          "    is_owner = fw_rt_word_owner(word) == t->slot;\n"
          "    if (is_owner && fw_load32_relaxed(&own->boost) != 0 && "
          "!fw_rt_word_has_waiters(word))\n"
          "        fw_rt_lower_slow_(t); /* RAISE2 */\n"
          "    fw_rt_pi_unlock_(&own->record_lock, t->tid, t->shared);\n",
          "    word = fw_load32_acquire(&t->state->lock[d].counter);\n"
          "    is_owner = fw_rt_word_owner(word) == t->slot;\n"
          "    if (is_owner && fw_load32_relaxed(&own->boost) != 0 && "
          "!fw_rt_word_has_waiters(word))\n"
          "        fw_rt_lower_slow_(t); /* RAISE2 */\n"),
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
    Fault("rt-late-ticket", "enters the line, then takes its ticket", "rt-fmlp-queue", BOOST,
          "        fw_store64_relaxed(&c->ticket, fw_add64_acquire(&l->tickets, 1) + 1);\n"
          "    fw_or64_seq_cst(&l->waiters, fw_rt_bit(t->slot));\n",
          "        fw_or64_seq_cst(&l->waiters, fw_rt_bit(t->slot));\n"
          "    if (l->kind == FW_RT_KIND_FMLP)\n"
          "        fw_store64_relaxed(&c->ticket, fw_add64_acquire(&l->tickets, 1) + 1);\n"
          "    fw_or64_seq_cst(&l->waiters, fw_rt_bit(t->slot));\n"),
    Fault("rt-youngest-first", "the youngest request is next", "rt-fmlp-queue", "rt/decide.h",
          "c->ticket < n->ticket", "c->ticket > n->ticket"),
    Fault("rt-least-urgent-first", "the least urgent waiter is next", "rt-mpcp-queue",
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
          BOOST,           "!fw_rt_word_is_being_reaped(word)) {\n            if",
          "!fw_rt_word_is_being_reaped(word) && l->kind == FW_RT_KIND_MPCP) {\n            if"),
]

# Those in boost.c call those in death.c, too, and faults in death.c are shown by other protocols.
FAMILY = Family("rt", ["lock.c", "ceiling.c", "pip.c", "wake.c", "proxy.c", "death.c", "boost.c",
                       "raise.c", "pi_lock.c"],
                ["rt/internal.h", "rt/decide.h", "rt/state.h", "rt/quick.h", LEVEL], {}, FAULTS,
                "rt")
