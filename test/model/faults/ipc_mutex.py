# SPDX-License-Identifier: MIT
"""Faults in the mutex between processes, and in what all such locks stand on."""
from .kinds import Family, Fault

MUTEX = "src/ipc/mutex.c"
RECOVER = "src/ipc/recover.c"
RECOVER_H = "src/ipc/recover.h"
NAP = "src/ipc/nap.c"
MEMBER = "src/ipc/member.c"

TAKE_OVER = "        if (fw_cas64_acquire(&m->word_, now, mine)) /* dead id -> id|DIED: X3 */\n"
INHERIT = ("    int error = fw_ipc_recover_(me, m, &m->past_, dead);\n\n"
           "    return error == 0 ? declare_sound(m, me) : error;\n")
SOUND = "    } while (!fw_cas64_release(&m->word_, &now, now & ~FW_IPC_DIED));\n    return 0;\n"
UNLOCK = ("    do\n        next = is_unsound(now) ? FW_IPC_NOBODY : 0;\n"
          "    while (!fw_cas64_release(&m->word_, &now, next)); /* id -> 0, id|DIED -> NOBODY */\n"
          "    if (has_waiters(now))\n"
          "        fw_ipc_wake_(half(m), next == 0 ? 1 : INT_MAX);\n")
CLAIM = "    is_mine = fw_cas64_acq_rel(&m->life, &life, (tenancy(life) + 1) << 32 | r.id);\n"

DEATHS = [
    Fault("ipc-robs-preempted", "takes a holder that is said not to run for dead", "ipc-lies",
          MUTEX, "        if (life == FW_IPC_ALIVE)\n",
          "        if (life == FW_IPC_ALIVE &&\n"
          "            fw_running_((uint32_t)holder_of(*now)) != FW_RUNNING_NO)\n"),
    Fault("ipc-trusts-running", "does not look at death while the holder is said to run",
          "ipc-all-run", MUTEX, "        if (life == FW_IPC_ALIVE)\n",
          "        if (life == FW_IPC_ALIVE ||\n"
          "            fw_running_((uint32_t)holder_of(*now)) == FW_RUNNING_YES)\n"),
    Fault("ipc-robs", "takes over from the living", "ipc-two", MUTEX,
          "        if (life == FW_IPC_ALIVE)\n            return EBUSY;\n", ""),
    Fault("ipc-never-takes", "takes over from nobody", "ipc-kill", MUTEX,
          "        if (life == FW_IPC_ALIVE)\n", "        if (life != FW_IPC_UNREAL)\n"),
    Fault("ipc-torn-take", "takes over from the dead by a load and a store", "ipc-kill-three",
          MUTEX, TAKE_OVER,
          "        fw_store64_release(&m->word_, mine);\n"
          "        if (fw_load64_relaxed(now) != 0)\n"),
    Fault("ipc-hides-death", "takes over, and the word does not say that a holder has died",
          "ipc-kill-two", MUTEX, "me->id | FW_IPC_DIED | (*now", "me->id | (*now"),
    Fault("ipc-hides-earlier", "takes over from one who had taken over, and that is forgotten",
          "ipc-kill-two", MUTEX, "me->id | FW_IPC_DIED | (*now & FW_IPC_WAITERS)",
          "me->id | (is_unsound(*now) ? 0 : FW_IPC_DIED) | (*now & FW_IPC_WAITERS)"),
    Fault("ipc-quiet-heir", "takes over, and does not tell its caller", "ipc-kill", MUTEX, INHERIT,
          "    fw_ipc_recover_(me, m, &m->past_, dead);\n"
          "    return declare_sound(m, me);\n"),
    Fault("ipc-sound-early", "takes DIED away, then repairs", "ipc-kill", MUTEX, INHERIT,
          "    declare_sound(m, me);\n"
          "    return fw_ipc_recover_(me, m, &m->past_, dead);\n"),
    Fault("ipc-sound-unasked", "needs nobody to say that the data are sound", "ipc-give-up", MUTEX,
          "        next = is_unsound(now) ? FW_IPC_NOBODY : 0;\n", "        next = 0;\n"),
    Fault("ipc-given-up-for-nothing", "gives up what was declared sound", "ipc-kill", MUTEX,
          SOUND, "    } while (false);\n    return 0;\n"),
    Fault("ipc-sound-loses-waiters", "says that the data are sound, and forgets the waiters",
          "ipc-kill-three", MUTEX,
          SOUND, "    } while (false);\n"
          "    fw_store64_release(&m->word_, me->id);\n    return 0;\n"),
    Fault("ipc-takes-given-up", "takes what was given up", "ipc-give-up", MUTEX,
          "    return word != 0 && word != FW_IPC_NOBODY;\n", "    return word != 0;\n"),
    Fault("ipc-same-generation", "the generation is not raised", "ipc-two", RECOVER_H,
          "past->generation_ + 1);", "past->generation_ + 0);"),
    Fault("ipc-heir-same-generation", "an heir has the generation of the dead", "ipc-kill", RECOVER,
          "    fw_ipc_past_begin_(past, me);\n", ""),
    Fault("ipc-names-heir", "the one who died is said to have had the heir's generation",
          "ipc-kill", RECOVER,
          "    note_death(me, past, dead);\n    fw_ipc_past_begin_(past, me);\n",
          "    fw_ipc_past_begin_(past, me);\n    note_death(me, past, dead);\n"),
    Fault("ipc-repairs-nothing", "a registered function is not called", "ipc-repairs", RECOVER,
          "        is_sound = repair.call(repair.arg, &death) == 0;\n",
          "        is_sound = repair.arg == NULL;\n"),
]

