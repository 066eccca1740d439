/* SPDX-License-Identifier: MIT */
#include "rt_check.h"
#include "rt_script.h"

#include <errno.h>
#include <stdio.h>

#include "../fifo.h"
#include "../subject/subject.h"
#include "rt/boost_word.h"
#include "sys/robust.h"

/* What the checks remember. */
enum {
    INSIDE = 0,                    /* by lock: who is in its section, plus 1 */
    DIED = INSIDE + FW_RT_LOCKS,   /* by lock: must the next be told of a death? */
    ACT = DIED + FW_RT_LOCKS,      /* by task: enum rt_act, and with what lock */
    SECTION = ACT + FW_RT_TASKS,   /* by task: how many outermost sections it has been in */
    DEPTH = SECTION + FW_RT_TASKS, /* by task: in how many sections it is */
    BLOCKER = DEPTH + FW_RT_TASKS, /* by task: the section that has blocked its job */
    LINE = BLOCKER + FW_RT_TASKS,  /* by lock: who waits, four bits each, the first lowest */
    STOOD = LINE + FW_RT_LOCKS,    /* by lock: who did when its owner began to unlock */
    BEFORE = STOOD + FW_RT_LOCKS,  /* by lock: its word, before the last change */
    SHADOW_WORDS = BEFORE + FW_RT_LOCKS
};
_Static_assert(SHADOW_WORDS <= MODEL_SHADOW_WORDS, "there is room for what the checks remember");

#define G(what, n) (*shadow((what) + (n)))

static enum rt_act act_of(unsigned task)
{
    return (enum rt_act)(G(ACT, task) & 7);
}

static unsigned lock_of(unsigned task)
{
    return (unsigned)(G(ACT, task) >> 8);
}

/* Tasks are called by the numbers of their threads, also where these begin and end as tasks. */
static uint32_t base_of(unsigned task)
{
    return rt_script->as != NULL ? (uint32_t)rt_script->as[task].priority
                                 : rt_state->task[task].base;
}

static bool share_cpu(unsigned a, unsigned b)
{
    return a != b && model_threads[a].cpu == model_threads[b].cpu;
}

static uint32_t owner_of(unsigned d)
{
    uint32_t slot = fw_rt_word_owner(rt_state->lock[d].counter);

    return slot == FW_RT_NONE ? slot : rt_thread_in(slot);
}

static uint32_t kind(void)
{
    return rt_state->lock[0].kind;
}

/* Threads that others have moved have nothing but exclusion. */
static bool is_in_order(void)
{
    return rt_script->moved == 0;
}

static unsigned proper_cpu(unsigned task)
{
    return rt_script->as != NULL ? rt_script->as[task].cpu : model_program->tasks[task].cpu;
}

/* Do all belong on one CPU? */
static bool is_one_cpu(void)
{
    for (unsigned i = 1; i < model_thread_count; i++)
        if (proper_cpu(i) != proper_cpu(0))
            return false;
    return is_in_order();
}

/* --- What tasks tell ------------------------------------------------------------------------ */

void rt_check_act(unsigned self, enum rt_act act, unsigned d)
{
    G(ACT, self) = act | (uint64_t)d << 8;
    if (act == RT_IDLE)
        G(BLOCKER, self) = 0;
}

static void check_ceiling(unsigned self)
{
    for (unsigned e = 0; e < FW_RT_LOCKS; e++) {
        uint64_t other = G(INSIDE, e);
        if (other != 0 && other - 1 != self && share_cpu(self, (unsigned)other - 1) &&
            base_of(self) <= rt_state->lock[e].ceiling)
            model_thread_fail("ceiling", "task %llu gets a lock under the ceiling of lock %llu",
                              self, e);
    }
}

void rt_check_got(unsigned self, unsigned d, int error)
{
    rt_check_answer(self, error, &G(INSIDE, d), &G(DIED, d));
    if (is_in_order() && fw_rt_has_ceiling(kind()))
        check_ceiling(self);
    G(SECTION, self) += G(DEPTH, self)++ == 0;
    rt_check_act(self, RT_RUNS, d);
}

