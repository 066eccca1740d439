/* SPDX-License-Identifier: MIT */
#include "rt_script.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <furwock/futex.h>

#include "../kernel.h"
#include "../subject/robust.h"
#include "../subject/rt_task.h"
#include "../subject/subject.h"
#include "rt_calls.h"
#include "rt_check.h"

struct fw_rt_state *rt_state;
struct fw_rt_group *rt_group;
const struct rt_script *rt_script;

#define RECORD(n) (offsetof(struct fw_rt_state, task) + (n) * sizeof(struct fw_rt_task_record))
#define LOCK(n) (offsetof(struct fw_rt_state, lock) + (n) * sizeof(struct fw_rt_lock_record))
#define IN_RECORD(n, field)                                                   \
    {                                                                         \
#field "-" #n, RECORD(n) + offsetof(struct fw_rt_task_record, field), \
            sizeof(((struct fw_rt_task_record *)0)->field)                    \
    }
#define IN_LOCK(n, field)                                                   \
    {                                                                       \
#field "-" #n, LOCK(n) + offsetof(struct fw_rt_lock_record, field), \
            sizeof(((struct fw_rt_lock_record *)0)->field)                  \
    }
#define CELL_PARTS(n)                                                                          \
    IN_RECORD(n, held), IN_RECORD(n, unlock_call), IN_RECORD(n, request), IN_RECORD(n, state), \
        IN_RECORD(n, record_lock), IN_RECORD(n, boost), IN_RECORD(n, grant), IN_RECORD(n, ticket)
#define LOCK_PARTS(n)                                                                 \
    IN_LOCK(n, counter), IN_LOCK(n, pi_word), IN_LOCK(n, owner), IN_LOCK(n, waiters), \
        IN_LOCK(n, died)

static const struct model_part parts[] = {CELL_PARTS(0), CELL_PARTS(1), CELL_PARTS(2),
                                          LOCK_PARTS(0), LOCK_PARTS(1), {NULL, 0, 0}};

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t text_size)
{
    uint32_t owner = (uint32_t)value & FW_ROBUST_OWNER;

    (void)offset;
    if (size == 4 && owner >= SUBJECT_FIRST_TID && owner < SUBJECT_FIRST_TID + MODEL_MAX_THREADS)
        snprintf(text, text_size, "%c%s%s", (int)('A' + owner - SUBJECT_FIRST_TID),
                 (value & FW_ROBUST_WAITERS) != 0 ? ", WAITERS" : "",
                 (value & FW_ROBUST_DIED) != 0 ? ", DIED" : "");
    else
        snprintf(text, text_size, "%llx", (unsigned long long)value);
}

/* What is written for tools, for oneself, or not at all, is no step. */
static enum model_access access(const void *p)
{
    uint64_t at = (uint64_t)((const uint8_t *)p - (const uint8_t *)rt_state);

    if (rt_group != NULL && p == &rt_group->tasks)
        return ACCESS_DIRECT;
    if (at >= sizeof *rt_state)
        return ACCESS_STEP;
    if (at >= RECORD(0) && at < RECORD(FW_RT_TASKS)) {
        switch ((at - RECORD(0)) % sizeof(struct fw_rt_task_record)) {
        case offsetof(struct fw_rt_task_record, base):
        case offsetof(struct fw_rt_task_record, cpu):
        case offsetof(struct fw_rt_task_record, tid):
        case offsetof(struct fw_rt_task_record, behind):
        case offsetof(struct fw_rt_task_record, since):
        case offsetof(struct fw_rt_task_record, worst):
            return ACCESS_DIRECT;
        case offsetof(struct fw_rt_task_record, ready): /* others look at it in boost_level.h */
            return fw_rt_is_boosting(rt_state->lock[0].kind) ? ACCESS_STEP : ACCESS_DIRECT;
        default:
            return ACCESS_STEP;
        }
    }
    switch (at) {
    case offsetof(struct fw_rt_state, tasks):
    case offsetof(struct fw_rt_state, locks):
        return ACCESS_DIRECT;
    case offsetof(struct fw_rt_state, begun): /* or that somebody has died */
        return model_program->budget.kills == 0 && rt_script->as == NULL ? ACCESS_DIRECT
                                                                         : ACCESS_STEP;
    default:
        return ACCESS_STEP;
    }
}

/* --- The state ------------------------------------------------------------------------------ */

static bool uses(unsigned thread, unsigned d)
{
    const char letters[] = {(char)('a' + d), (char)('c' + d), '\0'};

    return strpbrk(script_text[thread], letters) != NULL;
}

