/* SPDX-License-Identifier: MIT */
/*
 * Tier B of the real-time locks: the library's side as it is shipped (rt/scx/user.c, ended.c),
 * beside a stand-in for the scheduler (subject/scx.h).  What must hold:
 *
 *   exclusion    one task is in a section of a lock, before, during and after the scheduler's end
 *   ceiling      who gets a lock under a ceiling has a base priority above the ceilings of those
 *                that other tasks of its CPU are inside of
 *   dead owner   who gets the lock of one that has died in a section is told, and nobody else
 *   by SCX1      while a task runs with CAN_LOCK, no other task of its CPU has a lock in its way
 *   by SCX2      no page has CAN_LOCK when `alive` is 0
 *   by SCX3      there is no token while somebody is in the section
 *   left over    in the end nothing is held, and where nobody died, queues and tokens are empty
 *
 * Scripts: j sleeps for a while; a b lock, A B unlock; c d try, C D unlock if that went well.
 * Behind the tasks: cpu is a CPU of the scheduler, end its end.
 */
#include "rt_calls.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <furwock/futex.h>

#include "../subject/scx.h"
#include "../subject/subject.h"
#include "programs.h"
#include "rt_check.h"
#include "rt_script.h"

/* What the checks remember. */
enum {
    INSIDE = 0,                  /* by lock: who is in its section, plus 1 */
    DIED = INSIDE + FW_RT_LOCKS, /* by lock: must the next be told of a death? */
    CALL = DIED + FW_RT_LOCKS    /* by task: the lock of its call, plus 1 */
};

#define G(what, n) (*shadow((what) + (n)))

static fw_rt_protocol protocol;
static uint32_t kind;
static unsigned tasks, cpus;
static struct fw_rt_scx side;
static struct fw_rt_group group;

#define PAGE(n, field)                                                                 \
    {                                                                                  \
#field "-" #n,                                                                 \
            offsetof(struct scx_ground, pages) + (n) * sizeof(struct fw_rt_scx_page) + \
                offsetof(struct fw_rt_scx_page, field),                                \
            sizeof(((struct fw_rt_scx_page *)0)->field)                                \
    }
#define PARTS(n) PAGE(n, locked), PAGE(n, op), PAGE(n, result), PAGE(n, unlock_call)
#define AT(name, field)                             \
    {                                               \
        name, offsetof(struct scx_ground, field), 4 \
    }

static const struct model_part parts[] = {
    PARTS(0), PARTS(1), PARTS(2), AT("alive", scx.state.alive), {NULL, 0, 0}};

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t free)
{
    (void)offset;
    (void)size;
    snprintf(text, free, "%llx", (unsigned long long)value);
}

/* What the scheduler, or the task itself, alone writes is no step. */
static enum model_access reached(const void *p)
{
    uint64_t at = (uint64_t)((const uint8_t *)p - (const uint8_t *)scx_ground);

    if (at >= sizeof *scx_ground || at == offsetof(struct scx_ground, scx.state.alive) ||
        at == offsetof(struct scx_ground, group.state_lock) ||
        at == offsetof(struct scx_ground, group.left))
        return ACCESS_STEP;
    if (at >= offsetof(struct scx_ground, shared) && at < offsetof(struct scx_ground, group))
        return ACCESS_STEP;
    if (at < offsetof(struct scx_ground, pages) || at >= offsetof(struct scx_ground, shared))
        return ACCESS_DIRECT;
    switch ((at - offsetof(struct scx_ground, pages)) % sizeof(struct fw_rt_scx_page)) {
    case offsetof(struct fw_rt_scx_page, locked):
    case offsetof(struct fw_rt_scx_page, op):
    case offsetof(struct fw_rt_scx_page, unlock_call):
        return ACCESS_STEP;
    default:
        return ACCESS_DIRECT;
    }
}

static bool uses(unsigned task, unsigned d)
{
    for (const char *act = script_text[task]; *act != '\0'; act++)
        if (*act == (char)('a' + d) || *act == (char)('c' + d))
            return true;
    return false;
}

/* The first task is on a CPU of its own if there are two. */
static uint32_t cpu_of(uint64_t task)
{
    return task == 0 ? 0 : cpus - 1;
}

static void set_up(struct fw_rt_state *w)
{
    w->tier = FW_RT_TIER_B;
    w->alive = 1;
    w->tasks = tasks;
    w->locks = FW_RT_LOCKS;
    for (unsigned i = 0; i < tasks; i++) {
        struct fw_rt_task_record *c = &w->task[i];
        c->state = FW_RT_LIVE;
        c->tid = SUBJECT_FIRST_TID + i;
        c->base = 10 * (i + 1);
        c->cpu = cpu_of(i);
        for (unsigned d = 0; d < FW_RT_LOCKS; d++) {
            w->lock[d].kind = kind;
            w->lock[d].protocol = protocol;
            if (!uses(i, d))
                continue;
            c->opened |= fw_rt_bit(d);
            w->lock[d].users |= fw_rt_bit(i);
            fw_rt_add_user(&w->lock[d], c->base, c->cpu);
        }
    }
}