void rt_check_left(unsigned self, unsigned d)
{
    if (G(INSIDE, d) != self + 1)
        model_thread_fail("exclusion", "another one is in the section of task %llu", self, 0);
    G(INSIDE, d) = 0;
    G(DEPTH, self)--;
    G(STOOD, d) = rt_state->lock[d].waiters;
    rt_check_act(self, RT_UNLOCKS, d);
}

/* Does the word of a lock that boosts name it, and is it on its way into the section, or out? */
static bool is_named(unsigned task, unsigned d)
{
    return fw_rt_is_boosting(kind()) && (act_of(task) == RT_LOCKS || act_of(task) == RT_UNLOCKS) &&
           model_threads[task].status != THREAD_ASLEEP && owner_of(d) == task;
}

/* How urgent the sections make it in which a task is; 0: in none that boosts. */
static uint64_t boost_of(unsigned task)
{
    const struct fw_rt_task_record *c = rt_cell_of(task);
    uint64_t boost = 0;

    for (unsigned d = 0; d < FW_RT_LOCKS && c != NULL; d++) {
        uint64_t by = fw_rt_rank_by(c, &rt_state->lock[d]);
        if ((G(INSIDE, d) == task + 1 || is_named(task, d)) && by > boost)
            boost = by;
    }
    return boost;
}

void rt_check_runs(unsigned self)
{
    for (unsigned i = 0; i < model_thread_count && is_in_order(); i++)
        if (share_cpu(self, i) && G(DEPTH, self) == 0 && boost_of(i) >= base_of(self) &&
            !model_is_killed(i))
            model_thread_fail("held back", "task %llu runs beside a section of task %llu", self, i);
}

/* --- Hooks ---------------------------------------------------------------------------------- */

/* Is a job of the task under way? */
static bool is_pending(unsigned task)
{
    return act_of(task) != RT_IDLE && model_threads[task].op.kind != OP_SLEEP &&
           !model_is_killed(task);
}

/*
 * Does it wait in the kernel until an owner has ended, which lends that one nothing?  None has to
 * for a lock of PIP for which nobody sleeps.
 */
static bool is_held_up(unsigned task)
{
    unsigned called = lock_of(task);

    if (model_program->hooks->marked == NULL || !fifo_is_held_up(task))
        return false;
    return kind() != FW_RT_KIND_PIP || called >= FW_RT_LOCKS ||
           (rt_state->lock[called].pi_word & FW_ROBUST_WAITERS) != 0;
}

static bool is_in_section(unsigned task)
{
    return G(DEPTH, task) != 0 || act_of(task) == RT_LOCKS || act_of(task) == RT_UNLOCKS;
}

/* Does somebody sleep in the queue of a lock that the task has, or is about to have? */
static bool is_awaited(unsigned task)
{
    for (unsigned d = 0; d < FW_RT_LOCKS; d++) {
        const struct fw_rt_lock_record *l = &rt_state->lock[d];
        for (unsigned s = 0; s < FW_RT_TASKS; s++) {
            unsigned i = rt_thread_in(s);
            if (owner_of(d) == task && (l->waiters & fw_rt_bit(s)) != 0 && i < model_thread_count &&
                model_threads[i].status == THREAD_ASLEEP &&
                model_threads[i].op.addr == (uint64_t)(uintptr_t)&rt_state->task[s].grant)
                return true;
        }
    }
    return false;
}

/* Not where the kernel refuses something. */
static void check_awaited(unsigned thread)
{
    if (!is_in_order() || model_program->budget.refusals != 0 || is_in_section(thread) ||
        act_of(thread) == RT_IDLE || !fw_rt_is_boosting(kind()))
        return;
    for (unsigned i = 0; i < model_thread_count; i++)
        if (share_cpu(thread, i) && model_threads[i].status == THREAD_STOPPED && is_awaited(i))
            model_fail("awaited", "task %llu runs beside the section of task %llu", thread, i);
}

/* For whom the task sleeps at a futex that inherits, and that one, and so on: the last of them. */
static unsigned waits_for(unsigned task)
{
    const struct model_thread *t = &model_threads[task];

    while (t->status == THREAD_ASLEEP && t->op.kind == OP_LOCK_PI)
        t = &model_threads[t->op.b - 1];
    return (unsigned)(t - model_threads);
}