WAITING = [
    Fault("ipc-sleeps-for-good", "sleeps without an end", "ipc-unmarked", NAP,
          "is_late ? -EAGAIN : sleep_until(w, &end, cancel);\n",
          "is_late ? -EAGAIN : sleep_until(w, end.clock < 0 ? &end : NULL, cancel);\n"),
    Fault("ipc-watches-word-only", "sleeps, and watches nobody's life", "ipc-told", MUTEX,
          "        fw_ipc_wait_watch_(w, holder_of(*now)); /* X6 */\n", ""),
    Fault("ipc-life-not-compared", "watches a life, whatever it is by then", "ipc-told", NAP,
          "        w->is_late = true;\n    else if ((life & FW_ROBUST_WAITERS) == 0)\n",
          "        w->is_late = life == UINT64_MAX;\n"
          "    else if ((life & FW_ROBUST_WAITERS) == 0)\n"),
    Fault("ipc-watches-own", "watches the life of one who waits as well", "ipc-told", MUTEX,
          "        fw_ipc_wait_watch_(w, holder_of(*now)); /* X6 */\n",
          "        fw_ipc_wait_watch_(w, w->me.id);\n"),
    Fault("ipc-new-holder-unwatched", "takes it after a sleep, and nobody watches its life",
          "ipc-told-three", NAP, "    if (w->has_line)\n", "    if (w->word == NULL)\n"),
    Fault("ipc-owes-nothing", "sleeps, and its wake is lost with it", "ipc-told-three", NAP,
          "    fw_ipc_debt_begin_(&w->debt, w->me.place);\n    w->owes = true;\n",
          "    w->owes = false;\n"),
    Fault("ipc-keeps-death", "learns of a death, and does not pass it on", "ipc-passed", NAP,
          "    pass_deaths_on(w);\n    if (answer ==", "    if (answer =="),
    Fault("ipc-owes-no-death", "learns of a death, and dies before it has passed it on",
          "ipc-passed-two", NAP, "    pass_deaths_on(w);\n    if (answer ==",
          "    fw_ipc_debt_end_(&w->debt);\n    w->owes = false;\n"
          "    pass_deaths_on(w);\n    if (answer =="),
    Fault("ipc-keeps-alarm", "is woken by the alarm, and does not pass it on", "ipc-passed-alarm",
          NAP, "        fw_ipc_wake_(alarm, FW_FUTEX_ALL);\n    return answer > 0",
          "        (void)alarm;\n    return answer > 0"),
    Fault("ipc-deaf-to-alarm", "sleeps on the word and on lives only", "ipc-told-three", NAP,
          "fw_futex_wait_any(w->words, n + 1, end)", "fw_futex_wait_any(w->words, n, end)"),
    Fault("ipc-unannounced", "sleeps, and the word does not say so", "ipc-two", MUTEX,
          "        if (!has_waiters(*now)) { /* id -> id|W: X4 */\n", "        if (false) {\n"),
    Fault("ipc-no-wake", "unlocks, and wakes nobody", "ipc-two", MUTEX,
          "    if (has_waiters(now))\n        fw_ipc_wake_(",
          "    if (false)\n        fw_ipc_wake_("),
    Fault("ipc-wakes-first", "wakes, then unlocks", "ipc-two", MUTEX,
          UNLOCK,
          "    if (has_waiters(now))\n        fw_ipc_wake_(half(m), 1);\n"
          "    do\n        next = is_unsound(now) ? FW_IPC_NOBODY : 0;\n"
          "    while (!fw_cas64_release(&m->word_, &now, next));\n"),
    Fault("ipc-takes-quietly", "takes it after a sleep, and wakes nobody who would watch its life",
          "ipc-told-three", MUTEX, "    fw_ipc_wait_pass_on_(&w); /* X6 */\n", ""),
    Fault("ipc-asks-nobody", "does not ask the system who lives", "ipc-unmarked", NAP,
          "               : fw_ipc_life_slow_(w->me.place, holder);\n",
          "               : FW_IPC_ALIVE;\n"),
]

