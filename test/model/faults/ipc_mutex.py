# SPDX-License-Identifier: MIT
"""Faults in the mutex between processes, and in what all such locks stand on."""
from edits import argument, at, before, call, condition, drop, instead, operand, swap, value

from .kinds import Family, Fault

MUTEX = "src/ipc/mutex.c"
OWNER_WORD, IPC_OWNER_WORD = "src/core/owner_word.h", "src/ipc/holder_word.h"
RECOVER = "src/ipc/recover.c"
RECOVER_H = "src/ipc/recover.h"
WAIT = "src/ipc/wait.c"
PARTICIPANT = "src/ipc/region/participant.c"

TAKE_OVER = "        if (fw_cas64_acquire(&m->word_, now, mine)) /* dead id -> id|DIED: X3 */\n"
INHERIT = ("    int error = fw_ipc_recover_(me, m, &m->history_, dead);\n\n"
           "    return error == 0 ? declare_sound(m, me) : error;\n")
SOUND = "    } while (!fw_cas64_release(&m->word_, &now, now & ~FW_IPC_DIED));\n    return 0;\n"
UNLOCK = ("    do\n        next = is_unsound(now) ? FW_IPC_ABANDONED : 0;\n"
          "    while (!fw_cas64_release(&m->word_, &now, next)); /* id -> 0, id|DIED -> NOBODY */\n"
          "    if (has_waiters(now))\n"
          "        fw_ipc_wake_(half(m), next == 0 ? 1 : INT_MAX);\n")
CLAIM = ("    is_mine = fw_cas64_acq_rel(&m->life, &life, "
         "(slot_generation(life) + 1) << 32 | r.id);\n")

DEATHS = [
    Fault("ipc-robs-preempted", "takes a holder that is said not to run for dead", "ipc-lies",
          MUTEX, condition("$ && fw_running_((uint32_t)holder_of(*now)) != FW_RUNNING_NO")),
    Fault("ipc-trusts-running", "does not look at death while the holder is said to run",
          "ipc-all-run", MUTEX,
          at("ipc-robs-preempted", condition("$ || fw_running_((uint32_t)holder_of(*now)) == "
              "FW_RUNNING_YES"))),
    Fault("ipc-robs", "takes over from the living", "ipc-two", MUTEX,
          at("ipc-robs-preempted", drop())),
    Fault("ipc-never-takes", "takes over from nobody", "ipc-kill", MUTEX,
          at("ipc-robs-preempted", condition("life != FW_IPC_CORRUPT"))),
    Fault("ipc-torn-take", "takes over from a dead owner by a load and a store", "ipc-kill-three",
          MUTEX, before("fw_store64_release(&m->word_, mine);"),
          condition("fw_load64_relaxed(now) != 0")),
    Fault("ipc-hides-death", "takes over, and the word does not say that a holder has died",
          "ipc-kill-two", MUTEX, operand(2, "")),
    Fault("ipc-hides-earlier", "takes over from one who had taken over, and that is forgotten",
          "ipc-kill-two", MUTEX, at("ipc-hides-death", operand(2, "(is_unsound(*now) ? 0 : $)"))),
    Fault("ipc-quiet-successor", "takes over, and does not tell its caller", "ipc-kill", MUTEX,
          instead("fw_ipc_recover_(me, m, &m->history_, dead); return declare_sound(m, me);", 2)),
    Fault("ipc-sound-early", "takes DIED away, then repairs", "ipc-kill", MUTEX,
          at("ipc-quiet-successor", instead("declare_sound(m, me); return fw_ipc_recover_(me, m, "
              "&m->history_, dead);", 2))),
    Fault("ipc-sound-unasked", "needs nobody to say that the data are sound", "ipc-give-up", MUTEX,
          value("0")),
    Fault("ipc-given-up-for-nothing", "gives up what was declared sound", "ipc-kill", MUTEX,
          condition("false")),
    Fault("ipc-sound-loses-waiters", "says that the data are sound, and forgets the waiters",
          "ipc-kill-three", MUTEX, at("ipc-given-up-for-nothing", condition("false")),
          before("fw_store64_release(&m->word_, me->id);")),
    Fault("ipc-takes-given-up", "takes what was given up", "ipc-give-up", MUTEX,
          value(operand(2, ""))),
    Fault("ipc-same-generation", "the generation is not raised", "ipc-two", RECOVER_H,
          argument(2, operand(2, "0"))),
    Fault("ipc-successor-same-generation", "the next owner has the generation of the dead",
          "ipc-kill", RECOVER,
          drop()),
    Fault("ipc-names-successor",
          "the one who died is said to have had the generation of the next owner",
          "ipc-kill", RECOVER, swap()),
    Fault("ipc-repairs-nothing", "a registered function is not called", "ipc-repairs", RECOVER,
          value("repair. arg == NULL")),
]