static void check_lent(unsigned thread)
{
    if (!is_in_order() || is_in_section(thread) || act_of(thread) == RT_IDLE)
        return;
    for (unsigned i = 0; i < model_thread_count; i++) {
        unsigned last = waits_for(i);
        if (last != i && last != thread && share_cpu(thread, last) &&
            base_of(i) > base_of(thread) && model_threads[last].status == THREAD_STOPPED)
            model_fail("lent",
                       "task %llu runs, and not task %llu, for which a more urgent one waits",
                       thread, last);
    }
}

void rt_stepped(unsigned thread)
{
    uint64_t section = thread + 1 + (G(SECTION, thread) << 8);

    check_awaited(thread);
    check_lent(thread);

    for (unsigned i = 0; i < model_thread_count && is_one_cpu(); i++) {
        if (!share_cpu(i, thread) || base_of(i) <= base_of(thread) || !is_pending(i))
            continue;
        if (!is_in_section(thread) && !is_held_up(i))
            model_fail("inversion", "task %llu waits, and task %llu runs outside of sections", i,
                       thread);
        if (!fw_rt_has_ceiling(kind()) || (G(DEPTH, thread) == 0 && act_of(thread) != RT_UNLOCKS))
            continue;
        if (G(BLOCKER, i) != 0 && G(BLOCKER, i) != section)
            model_fail("blocked twice", "task %llu waits for a second section, of task %llu", i,
                       thread);
        G(BLOCKER, i) = section;
    }
}

/* --- Queues ---------------------------------------------------------------------------------- */

/* Its position among those that wait; the first has 0. */
static unsigned position_of(unsigned task, unsigned d)
{
    unsigned position = 0;

    for (uint64_t line = G(LINE, d); line != 0 && (line & 15) != task + 1; line >>= 4)
        position++;
    return position;
}

static unsigned length_of(unsigned d)
{
    return position_of(MODEL_MAX_THREADS, d);
}

static void join(unsigned task, unsigned d)
{
    if (position_of(task, d) == length_of(d))
        G(LINE, d) |= (uint64_t)(task + 1) << 4 * length_of(d);
}

static void leave(unsigned task, unsigned d)
{
    uint64_t before = (UINT64_C(1) << 4 * position_of(task, d)) - 1;

    G(LINE, d) = (G(LINE, d) & before) | (G(LINE, d) >> 4 & ~before);
}

static bool goes_before(unsigned a, unsigned b, unsigned d)
{
    return kind() == FW_RT_KIND_FMLP ? position_of(a, d) < position_of(b, d)
                                     : base_of(a) > base_of(b);
}

/* By another thread than the one that is named now. */
static void check_order(unsigned named, unsigned d)
{
    for (unsigned i = 0; i < model_thread_count && model_shared.killed == 0; i++)
        if (rt_script->as == NULL && i != named &&
            (G(STOOD, d) & rt_state->lock[d].waiters & fw_rt_bit(i)) != 0 &&
            goes_before(i, named, d))
            model_fail("order", "task %llu is next, and task %llu goes before it", named, i);
}

void rt_changed(unsigned thread, uint64_t addr, uint64_t size)
{
    (void)size;
    for (unsigned d = 0; d < FW_RT_LOCKS && fw_rt_is_boosting(kind()); d++) {
        const struct fw_rt_lock_record *l = &rt_state->lock[d];
        bool is_in = (l->waiters & fw_rt_bit(thread)) != 0;
        uint32_t named = fw_rt_word_owner(l->counter);
        if (addr == (uint64_t)(uintptr_t)&l->tickets ||
            (addr == (uint64_t)(uintptr_t)&l->waiters && is_in && kind() != FW_RT_KIND_FMLP))
            join(thread, d);
        else if (addr == (uint64_t)(uintptr_t)&l->waiters && !is_in)
            leave(thread, d);
        if (addr == (uint64_t)(uintptr_t)&l->counter && named != G(BEFORE, d)) {
            if (named != FW_RT_NONE && named != thread)
                check_order(named, d);
            G(BEFORE, d) = named;
            G(STOOD, d) = 0;
        }
    }
}

