/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* How threads become tasks, and what becomes of tasks that are no more.  The calls: tasks.h. */
#include "bpf/sched/tasks.h"

#include "bpf/lib/pid.bpf.h"
#include "bpf/sched/answer.h"
#include "bpf/sched/queues.h"
#include "bpf/sched/request.h"
#include "bpf/sched/slot.h"

static __always_inline uint32_t number_of(struct task_struct *p)
{
    struct pid *pid = p->thread_pid;

    return !pid || pid->level == 0 ? p->pid : fw_number_below(pid) >> 32;
}

/* In ticks of user space: 100 a second. */
static __always_inline uint64_t started_of(struct task_struct *p)
{
    return p->start_boottime / (10 * MS);
}

static __always_inline bool is_granted(const struct fw_rt_scx_state *w, uint32_t grant,
                                       const struct request *request)
{
    const struct fw_rt_scx_grant *g = &w->grant[grant % FW_RT_SCX_GRANTS];
    uint32_t cpu = request->cpu, base = request->base;

    return cpu < FW_RT_CPUS && base >= g->lowest && base <= g->highest &&
           (g->cpus[cpu / 64 % (FW_RT_CPUS / 64)] & fw_rt_bit(cpu));
}

static __always_inline uint32_t count_of(const struct fw_rt_scx_state *w, uint32_t uid)
{
    uint32_t n = 0;
    int i;

    FW_RT_EACH(i, FW_RT_TASKS)
    {
        if (w->state.task[i].state == FW_RT_LIVE && w->uid[i] == uid)
            n++;
    }
    return n;
}

static __always_inline void fill_record(struct fw_rt_scx_state *w, uint32_t slot,
                                        const struct fw_rt_scx_page *page,
                                        const struct request *request, struct task_struct *p)
{
    struct fw_rt_task_record *c = &w->state.task[slot % FW_RT_TASKS];

    __builtin_memset(c, 0, sizeof *c);
    c->base = request->base;
    c->cpu = request->cpu;
    c->tid = p->pid;
    c->started = started_of(p);
    c->period = page->period;
    c->deadline = page->deadline;
    c->budget = page->budget;
    c->more[0] = request->group;
    __builtin_memcpy(c->name, page->name, sizeof c->name);
    c->name[FW_RT_NAME - 1] = 0;
    c->state = FW_RT_LIVE;
}

static __always_inline uint32_t check_join(const struct fw_rt_scx_state *w, uint32_t grant,
                                           uint32_t slot, const struct request *request,
                                           struct task_struct *p)
{
    if (!is_granted(w, grant, request))
        return EPERM;
    if (w->state.task[slot % FW_RT_TASKS].state != FW_RT_FREE)
        return EBUSY;
    if (p->nr_cpus_allowed != 1 || fw_first_cpu(p->cpus_ptr) != request->cpu ||
        (uint32_t)fw_task_cpu(p) != request->cpu) /* may be on its way, here or away */
        return EXDEV;
    if (count_of(w, w->grant[grant % FW_RT_SCX_GRANTS].uid) >=
        w->grant[grant % FW_RT_SCX_GRANTS].tasks)
        return EAGAIN;
    return 0;
}

static __always_inline void join(struct fw_rt_scx_state *w, uint32_t grant, uint32_t slot,
                                 struct fw_rt_scx_page *page, struct task_struct *p)
{
    struct request request = read_request(page);
    uint32_t error = check_join(w, grant, slot, &request, p), value = slot + 1;

    if (error == 0 && !bpf_task_storage_get(&slots, p, &value, BPF_LOCAL_STORAGE_GET_F_CREATE))
        error = EAGAIN;
    if (error == 0) {
        struct side *s = &side[slot % FW_RT_TASKS];
        s->grant = grant;
        s->is_queued = s->is_fresh = s->away = s->elsewhere = 0;
        s->turn_ns = 0;
        s->program = p->self_exec_id;
        s->leave = s->wants_permit = s->is_ready = s->works = 0;
        page->locked = page->marked = 0;
        page->unlocked = 0;
        page->away = 0;
        w->uid[slot % FW_RT_TASKS] = w->grant[grant % FW_RT_SCX_GRANTS].uid;
        if (slot >= w->state.tasks)
            w->state.tasks = slot + 1;
        fill_record(w, slot, page, &request, p);
        __sync_fetch_and_or(&runnable_slots, fw_rt_bit(slot));
    }
    answer(page, error);
}

/*
 * Queues that a dead task is still in keep its slot, until somebody asks for the locks.  A user has
 * one such slot for all of its dead: else they would take the slots of others.  Returns what is
 * left.
 */
static __always_inline uint64_t leave_tombstone(struct fw_rt_scx_state *w, uint32_t slot,
                                                struct fw_rt_scx_shared *shared, uint64_t left)
{
    uint32_t tombstone = FW_RT_NONE;
    int i;

    FW_RT_EACH(i, FW_RT_TASKS)
    {
        if ((uint32_t)i != slot && w->state.task[i].state == FW_RT_DEAD &&
            w->uid[i] == w->uid[slot % FW_RT_TASKS])
            tombstone = i;
    }
    if (tombstone >= FW_RT_TASKS)
        return left;
    w->state.task[tombstone].held |= left;
    FW_RT_EACH(i, FW_RT_LOCKS)
    {
        if (!(left & fw_rt_bit(i)))
            continue;
        __sync_fetch_and_or(&shared->queue[i], fw_rt_bit(tombstone)); /* first: it is never free */
        __sync_fetch_and_and(&shared->queue[i], ~fw_rt_bit(slot));
    }
    return 0;
}