MEMBERS = [
    Fault("ipc-same-tenancy", "a line that is taken has the tenancy of the one before",
          "ipc-line-again", MEMBER, CLAIM,
          "    is_mine = fw_cas64_acq_rel(&m->life, &life, tenancy(life) << 32 | r.id);\n"),
    Fault("ipc-two-steps", "raises the tenancy, then takes the line", "ipc-join", MEMBER, CLAIM,
          "    is_mine = fw_cas64_acq_rel(&m->life, &life, (tenancy(life) + 1) << 32);\n"
          "    if (is_mine)\n"
          "        fw_store64_release(&m->life, (tenancy(life) + 1) << 32 | r.id);\n"),
    Fault("ipc-torn-claim", "takes a line by a load and a store", "ipc-lines", MEMBER, CLAIM,
          "    is_mine = true;\n"
          "    fw_store64_release(&m->life, (tenancy(life) + 1) << 32 | r.id);\n"),
    Fault("ipc-unlinked", "the kernel is not told of the line", "ipc-join-try", MEMBER,
          "        if (fw_robust_link_(robust_word(m)))              "
          "/* if not, fw_ipc_life_slow_ finds out */\n",
          "        if (r.id != 0)\n"),
    Fault("ipc-unannounced-claim", "nothing is pending while a line is taken", "ipc-line-again",
          MEMBER, "    fw_robust_announce_(&r, robust_word(m));\n",
          "    r = (struct fw_robust_){fw_robust_thread_.id, 1, 0};\n"),
    Fault("ipc-trusts-line", "takes the next one who has a line for the dead one", "ipc-line-again",
          MEMBER,
          "    return tenancy(life) == tenancy(holder) && !is_free(life) ? FW_IPC_ALIVE",
          "    return !is_free(life) ? FW_IPC_ALIVE"),
    Fault("ipc-buries-living", "marks the line of one who lives", "ipc-two", MEMBER,
          "           fw_robust_is_gone_since_(thread, since);\n", "           since != 0;\n"),
    Fault("ipc-leaves-torn", "gives a line back with its tenancy", "ipc-leave", MEMBER,
          "    fw_store64_release(&m->life, tenancy(k->id) << 32);"
          " /* tid -> free, the same tenancy: M1 */\n", "    fw_store64_release(&m->life, 0);\n"),
    Fault("ipc-leaves-quietly", "leaves, and wakes nobody who watches its life", "ipc-quit", MEMBER,
          "        wake_watchers(m);\n    }\n", "    }\n"),
]

FAMILY = Family("ipc_mutex", ["mutex.c", "recover.c", "nap.c", "member.c"],
                ["src/ipc/mutex.h", "src/ipc/recover.h", "src/ipc/nap.h", "src/ipc/member.h"],
                {"mutex.c": ["fw_ipc_mutex_lock"], "member.c": ["fw_ipc_self_"]},
                DEATHS + WAITING + MEMBERS, "src/ipc")