static bool is_cpu(unsigned thread)
{
    return strcmp(script_text[thread], "cpu") == 0;
}

static void setup(void)
{
    protocol = (fw_rt_protocol)model_program->initial;
    kind = rt_kind_of(protocol);
    tasks = cpus = 0;
    for (unsigned i = 0; i < model_thread_count; i++)
        if (is_cpu(i))
            cpus++;
        else if (strcmp(script_text[i], "end") != 0)
            tasks++;
    scx_ground = model_object("ground", sizeof *scx_ground, parts, decode);
    set_up(&scx_ground->scx.state);
    set_up(&scx_ground->group);
    side = (struct fw_rt_scx){.state = &scx_ground->scx,
                              .pages = scx_ground->pages,
                              .shared = &scx_ground->shared,
                              .desc = {0, 1}};
    group = (struct fw_rt_group){.state = &scx_ground->group, .scx = &side};
    for (unsigned i = 0; i < tasks; i++)
        scx_ground->pages[i].tid = SUBJECT_FIRST_TID + i;
}

/* --- What must hold ------------------------------------------------------------------------- */

static uint32_t base_of(unsigned task)
{
    return scx_ground->group.task[task].base;
}

static void check_ceiling(unsigned self)
{
    for (unsigned e = 0; e < FW_RT_LOCKS && fw_rt_has_ceiling(kind); e++) {
        uint64_t other = G(INSIDE, e);
        if (other != 0 && other - 1 != self && cpu_of(self) == cpu_of(other - 1) &&
            base_of(self) <= scx_ground->group.lock[e].ceiling)
            model_thread_fail("ceiling", "task %llu gets a lock under the ceiling of lock %llu",
                              self, e);
    }
}

static void got(unsigned self, unsigned d, int error)
{
    rt_check_answer(self, error, &G(INSIDE, d), &G(DIED, d));
    check_ceiling(self);
    G(CALL, self) = 0;
}

static void killed(unsigned thread)
{
    for (unsigned d = 0; d < FW_RT_LOCKS; d++) {
        if (G(INSIDE, d) == thread + 1) {
            G(INSIDE, d) = 0;
            G(DIED, d) = MUST_TELL;
        } else if (G(CALL, thread) == d + 1) {
            G(DIED, d) = MAY_TELL;
        }
    }
    G(CALL, thread) = 0;
}

static bool is_in_the_way(unsigned task, unsigned of)
{
    for (unsigned d = 0; d < FW_RT_LOCKS; d++)
        if ((scx_ground->pages[task].locked & fw_rt_bit(d)) && fw_rt_has_ceiling(kind) &&
            base_of(of) <= scx_ground->group.lock[d].ceiling)
            return true;
    return false;
}

static void check_leave(unsigned task)
{
    if ((scx_ground->pages[task].locked & FW_RT_CAN_LOCK) == 0)
        return;
    if (scx_ground->scx.state.alive == 0)
        model_fail("S2", "task %llu may lock, and there is no scheduler", task, 0);
    for (unsigned i = 0; i < tasks; i++)
        if (i != task && scx_ground->on_cpu[cpu_of(task)] == task + 1 &&
            cpu_of(i) == cpu_of(task) && is_in_the_way(i, task))
            model_fail("S1", "task %llu may lock, and task %llu has one in its way", task, i);
}

static void stepped(unsigned thread)
{
    (void)thread;
    for (unsigned i = 0; i < tasks; i++)
        check_leave(i);
    for (unsigned d = 0; d < FW_RT_LOCKS; d++)
        if (scx_ground->shared.token[d] != 0 && G(INSIDE, d) != 0)
            model_fail("S3", "lock %llu has a token, and task %llu has the lock", d,
                       G(INSIDE, d) - 1);
}

static void finished(void)
{
    for (unsigned d = 0; d < FW_RT_LOCKS && model_shared.killed == 0; d++)
        if (scx_ground->shared.queue[d] != 0 || scx_ground->shared.token[d] != 0)
            model_fail("left over", "the queue of lock %llu is 0x%llx", d,
                       scx_ground->shared.queue[d]);
    for (unsigned i = 0; i < tasks && model_shared.killed == 0; i++)
        if ((scx_ground->pages[i].locked & ~FW_RT_CAN_LOCK) != 0)
            model_fail("left over", "task %llu: it still holds 0x%llx", i,
                       scx_ground->pages[i].locked);
}

/* --- The acts ------------------------------------------------------------------------------- */