void rt_killed(unsigned thread)
{
    unsigned called = lock_of(thread);

    for (unsigned d = 0; d < FW_RT_LOCKS; d++)
        if (G(INSIDE, d) == thread + 1) {
            G(INSIDE, d) = 0;
            G(DIED, d) = MUST_TELL;
        }
    if ((act_of(thread) == RT_LOCKS || act_of(thread) == RT_UNLOCKS) && called < FW_RT_LOCKS)
        G(DIED, called) = MAY_TELL;
    G(ACT, thread) = G(DEPTH, thread) = G(BLOCKER, thread) = 0;
}

static void check_heirs(void)
{
    for (unsigned i = 0; i < FW_RT_TASKS; i++)
        for (unsigned d = 0; d < FW_RT_LOCKS && rt_state->task[i].state == FW_RT_DEAD; d++) {
            const struct fw_rt_lock_record *l = &rt_state->lock[d];
            if ((l->waiters & fw_rt_bit(i)) != 0 || fw_rt_word_owner(l->counter) == i)
                model_fail("dead receiver", "lock %llu still has task %llu, which is dead", d, i);
        }
}

/* A proxy that bears a task's id is given back by its next unlock of any lock, or by its end. */
static void check_proxies(void)
{
    for (unsigned g = 0; g < FW_RT_PROXIES; g++)
        for (unsigned i = 0; i < model_thread_count; i++)
            if (!model_is_killed(i) &&
                (rt_state->proxy[g] & FW_ROBUST_OWNER) == SUBJECT_FIRST_TID + i &&
                (is_in_order() || rt_cell_of(i) == NULL || rt_cell_of(i)->unlock_call == 0))
                model_fail("left over", "proxy %llu bears the id of task %llu", g, i);
}

/* Whoever is no task any more is what it was before: a thread, and what it has left behind. */
static void check_ended(unsigned thread)
{
    const struct model_thread *t = &model_threads[thread];

    if (rt_cell_of(thread) != NULL || model_is_killed(thread))
        return;
    if (is_in_order() && (t->priority != model_program->tasks[thread].priority ||
                          t->cpu != model_program->tasks[thread].cpu))
        model_fail("left over", "thread %llu still has priority %llu", thread, t->priority);
    for (unsigned s = 0; s < FW_RT_TASKS; s++)
        if (rt_state->task[s].tid == SUBJECT_FIRST_TID + thread && rt_state->task[s].state == 0 &&
            (rt_state->task[s].held != 0 ||
             (rt_state->task[s].boost != 0 && model_shared.killed == 0) ||
             ((rt_state->lock[0].users | rt_state->lock[1].users) & fw_rt_bit(s)) != 0))
            model_fail("left over", "free record %llu holds 0x%llx", s, rt_state->task[s].held);
    if ((rt_state->state_lock & FW_ROBUST_OWNER) == SUBJECT_FIRST_TID + thread)
        model_fail("left over", "thread %llu is no task, and has the state's lock", thread, 0);
}

void rt_finished(void)
{
    check_proxies();
    for (unsigned i = 0; i < model_thread_count && rt_script->as != NULL; i++)
        check_ended(i);
    if (!is_in_order())
        return;
    check_heirs();
    for (unsigned d = 0; d < FW_RT_LOCKS && model_shared.killed == 0; d++) {
        const struct fw_rt_lock_record *l = &rt_state->lock[d];
        if (l->pi_word != 0 || l->counter != 0 || l->waiters != 0)
            model_fail("left over", "lock %llu: its proxy holds 0x%llx", d, l->pi_word);
    }
    for (unsigned i = 0; i < model_thread_count && model_shared.killed == 0; i++) {
        const struct fw_rt_task_record *c = rt_cell_of(i);
        if (c == NULL)
            continue;
        if (c->held != 0 || c->request != 0 || c->record_lock != 0 || c->boost != 0 ||
            model_threads[i].priority != c->base)
            model_fail("left over", "task %llu: it still holds 0x%llx", i, c->held);
    }
}
