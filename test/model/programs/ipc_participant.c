/* SPDX-License-Identifier: MIT */
/*
 * The programs for participants of a region that come and leave at any instruction, beside others
 * that look for the dead.  A thread says in shadow memory which id it has.
 *
 *   join      joins the region
 *   leave     leaves
 *   look      asks whether the others live, by each id that they have had first or last
 *   ask       the same, and asks the system, too
 *   name      asks who they are, by the same ids
 *   others    asks whether the process has other participants (all are threads of one then)
 *
 * Checked, besides what ipc_region.h says: nobody is said to be dead who has neither died nor begun
 * to leave; nobody is said to live who had left, or whose death was marked, before it was asked,
 * nor by the slow question whose death the kernel did not mark; no id of a participant is unreal;
 * an id is never another thread's.  A thread finds a slot where all others are gone.  No slot is
 * used beyond head->participants_used, which never falls; and in the end the dead have none.
 */
#include <errno.h>

#include "../engine/report.h"
#include "../subject/robust.h"
#include "ipc_calls.h"
#include "ipc_region.h"
#include "programs.h"
#include "script.h"

SCRIPT_WORDS(JOIN, LEAVE, LOOK, ASK, NAME, OTHERS);

enum state { OUTSIDE, PARTICIPANT, LEAVING, LEFT };

/* By thread: its state, and the ids that it has had last and first. */
enum { THREADS = 3 };
enum shadow { STATE, LAST_ID = STATE + THREADS, FIRST_ID = LAST_ID + THREADS };

struct participant_script {
    unsigned slots;
    bool is_worn;    /* the first slot has one generation left */
    bool is_process; /* the threads are of one */
};

static bool is_worn;

static void setup(void)
{
    const struct participant_script *script = model_program->arg;

    region_make(script->slots, false);
    subject_is_one_process = script->is_process;
    is_worn = script->is_worn;
    if (is_worn)
        region_slots[0].life = ((uint64_t)UINT32_MAX - 1) << 32;
}

static enum model_access access(const void *p)
{
    uint64_t at = ((uintptr_t)p - (uintptr_t)region_slots) % FW_IPC_PARTICIPANT_SIZE;

    if (p == (const void *)&region_mapping->head->participants_used)
        return ACCESS_STEP;
    if ((uintptr_t)p >= (uintptr_t)region_slots && (uintptr_t)p < (uintptr_t)model_stacks &&
        (at == offsetof(struct fw_ipc_participant_, here_since) ||
         (at >= offsetof(struct fw_ipc_participant_, former) &&
          at < offsetof(struct fw_ipc_participant_, shares))))
        return ACCESS_STEP;
    return region_access(p);
}

/* --- What the threads do -------------------------------------------------------------------- */

/* It has died, and what the kernel does about that is done. */
static bool is_dead(unsigned thread)
{
    return model_is_killed(thread) && model_threads[thread].status == THREAD_DONE;
}

/*
 * Nobody else will ever have a slot again, or be found to have one.  (Where the kernel marks no
 * deaths, who died before it had said who it is keeps its slot.)
 */
static bool are_others_gone(unsigned self)
{
    for (unsigned i = 0; i < model_thread_count; i++)
        if (i != self &&
            (model_threads[i].status != THREAD_DONE ||
             (model_is_killed(i) ? model_program->unmarked && *shadow(STATE + i) != PARTICIPANT
                                 : *shadow(STATE + i) == PARTICIPANT)))
            return false;
    return true;
}

static void join(unsigned self)
{
    struct fw_ipc_me_ me = {.id = 0};
    bool were_gone = are_others_gone(self);
    int error = ipc_participant_in_use()->region.enter(region_mapping->head, &me);

    if (error == EAGAIN && (!were_gone || is_worn))
        return;
    if (error != 0 || me.participant != fw_ipc_participant_of_(region_mapping, me.id))
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
    if (model_program->unmarked) /* what it has said of itself is seen before others hear of it */
        fw_fence_seq_cst();
    report_remark(self, "is a participant");
    *shadow(STATE + self) = PARTICIPANT;
    *shadow(LAST_ID + self) = me.id;
    if (*shadow(FIRST_ID + self) == 0)
        *shadow(FIRST_ID + self) = me.id;
}

static void leave(unsigned self)
{
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0); /* it is a participant for a while */
    if (*shadow(STATE + self) == PARTICIPANT)
        *shadow(STATE + self) = LEAVING;
    if (!ipc_participant_in_use()->region.leave(region_mapping))
        model_thread_fail("answer", "thread %llu cannot leave", self, 0);
    if (*shadow(STATE + self) == LEAVING)
        *shadow(STATE + self) = LEFT;
}

/* Had the thread that id, and may it have it still? */
static bool has_id(unsigned thread, uint64_t id)
{
    return *shadow(LAST_ID + thread) == id && *shadow(STATE + thread) != LEFT;
}

static void look_at(unsigned self, unsigned thread, uint64_t id, bool asks)
{
    bool is_told = !model_program->unmarked || asks;
    bool was_gone = !has_id(thread, id) || (is_dead(thread) && is_told);
    enum fw_ipc_life life = asks ? ipc_participant_in_use()->life_slow(region_mapping, id)
                                 : ipc_participant_in_use()->life(region_mapping, id);

    if (life == FW_IPC_CORRUPT)
        model_thread_fail("participant", "thread %llu finds that an id of thread %llu is unreal",
                          self, thread);
    if (life == FW_IPC_ALIVE && was_gone)
        model_thread_fail("participant", "thread %llu takes thread %llu for alive", self, thread);
    if (life == FW_IPC_DEAD && has_id(thread, id) && *shadow(STATE + thread) == PARTICIPANT &&
        !model_is_killed(thread))
        model_thread_fail("participant", "thread %llu takes thread %llu for dead", self, thread);
}