struct fw_rt_task_record *rt_cell_of(unsigned thread)
{
    if (rt_script->as == NULL)
        return &rt_state->task[thread];
    for (unsigned i = 0; i < FW_RT_TASKS; i++)
        if (rt_state->task[i].tid == SUBJECT_FIRST_TID + thread &&
            rt_state->task[i].state != FW_RT_FREE)
            return &rt_state->task[i];
    return NULL;
}

unsigned rt_thread_in(unsigned slot)
{
    return slot < FW_RT_TASKS ? rt_state->task[slot].tid - SUBJECT_FIRST_TID : slot;
}

static int cpu_of(unsigned thread)
{
    return rt_script->unnoticed ? (int)rt_cell_of(thread)->cpu : (int)model_threads[thread].cpu;
}

uint32_t rt_kind_of(fw_rt_protocol protocol)
{
    switch (protocol) {
    case FW_RT_PIP:
        return FW_RT_KIND_PIP;
    case FW_RT_IPCP:
        return FW_RT_KIND_IPCP;
    case FW_RT_MPCP:
    case FW_RT_MPCP_DU:
        return FW_RT_KIND_MPCP;
    case FW_RT_FMLP:
    case FW_RT_FMLP_DU:
        return FW_RT_KIND_FMLP;
    default:
        return FW_RT_KIND_PCP;
    }
}

static bool is_task(unsigned thread)
{
    return script_text[thread][0] != 's' && script_text[thread][0] != '(';
}

static unsigned shared(void)
{
    return rt_script->shared ? FW_FUTEX_SHARED : FW_FUTEX_PRIVATE;
}

static void setup(void)
{
    rt_script = model_program->arg;
    subject_cpu_of = cpu_of;
    subject_looks = rt_script->looks;
    subject_claims = rt_script->claims;
    rt_state = model_object("state", sizeof *rt_state, parts, decode);
    rt_state->tier = FW_RT_TIER_A;
    rt_state->tasks = rt_state->begun = model_thread_count;
    rt_state->locks = FW_RT_LOCKS;
    rt_group = NULL;
    if (rt_script->as != NULL) {
        rt_group = model_object("group", sizeof *rt_group, NULL, NULL);
        *rt_group = (struct fw_rt_group){.state = rt_state, .process = 1, .shared = shared()};
    }
    for (unsigned d = 0; d < FW_RT_LOCKS; d++) {
        rt_state->lock[d].kind = rt_kind_of(rt_script->protocol);
        rt_state->lock[d].protocol = rt_script->protocol;
        rt_state->lock[d].name[0] = (char)('a' + d);
    }
    for (unsigned i = 0; i < model_thread_count; i++) {
        struct fw_rt_task_record *c = &rt_state->task[i];
        c->state = is_task(i) ? FW_RT_LIVE : FW_RT_FREE;
        c->ready = is_task(i);
        if (script_text[i][0] == '(')
            continue;
        c->tid = SUBJECT_FIRST_TID + i;
        if (model_program->hooks->marked != NULL) {
            c->liveness[0].word = c->tid;
            c->liveness[1].word = SUBJECT_FIRST_PROCESS + i;
        }
        c->base = (uint32_t)model_program->tasks[i].priority;
        c->cpu = (rt_script->moved >> i & 1) != 0 ? 0 : model_program->tasks[i].cpu;
        for (unsigned d = 0; d < FW_RT_LOCKS; d++) {
            struct fw_rt_lock_record *l = &rt_state->lock[d];
            if (!uses(i, d))
                continue;
            c->opened |= fw_rt_bit(d);
            l->users |= fw_rt_bit(i);
            fw_rt_add_user(l, c->base, c->cpu);
        }
    }
}

/* --- The acts ------------------------------------------------------------------------------- */

static const uint64_t never = 1;

static void be_task(fw_rt_task *t, unsigned self)
{
    memset(t, 0, sizeof *t);
    t->record = &rt_state->task[self];
    t->state = rt_state;
    t->group = rt_group;
    t->slot = self;
    t->tid = SUBJECT_FIRST_TID + self;
    t->shared = shared();
    t->peer[0] = &never; /* it has not looked around yet */
    t->peers = 1;
    for (unsigned d = 0; d < FW_RT_LOCKS; d++) {
        if (fw_rt_has_ceiling(rt_state->lock[d].kind) && rt_script->protocol != FW_RT_PCP)
            t->quick |= fw_rt_bit(d);
        else if (fw_rt_is_boosting(rt_state->lock[d].kind))
            t->boosts |= fw_rt_bit(d);
        else if (rt_state->lock[d].kind == FW_RT_KIND_PIP)
            t->inherits |= fw_rt_bit(d);
    }
}

static bool script_moves(void)
{
    return rt_script->moved != 0;
}

