/* SPDX-License-Identifier: MIT */
#include "rt_watch.h"
#include "rt_script.h"

#include <errno.h>
#include <stdio.h>

/* What the checks remember. */
enum {
    INSIDE = 0,                    /* by lock: who is in its section, plus 1 */
    DIED = INSIDE + FW_RT_LOCKS,   /* by lock: must the next be told of a death? */
    ACT = DIED + FW_RT_LOCKS,      /* by task: enum rt_act, and with what lock */
    SECTION = ACT + FW_RT_TASKS,   /* by task: how many outermost sections it has been in */
    DEPTH = SECTION + FW_RT_TASKS, /* by task: in how many sections it is */
    BLOCKER = DEPTH + FW_RT_TASKS, /* by task: the section that has blocked its job */
    GHOSTS = BLOCKER + FW_RT_TASKS
};
_Static_assert(GHOSTS <= MODEL_GHOSTS, "there is room for what the checks remember");

enum { TELL_NOBODY, MUST_TELL, MAY_TELL };

#define G(what, n) model_shared.ghost[(what) + (n)]

static enum rt_act act_of(unsigned task)
{
    return (enum rt_act)(G(ACT, task) & 7);
}

static unsigned lock_of(unsigned task)
{
    return (unsigned)(G(ACT, task) >> 8);
}

static uint32_t base_of(unsigned task)
{
    return rt_world->task[task].base;
}

static bool share_cpu(unsigned a, unsigned b)
{
    return a != b && model_program->tasks[a].cpu == model_program->tasks[b].cpu;
}

static uint32_t kind(void)
{
    return rt_world->lock[0].kind;
}

/* Threads that others have moved have nothing but exclusion. */
static bool is_in_order(void)
{
    return rt_script->moved == 0;
}

static bool is_one_cpu(void)
{
    for (unsigned i = 1; i < model_thread_count; i++)
        if (!share_cpu(0, i))
            return false;
    return is_in_order();
}

/* --- What tasks tell ------------------------------------------------------------------------ */

void rt_watch_act(unsigned self, enum rt_act act, unsigned d)
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
            base_of(self) <= rt_world->lock[e].ceiling)
            model_thread_fail("ceiling", "task %llu gets a lock under the ceiling of lock %llu",
                              self, e);
    }
}

void rt_watch_got(unsigned self, unsigned d, int error)
{
    if (error != 0 && error != EOWNERDEAD)
        model_thread_fail("answer", "task %llu is answered %llu", self, (uint64_t)error);
    if (G(INSIDE, d) != 0)
        model_thread_fail("exclusion", "task %llu is in a section in which task %llu is", self,
                          G(INSIDE, d) - 1);
    if ((error == EOWNERDEAD && G(DIED, d) == TELL_NOBODY) ||
        (error == 0 && G(DIED, d) == MUST_TELL))
        model_thread_fail("dead owner", "task %llu is answered %llu", self, (uint64_t)error);
    if (is_in_order() && fw_rt_has_ceiling(kind()))
        check_ceiling(self);
    if (error == EOWNERDEAD)
        G(DIED, d) = TELL_NOBODY;
    G(INSIDE, d) = self + 1;
    G(SECTION, self) += G(DEPTH, self)++ == 0;
    rt_watch_act(self, RT_RUNS, d);
}

void rt_watch_left(unsigned self, unsigned d)
{
    if (G(INSIDE, d) != self + 1)
        model_thread_fail("exclusion", "another one is in the section of task %llu", self, 0);
    G(INSIDE, d) = 0;
    G(DEPTH, self)--;
    rt_watch_act(self, RT_UNLOCKS, d);
}

/* How urgent the sections make it in which a task is; 0: in none that boosts. */
static uint64_t boost_of(unsigned task)
{
    uint64_t boost = 0;

    for (unsigned d = 0; d < FW_RT_LOCKS; d++) {
        uint64_t by = fw_rt_rank_by(&rt_world->task[task], &rt_world->lock[d]);
        if (G(INSIDE, d) == task + 1 && by > boost)
            boost = by;
    }
    return boost;
}

void rt_watch_runs(unsigned self)
{
    for (unsigned i = 0; i < model_thread_count && is_in_order(); i++)
        if (share_cpu(self, i) && G(DEPTH, self) == 0 && boost_of(i) >= base_of(self) &&
            (model_shared.killed >> i & 1) == 0)
            model_thread_fail("held back", "task %llu runs beside a section of task %llu", self, i);
}

/* --- Hooks ---------------------------------------------------------------------------------- */

/* Is a job of the task under way? */
static bool is_pending(unsigned task)
{
    return act_of(task) != RT_IDLE && model_threads[task].op.kind != OP_SLEEP &&
           (model_shared.killed >> task & 1) == 0;
}

static bool is_in_section(unsigned task)
{
    return G(DEPTH, task) != 0 || act_of(task) == RT_LOCKS || act_of(task) == RT_UNLOCKS;
}

void rt_stepped(unsigned thread)
{
    uint64_t section = thread + 1 + (G(SECTION, thread) << 8);

    for (unsigned i = 0; i < model_thread_count && is_one_cpu(); i++) {
        if (i == thread || base_of(i) <= base_of(thread) || !is_pending(i))
            continue;
        if (!is_in_section(thread))
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

void rt_finished(void)
{
    if (!is_in_order())
        return; /* a gate may bear an id until its task's next unlock, or its end */
    for (unsigned d = 0; d < FW_RT_LOCKS && model_shared.killed == 0; d++) {
        const struct fw_rt_lock_cell *l = &rt_world->lock[d];
        if (l->gate != 0 || l->counter != 0 || l->waiters != 0)
            model_fail("left over", "lock %llu: its gate holds 0x%llx", d, l->gate);
    }
    for (unsigned i = 0; i < model_thread_count && model_shared.killed == 0; i++) {
        const struct fw_rt_task_cell *c = &rt_world->task[i];
        if (c->held != 0 || c->request != 0 || c->watch != 0 || c->boost != 0 ||
            model_threads[i].priority != c->base)
            model_fail("left over", "task %llu: it still holds 0x%llx", i, c->held);
    }
}

void rt_describe(char *text, size_t room)
{
    snprintf(text, room, "held %llx %llx %llx, gates %x %x",
             (unsigned long long)rt_world->task[0].held, (unsigned long long)rt_world->task[1].held,
             (unsigned long long)rt_world->task[2].held, rt_world->lock[0].gate,
             rt_world->lock[1].gate);
}