static void name(unsigned thread, uint64_t id)
{
    uint64_t ids = ipc_participant_in_use()->ids(region_mapping, id);

    if ((uint32_t)ids != SUBJECT_FIRST_TID + thread)
        model_thread_fail("participant", "an id of thread %llu is said to be that of 0x%llx",
                          thread, ids);
}

static void for_each_id(unsigned self, enum word w)
{
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0); /* at any moment, also where nobody has come yet */
    for (unsigned i = 0; i < 2 * model_thread_count; i++) {
        unsigned thread = i / 2;
        uint64_t last = *shadow(LAST_ID + thread), first = *shadow(FIRST_ID + thread);
        uint64_t id = i % 2 == 0 ? last : first;
        if (thread == self || id == 0 || (i % 2 == 1 && first == last))
            continue;
        if (w == NAME)
            name(thread, id);
        else
            look_at(self, thread, id, w == ASK);
    }
}

static void others(unsigned self)
{
    bool were_gone;
    uint64_t had[THREADS] = {0};
    bool answer;

    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    were_gone = are_others_gone(self);
    for (unsigned i = 0; i < model_thread_count; i++)
        had[i] = *shadow(STATE + i) == PARTICIPANT ? *shadow(LAST_ID + i) : 0;
    answer = ipc_participant_in_use()->has_multithreaded(region_mapping);
    if (answer && were_gone)
        model_thread_fail("answer", "thread %llu is told of others, and is alone", self, 0);
    for (unsigned i = 0; i < model_thread_count && !answer; i++)
        if (i != self && had[i] != 0 && *shadow(STATE + i) == PARTICIPANT &&
            *shadow(LAST_ID + i) == had[i] && model_threads[i].status != THREAD_DONE &&
            !model_is_killed(i))
            model_thread_fail("answer", "thread %llu is alone beside thread %llu", self, i);
}

static void thread(unsigned self)
{
    for (const unsigned *w = script_words[self]; *w != END; w++) {
        if (*w == JOIN)
            join(self);
        else if (*w == LEAVE)
            leave(self);
        else if (*w == OTHERS)
            others(self);
        else
            for_each_id(self, (enum word) * w);
    }
}

/* --- Checks --------------------------------------------------------------------------------- */

static bool is_taken(unsigned line)
{
    return ((uint32_t)region_slots[line].life & FW_ROBUST_OWNER) != 0;
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    const struct fw_ipc_head_ *head = region_mapping->head;

    region_changed(thread, addr, before);
    if (addr == (uint64_t)(uintptr_t)&head->participants_used &&
        head->participants_used < (uint32_t)before)
        model_fail("participant", "%llu slots were used, and now %llu", (uint32_t)before,
                   head->participants_used);
    for (unsigned i = head->participants_used; i < region_mapping->participant_count; i++)
        if (is_taken(i))
            model_fail("participant", "slot %llu is taken, and %llu are said to be used", i,
                       head->participants_used);
}

static void finished(void)
{
    for (unsigned i = 0; i < region_mapping->participant_count && !model_program->unmarked; i++) {
        uint32_t tid = (uint32_t)region_slots[i].life & FW_ROBUST_OWNER;
        if (tid != 0 && model_is_killed(tid - SUBJECT_FIRST_TID))
            model_fail("participant", "thread %llu is dead, and has slot %llu",
                       tid - SUBJECT_FIRST_TID, i);
    }
}

static HOOKS(hooks, .words = word_names, REGION_HOOKS(FAMILY_IPC_PARTICIPANT), .setup = setup,
             .thread = thread, .access = access, .changed = changed, .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true, KILLS(1))
#define SLOTS(n) SLOTS_WITH(n, .is_worn = false)
#define SLOTS_WITH(n, ...) WITH_OPTIONS(participant_script, .slots = (n), __VA_ARGS__)

static const struct model_program programs[] = {
    PROGRAM("ipc-participant", "join leave join leave | look look", SLOTS(2)),
    PROGRAM("ipc-participant-ask", "join leave join leave | ask ask", SLOTS(1),
            ABOUT("the same; it asks the system, too")),
    PROGRAM("ipc-participant-line", "join leave join leave | join leave look", SLOTS(1)),
    PROGRAM("ipc-participant-name", "join leave | join leave | name name", SLOTS(1),
            ABOUT("one slot for two, and a third one names them")),
    PROGRAM("ipc-participant-unmarked", "join leave join | join ask join", .unmarked = true,
            SLOTS(1)),
    PROGRAM("ipc-participant-full", "join leave | join ask | join", .unmarked = true, SLOTS(1)),
    PROGRAM("ipc-participant-three", "join leave | join ask | join leave look", SLOTS(2)),
    PROGRAM("ipc-participant-others", "join leave join | join others others",
            SLOTS_WITH(2, .is_process = true), ABOUT("threads of one process")),
    PROGRAM("ipc-participant-others-line", "join leave join | join others leave join others",
            SLOTS_WITH(1, .is_process = true)),
    PROGRAM("ipc-participant-worn", "join leave join | join leave", SLOTS_WITH(1, .is_worn = true),
            ABOUT("a slot that was used 2^32 - 2 times")),
};

GROUP(ipc_participant, "ipc-participant");