WAITING = [
    Fault("ipc-sleeps-for-good", "sleeps without an end", "ipc-unmarked", WAIT,
          argument(2, "end.clock < 0 ? $ : NULL")),
    Fault("ipc-watches-word-only", "sleeps, and watches nobody's life", "ipc-told", IPC_OWNER_WORD,
          at("ipc-owner-unwatched", drop())),
    Fault("ipc-life-not-compared", "watches a life, whatever it is by then", "ipc-told", WAIT,
          value("life == UINT64_MAX")),
    Fault("ipc-watches-own", "watches the life of one who waits as well", "ipc-told",
          IPC_OWNER_WORD, at("ipc-owner-unwatched", argument(2, "me->wait->me.id"))),
    Fault("ipc-new-holder-unwatched", "takes it after a sleep, and nobody watches its life",
          "ipc-told-three", WAIT, condition("w->word == NULL")),
    Fault("ipc-owes-nothing", "sleeps, and its wake is lost with it", "ipc-told-three", WAIT,
          drop(), at("ipc-owes-nothing-2", value("false"))),
    Fault("ipc-keeps-death", "learns of a death, and does not pass it on", "ipc-passed-two", WAIT,
          drop()),
    Fault("ipc-owes-no-death", "learns of a death, and dies before it has passed it on",
          "ipc-passed-two", WAIT,
          at("ipc-keeps-death", before("fw_ipc_debt_end_(&w->debt); w->owes = false;"))),
    Fault("ipc-keeps-alarm", "is woken by the alarm, and does not pass it on", "ipc-passed-alarm",
          WAIT, call(1, "(void)alarm")),
    Fault("ipc-deaf-to-alarm", "sleeps on the word and on lives only", "ipc-told-three", WAIT,
          argument(2, "n")),
    Fault("ipc-alarm-last", "does not look at the word once it hears the alarm", "ipc-told-split",
          WAIT, value("n + 1")),
    Fault("ipc-lives-once", "looks at the word again, and not at the lives", "ipc-told-split-two",
          WAIT, argument(3, "w->lives")),
    Fault("ipc-unannounced", "sleeps, and the word does not say so", "ipc-two", OWNER_WORD,
          at("owner-word-unannounced", value("*now"))),
    Fault("ipc-no-wake", "unlocks, and wakes nobody", "ipc-two", MUTEX, condition("false")),
    Fault("ipc-wakes-first", "wakes, then unlocks", "ipc-two", MUTEX,
          instead("$1 $2 $3 if (has_waiters(now)) fw_ipc_wake_(half(m), 1); $4", 5)),
    Fault("ipc-takes-quietly", "takes it after a sleep, and wakes nobody who would watch its life",
          "ipc-told-three", MUTEX, drop()),
    Fault("ipc-asks-nobody", "does not ask the system who lives", "ipc-unmarked", WAIT,
          call(2, "FW_IPC_ALIVE")),
]

PARTICIPANTS = [
    Fault("ipc-same-slot-generation", "a slot that is taken keeps its generation",
          "ipc-line-again", PARTICIPANT, argument(3, operand(1, operand(1,
          "slot_generation(life)")))),
    Fault("ipc-two-steps", "raises the generation, then takes the slot", "ipc-join", PARTICIPANT,
          at("ipc-same-slot-generation", instead("is_mine = fw_cas64_acq_rel(&m->life, & life, "
              "(slot_generation(life) + 1) << 32); if (is_mine) fw_store64_release(&m->life, "
              "(slot_generation(life) + 1) << 32 | r.id);"))),
    Fault("ipc-torn-claim", "takes a line by a load and a store", "ipc-lines", PARTICIPANT,
          at("ipc-same-slot-generation", instead("is_mine = true; fw_store64_release(&m->life, "
              "(slot_generation(life) + 1) << 32 | r.id);"))),
    Fault("ipc-unlinked", "the kernel is not told of the line", "ipc-join-try", PARTICIPANT,
          condition("r.id != 0")),
    Fault("ipc-unannounced-claim", "nothing is pending while a line is taken", "ipc-line-again",
          PARTICIPANT, call(1, "r = (struct fw_robust_){fw_robust_thread_.id, 1, 0}")),
    Fault("ipc-trusts-line", "takes the next one with a slot for the dead one", "ipc-line-again",
          PARTICIPANT, operand(1, value(operand(1, "")))),
    Fault("ipc-reaps-living", "marks the slot of one that lives", "ipc-two", PARTICIPANT,
          call(3, "since != 0")),
    Fault("ipc-leaves-torn", "gives a slot back with its generation", "ipc-leave", PARTICIPANT,
          at("ipc-participant-leaves-early", argument(2, "0"))),
    Fault("ipc-leaves-quietly", "leaves, and wakes nobody who watches its life", "ipc-quit",
          PARTICIPANT, drop()),
]

FAMILY = Family("ipc_mutex", ["mutex.c", "recover.c", "wait.c", "region/participant.c"],
                [OWNER_WORD, IPC_OWNER_WORD, "src/ipc/mutex.h", "src/ipc/recover.h",
                 "src/ipc/wait.h",
                 "src/ipc/region/participant.h"],
                {"mutex.c": ["fw_ipc_mutex_lock"], "region/participant.c": ["fw_ipc_self_"]},
                DEATHS + WAITING + PARTICIPANTS, "src/ipc")