static bool enter(fw_rt_task *t, unsigned d, bool try)
{
    int error;

    rt_check_act(model_current, RT_LOCKS, d);
    error = (try ? rt_in_use()->trylock : rt_in_use()->lock)(t, d);
    if ((try && error == EBUSY) || (script_moves() && error == EXDEV)) {
        rt_check_act(model_current, RT_RUNS, d);
        return false;
    }
    rt_check_got(model_current, d, error);
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    return true;
}

static void leave(fw_rt_task *t, unsigned d)
{
    rt_check_left(model_current, d);
    if (rt_in_use()->unlock(t, d) != 0)
        model_thread_fail("answer", "an unlock fails", 0, 0);
    rt_check_act(model_current, RT_RUNS, d);
}

static void wait_for_job(fw_rt_task *t)
{
    rt_check_act(model_current, RT_IDLE, 0);
    fw_store32_relaxed(&t->record->ready, 0);
    model_op(OP_SLEEP, NULL, 0, 0, 0, 0, 0);
    fw_store32_relaxed(&t->record->ready, 1);
    rt_check_act(model_current, RT_LOCKS, FW_RT_LOCKS);
    rt_in_use()->awake(t);
    rt_check_act(model_current, RT_RUNS, 0);
}

static fw_rt_task *begin(unsigned self)
{
    const struct fw_rt_task_options options = {.name = "t",
                                               .priority = (int)rt_script->as[self].priority,
                                               .cpu = (int)rt_script->as[self].cpu};
    fw_rt_task *t = NULL;
    int error;

    rt_check_act(self, RT_LOCKS, FW_RT_LOCKS);
    error = rt_begin_in_use()->begin(&t, rt_group, &options);
    for (unsigned d = 0; d < FW_RT_LOCKS && error == 0; d++) {
        const char name[] = {(char)('a' + d), '\0'};
        unsigned lock;
        if (uses(self, d))
            error = rt_begin_in_use()->open(t, name, rt_script->protocol, 0, &lock);
    }
    if (error != 0)
        model_thread_fail("answer", "task %llu begins, and is answered %llu", self,
                          (uint64_t)error);
    rt_check_act(self, RT_RUNS, 0);
    return t;
}

static void end(fw_rt_task *t, unsigned self)
{
    rt_check_act(self, RT_LOCKS, FW_RT_LOCKS);
    if (rt_begin_in_use()->end(t) != 0)
        model_thread_fail("answer", "task %llu cannot end", self, 0);
    rt_check_act(self, RT_IDLE, 0);
}

/* Acts that concern no lock; false: it is none of them. */
static bool act_alone(fw_rt_task **t, unsigned self, char act)
{
    switch (act) {
    case 'j':
        wait_for_job(*t);
        return true;
    case 's':
        model_op(OP_SLEEP, NULL, 0, 0, 0, 0, 0);
        return true;
    case '.':
    case '-':
        if (act == '.')
            rt_check_runs(self);
        else
            rt_check_act(self, RT_RUNS, 0);
        model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
        return true;
    case '(':
        *t = begin(self);
        return true;
    case ')':
        end(*t, self);
        return true;
    default:
        return false;
    }
}

static void thread(unsigned self)
{
    bool has[FW_RT_LOCKS] = {false};
    struct subject_task memory;
    fw_rt_task *t = &memory.task;

    if (rt_script->as != NULL)
        subject_use_task(&memory);
    if (script_text[self][0] != '(')
        be_task(t, self);
    for (const char *act = script_text[self]; *act != '\0'; act++) {
        unsigned d = (unsigned)(tolower(*act) - 'a') % FW_RT_LOCKS;

        if (act_alone(&t, self, *act))
            continue;
        if (islower(*act))
            has[d] = enter(t, d, *act >= 'c');
        else if (has[d])
            leave(t, d);
    }
    rt_check_act(self, RT_IDLE, 0);
}

/* The kernel knows of the first word of its liveness; the second one names its process. */
static bool marked(unsigned thread)
{
    struct fw_rt_task_record *c = rt_cell_of(thread);

    if (c != NULL)
        kernel_mark_word(thread, (uint64_t)(uintptr_t)&c->liveness[0].word, false);
    return true;
}

#define RT_HOOKS                                                               \
    .setup = setup, .thread = thread, .access = access, .stepped = rt_stepped, \
    .killed = rt_killed, .changed = rt_changed, .finished = rt_finished
HOOKS(rt_hooks, RT_HOOKS);
HOOKS(rt_marked_hooks, RT_HOOKS, .marked = marked);
HOOKS(rt_begin_hooks, RT_HOOKS, .own = script_own);