/* Of a task that is no more; what it still has of locks goes to the next owners as died in. */
static __always_inline void reap(struct fw_rt_scx_state *w, uint32_t slot,
                                 struct fw_rt_scx_page *page)
{
    struct fw_rt_task_record *c = &w->state.task[slot % FW_RT_TASKS];
    struct fw_rt_scx_shared *shared = shared_of(slot);
    uint64_t left = 0;
    int d;

    if (!shared)
        return;
    __sync_fetch_and_and(&runnable_slots, ~fw_rt_bit(slot));
    fw_revoke(slot);
    if (c->held)
        w->counts.died++;
    c->state = FW_RT_DEAD;
    FW_RT_EACH(d, FW_RT_LOCKS)
    {
        struct fw_rt_lock_record *l = &w->state.lock[d];
        if (!(c->opened & fw_rt_bit(d)))
            continue;
        l->waiters &= ~fw_rt_bit(slot);
        l->users &= ~fw_rt_bit(slot);
        if (fw_rt_is_boosting(l->kind)) {
            if (shared->queue[d] & fw_rt_bit(slot))
                left |= fw_rt_bit(d);
        } else if (c->held & fw_rt_bit(d)) {
            mark_died(w, d);
        }
        if (l->users == 0) {
            left &= ~fw_rt_bit(d);
            fw_queue_clean(slot, d);
            l->protocol = 0;
        }
    }
    if (left)
        left = leave_tombstone(w, slot, shared, left);
    page->locked = page->marked = 0;
    side[slot % FW_RT_TASKS].is_queued = 0;
    c->held = left;
    c->request = 0;
    c->state = left ? FW_RT_DEAD : FW_RT_FREE; /* last: now another may have the slot */
}

/* After a death: queues that it was in.  A token that nobody is left for goes. */
static __always_inline void resolve_all(struct fw_rt_scx_state *w, uint32_t slot, uint64_t opened)
{
    struct fw_rt_scx_shared *shared = shared_of(slot);
    int d;

    if (!shared)
        return;
    FW_RT_EACH(d, FW_RT_LOCKS)
    {
        if (!(opened & fw_rt_bit(d)) || !fw_rt_is_boosting(w->state.lock[d].kind))
            continue;
        if (shared->token[d])
            shared->token[d] = fw_queue_clean(slot, d);
        fw_queue_resolve(slot, d);
    }
}

int fw_reap(uint32_t slot)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_page *page;
    uint64_t opened;

    if (slot >= FW_RT_TASKS || !w)
        return 0;
    page = page_of(slot);
    if (!page)
        return 0;
    __sync_fetch_and_and(&runnable_slots, ~fw_rt_bit(slot));
    if (sched_trylock()) {
        __sync_fetch_and_and(&lost_slots, ~fw_rt_bit(slot));
        opened = w->state.task[slot].opened;
        reap(w, slot, page);
        resolve_all(w, slot, opened);
        sched_unlock();
        ask(w->state.task[slot].cpu);
    } else {
        __sync_fetch_and_or(&lost_slots, fw_rt_bit(slot));
    }
    return 0;
}

/* Which grant the user has; FW_RT_NONE: none. */
int fw_grant_of(uint32_t uid)
{
    struct fw_rt_scx_state *w = get_state();
    uint32_t found = FW_RT_NONE;
    int i;

    if (!w)
        return found;
    FW_RT_EACH(i, FW_RT_SCX_GRANTS)
    {
        if ((uint32_t)i < w->grants && w->grant[i].uid == uid)
            found = i;
    }
    return found;
}

/*
 * The slot whose page asks for this thread to join; FW_RT_NONE: none.  Threads of two pid
 * namespaces may have the same number, or one that died while it asked: rather that of a thread
 * which began when this one did.
 */
int fw_asks_to_join(uint32_t grant, uint32_t tid, uint64_t started)
{
    uint32_t found = FW_RT_NONE;
    bool is_sure = false;
    int i;

    FW_RT_EACH(i, FW_RT_TASKS)
    {
        volatile struct fw_rt_scx_page *page = get_page(grant, i);
        if (!page || page->op != FW_RT_SCX_JOIN || page->tid != tid || is_sure)
            continue;
        is_sure = page->spare[FW_RT_SCX_STARTED] == started;
        found = i;
    }
    return found;
}

void fw_try_join(struct task_struct *p)
{
    struct fw_rt_scx_state *w = get_state();
    uint32_t grant = fw_grant_of(p->cred->euid.val), slot;
    struct fw_rt_scx_page *page;

    if (!w || grant >= FW_RT_SCX_GRANTS)
        return;
    slot = fw_asks_to_join(grant, number_of(p), started_of(p));
    if (slot >= FW_RT_TASKS)
        return;
    page = get_page(grant, slot);
    if (!page)
        return;
    if (!sched_trylock())
        return;
    join(w, grant, slot, page, p);
    sched_unlock();
}