static void be_task(unsigned self)
{
    struct fw_rt_task t = {.record = &scx_ground->group.task[self],
                           .state = &scx_ground->group,
                           .group = &group,
                           .slot = self,
                           .tid = SUBJECT_FIRST_TID + self,
                           .shared = FW_FUTEX_PRIVATE,
                           .page = &scx_ground->pages[self]};
    bool has[FW_RT_LOCKS] = {false};

    for (const char *act = script_text[self]; *act != '\0'; act++) {
        unsigned d = (unsigned)(tolower(*act) - 'a') % FW_RT_LOCKS;

        if (*act == 'j') {
            model_op(OP_SLEEP, NULL, 0, 0, 0, 0, 0);
        } else if (islower(*act)) {
            int error;
            G(CALL, self) = d + 1;
            error = scx_in_use()->lock(&t, d, *act >= 'c');
            has[d] = error != EBUSY || *act < 'c';
            if (has[d])
                got(self, d, error);
            G(CALL, self) = 0;
            model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
        } else if (has[d]) {
            if (G(INSIDE, d) != self + 1)
                model_thread_fail("exclusion", "another is in the section of task %llu", self, 0);
            G(INSIDE, d) = 0;
            G(CALL, self) = d + 1;
            scx_in_use()->unlock(&t, d);
            G(CALL, self) = 0;
        }
    }
}

static bool are_tasks_done(void)
{
    for (unsigned i = 0; i < tasks; i++)
        if (model_threads[i].status != THREAD_DONE)
            return false;
    return true;
}

/* A CPU.  As long as there are tasks, it may decide anew. */
static void be_cpu(uint32_t cpu)
{
    for (;;) {
        bool lets_through = model_op(OP_CHANCE, NULL, 0, 0, 0, 0, 0) != 0;
        model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
        if (are_tasks_done() || scx_ground->scx.state.alive == 0)
            return;
        if (scx_reap_one(cpu))
            continue;
        if (lets_through)
            scx_let_through(cpu);
        else
            scx_decide(cpu);
    }
}

static void be_end(void)
{
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    scx_ground->is_ending = 1;
    for (unsigned i = 0; i < tasks; i++) {
        model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
        scx_let_go(i);
    }
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    scx_ground->scx.state.alive = 0;
}

static void thread(unsigned self)
{
    if (self < tasks)
        be_task(self);
    else if (is_cpu(self))
        be_cpu(self - tasks);
    else
        be_end();
}

static HOOKS(hooks, .setup = setup, .thread = thread, .own = script_own, .access = reached,
             .stepped = stepped, .killed = killed, .finished = finished);

#define PROGRAM(...) \
    SCRIPTED(hooks, __VA_ARGS__, .may_run = scx_may_run, .rechecks = true, .unmarked = true)
#define OF(protocol_) .initial = FW_RT_##protocol_
#define KILL KILLS(1), .immortal = ~UINT64_C(3)
/* One that waits is let through. */
#define TURN .budget.chances = 1

static const struct model_program programs[] = {
    PROGRAM("scx-pcp", "jaA | jaA | cpu", OF(PCP_DU), ABOUT("a section, and a more urgent one")),
    PROGRAM("scx-pcp-two", "jabBA | jbaAB | cpu", OF(PCP_DU), TURN,
            ABOUT("two locks, nested the other way round")),
    PROGRAM("scx-pcp-three", "jaA | jbB | jaA | cpu", OF(PCP_DU)),
    PROGRAM("scx-pcp-kill", "jaA | jaAaA | cpu", OF(PCP_DU), KILL),
    PROGRAM("scx-pcp-end", "jaA | jaA | cpu | end", OF(PCP_DU)),
    PROGRAM("scx-pcp-end-two", "jabBA | jbaAB | cpu | end", OF(PCP_DU), BOUND(3, 0)),
    PROGRAM("scx-pcp-end-kill", "aA | jaA | cpu | end", OF(PCP_DU), KILL, BOUND(3, 0)),
    PROGRAM("scx-ipcp-end", "jaA | jaA | cpu | end", OF(IPCP), BOUND(3, 0)),
    PROGRAM("scx-try", "jaA | jcC | cpu | end", OF(PCP_DU), BOUND(3, 0)),
    PROGRAM("scx-queue", "aAaA | aAaA | cpu | cpu", OF(MPCP_DU)),
    PROGRAM("scx-queue-three", "aA | aA | aA | cpu | cpu", OF(FMLP_DU)),
    PROGRAM("scx-queue-kill", "aA | aA | cpu | cpu", OF(FMLP_DU), KILL),
    PROGRAM("scx-queue-kill-try", "aA | cCcC | cpu | cpu", OF(FMLP_DU), KILL,
            ABOUT("who only tries gets what a dead owner had")),
    PROGRAM("scx-queue-end", "aA | aA | cpu | cpu | end", OF(FMLP_DU), BOUND(3, 0)),
    PROGRAM("scx-queue-end-local", "aA | jaA | cpu | end", OF(MPCP_DU), BOUND(3, 0)),
    PROGRAM("scx-queue-end-kill", "aA | jaA | cpu | end", OF(MPCP_DU), KILL, BOUND(3, 0)),
    PROGRAM("scx-queue-end-try", "aA | cC | cpu | cpu | end", OF(MPCP_DU), BOUND(3, 0)),
};

GROUP(scx, "scx");
