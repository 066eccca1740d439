/* SPDX-License-Identifier: MIT */
#include "scx.h"

#include <errno.h>
#include <time.h>

#include "../engine/model.h"
#include "../faults.h"
#include "../memory.h"

int subject_yield(void);

struct scx_ground *scx_ground;

static struct fw_rt_state *state(void)
{
    return &scx_ground->scx.state;
}

static struct fw_rt_task_record *record(uint32_t slot)
{
    return &state()->task[slot % FW_RT_TASKS];
}

static struct fw_rt_lock_record *lock_record(uint32_t d)
{
    return &state()->lock[fw_rt_lock_index(d)];
}

static struct fw_rt_scx_page *page_of(uint32_t slot)
{
    return &scx_ground->pages[slot % FW_RT_TASKS];
}

/* --- Pages (slot.bpf.c) --------------------------------------------------------------------- */

static void note(uint32_t slot)
{
    struct fw_rt_scx_page *page = page_of(slot);

    memory_drain(slot);
    fw_rt_note(state(), slot, page->locked & record(slot)->opened, page->unlocked != 0);
    page->unlocked = 0;
}

/* SCX1 */
static void publish(uint32_t slot)
{
    struct fw_rt_scx_page *page = page_of(slot);

    if (!(record(slot)->opened & scx_ground->died_locks) && fw_rt_can_lock(state(), slot))
        page->locked |= FW_RT_CAN_LOCK;
    else
        page->locked &= ~FW_RT_CAN_LOCK;
    page->unlock_call = fw_rt_is_waited_for(state(), slot);
}

static void answer(uint32_t slot, uint32_t result)
{
    page_of(slot)->result = result;
    page_of(slot)->op = FW_RT_SCX_NOTHING;
}

static void mark_died(uint32_t d)
{
    lock_record(d)->died = 1;
    scx_ground->died_locks |= fw_rt_bit(d);
}

static void give(uint32_t slot, uint32_t d)
{
    uint32_t died = lock_record(d)->died;

    lock_record(d)->died = 0;
    scx_ground->died_locks &= ~fw_rt_bit(d);
    page_of(slot)->locked |= fw_rt_bit(d);
    answer(slot, died ? EOWNERDEAD : 0);
}

/* --- Queues (queues.bpf.c) ------------------------------------------------------------------ */

static void hand_off(uint32_t d)
{
    struct fw_rt_lock_record *l = lock_record(d);
    uint32_t next = fw_rt_next_waiter(state(), d);

    if (next == FW_RT_NONE) {
        if (!fault_is(FAULT_LOST_TOKEN))
            scx_ground->shared.token[d] = 1;
        return;
    }
    l->waiters &= ~fw_rt_bit(next);
    l->owner = next + 1;
    record(next)->request = 0;
    scx_ground->is_queued &= ~fw_rt_bit(next);
    give(next, d);
}

static bool has_taker(uint32_t d, uint64_t waiters)
{
    uint64_t users = lock_record(d)->users & ~waiters;

    for (uint32_t i = 0; i < FW_RT_TASKS; i++)
        if ((users & fw_rt_bit(i)) && record(i)->state == FW_RT_LIVE &&
            (page_of(i)->locked & fw_rt_bit(d)))
            return true;
    return false;
}

static uint64_t dead_in(uint32_t d)
{
    uint64_t dead = 0;

    for (uint32_t i = 0; i < FW_RT_TASKS; i++)
        if (record(i)->state == FW_RT_DEAD && (record(i)->held & fw_rt_bit(d)))
            dead |= fw_rt_bit(i);
    return dead;
}

static void forget(uint32_t d, uint64_t dead)
{
    for (uint32_t i = 0; i < FW_RT_TASKS; i++)
        if ((dead & fw_rt_bit(i)) && (record(i)->held &= ~fw_rt_bit(d)) == 0)
            record(i)->state = FW_RT_FREE;
}

/* Takes the dead out of the queue.  Is anybody left? */
static bool clean(uint32_t d)
{
    uint64_t gone = dead_in(d);

    forget(d, gone);
    return gone == 0 || (scx_ground->shared.queue[d] &= ~gone) != 0;
}

/* Of a task that is not in the queue: takes the place of the dead, where there is nobody else. */
static bool take_over(uint32_t slot, uint32_t d)
{
    uint64_t dead = dead_in(d);

    if (dead == 0 || lock_record(d)->waiters != 0 || has_taker(d, 0) ||
        scx_ground->shared.queue[d] != dead)
        return false;
    scx_ground->shared.queue[d] = fw_rt_bit(slot);
    forget(d, dead);
    if (!fault_is(FAULT_QUIET_HANDOFF))
        mark_died(d);
    lock_record(d)->owner = slot + 1;
    return true;
}

/* QUEUE2 */
static void resolve(uint32_t d)
{
    if (lock_record(d)->waiters == 0 || scx_ground->shared.token[d] ||
        has_taker(d, lock_record(d)->waiters))
        return;
    mark_died(d);
    clean(d);
    hand_off(d);
}

/* --- Requests (requests.bpf.c) -------------------------------------------------------------- */

static void lock_queue(uint32_t slot, uint32_t d, bool may_wait)
{
    struct fw_rt_scx_shared *shared = &scx_ground->shared;

    if (shared->token[d]) {
        shared->token[d] = 0;
        shared->queue[d] |= fw_rt_bit(slot);
        lock_record(d)->owner = slot + 1;
        give(slot, d);
    } else if (!may_wait) {
        resolve(d);
        if (take_over(slot, d))
            give(slot, d);
        else
            answer(slot, EBUSY);
    } else {
        record(slot)->ticket = lock_record(d)->tickets++;
        record(slot)->request = d + 1;
        lock_record(d)->waiters |= fw_rt_bit(slot);
        scx_ground->is_queued |= fw_rt_bit(slot);
        resolve(d);
    }
}

static void lock_ceiling(uint32_t slot, uint32_t d, bool may_wait)
{
    if (may_wait) {
        record(slot)->request = d + 1; /* fw_rt_dispatch grants it */
    } else if (fw_rt_obstacle(state(), slot, d).lock != FW_RT_NONE) {
        answer(slot, EBUSY);
    } else {
        record(slot)->held |= fw_rt_bit(d);
        give(slot, d);
    }
}

static void look(uint32_t d)
{
    if (fw_rt_is_boosting(lock_record(d)->kind))
        resolve(d);
}

static void lock(uint32_t slot, uint32_t d, bool may_wait)
{
    if (record(slot)->request != 0) /* asks already, and was let through to look */
        look(fw_rt_lock_index(record(slot)->request - 1));
    else if (fw_rt_is_boosting(lock_record(d)->kind))
        lock_queue(slot, d, may_wait);
    else if (record(slot)->held & fw_rt_bit(d))
        answer(slot, EDEADLK);
    else
        lock_ceiling(slot, d, may_wait);
}

static void unlock(uint32_t slot, uint32_t d)
{
    if (fw_rt_is_boosting(lock_record(d)->kind) && (page_of(slot)->locked & fw_rt_bit(d))) {
        if (clean(d))
            hand_off(d);
        page_of(slot)->locked &= ~fw_rt_bit(d);
        note(slot);
    }
    answer(slot, 0);
}

static void request(uint32_t slot)
{
    const struct fw_rt_scx_page *page = page_of(slot);

    note(slot);
    if (page->op == FW_RT_SCX_LOCK || page->op == FW_RT_SCX_TRY)
        lock(slot, page->desc, page->op == FW_RT_SCX_LOCK);
    else if (page->op == FW_RT_SCX_UNLOCK)
        unlock(slot, page->desc);
}

int subject_yield(void)
{
    uint32_t slot = model_current;

    model_op(OP_FENCE_LOCAL, NULL, 0, 0, 0, 0, 0);
    if (state()->alive == 0 || (scx_ground->let_go & fw_rt_bit(slot)) != 0)
        return 0;
    request(slot);
    scx_decide(record(slot)->cpu);
    return 0;
}

/* --- Who runs (decision.bpf.c) -------------------------------------------------------------- */

static bool is_on(uint32_t i, uint32_t cpu)
{
    return i < model_thread_count && record(i)->state == FW_RT_LIVE && record(i)->cpu == cpu;
}

static bool could_run(uint32_t slot)
{
    uint64_t status = model_threads[slot].status;

    return status == THREAD_STOPPED || status == THREAD_RUNNING;
}

static void run(uint32_t cpu, uint32_t slot)
{
    scx_ground->on_cpu[cpu] = slot + 1;
    publish(slot);
}

/* The next one of the CPU, after the one that runs, of those that `among` has. */
static bool run_next(uint32_t cpu, uint64_t among)
{
    for (uint32_t i = 0; i < FW_RT_TASKS; i++) {
        uint32_t slot = (uint32_t)(scx_ground->on_cpu[cpu] + i) % FW_RT_TASKS;
        if (is_on(slot, cpu) && could_run(slot) && (among & fw_rt_bit(slot))) {
            run(cpu, slot);
            return true;
        }
    }
    return false;
}

/* Takes the CPU from the one that has it. */
static void stop(uint32_t cpu)
{
    if (scx_ground->on_cpu[cpu] != 0 && !fault_is(FAULT_UNNOTED))
        note((uint32_t)scx_ground->on_cpu[cpu] - 1);
}

void scx_decide(uint32_t cpu)
{
    struct fw_rt_pick pick;

    stop(cpu);
    if (scx_ground->is_ending) {
        if (!run_next(cpu, ~scx_ground->let_go))
            scx_ground->on_cpu[cpu] = 0;
        return;
    }
    for (uint32_t i = 0; i < FW_RT_TASKS; i++)
        if (is_on(i, cpu))
            record(i)->ready = could_run(i) && !(scx_ground->is_queued & fw_rt_bit(i));
    scx_ground->on_cpu[cpu] = 0;
    pick = fw_rt_dispatch(state(), cpu);
    if (pick.task == FW_RT_NONE)
        return;
    if (pick.granted != 0)
        give(pick.task, pick.granted - 1);
    run(cpu, pick.task);
}

void scx_let_through(uint32_t cpu)
{
    uint64_t wait = 0;

    for (uint32_t i = 0; i < FW_RT_TASKS; i++)
        if (record(i)->request != 0)
            wait |= fw_rt_bit(i);
    stop(cpu);
    run_next(cpu, wait);
}

bool scx_may_run(unsigned thread)
{
    if (thread >= state()->tasks || state()->alive == 0 || (scx_ground->let_go >> thread & 1) != 0)
        return true;
    return scx_ground->on_cpu[record(thread)->cpu] == thread + 1;
}

/* --- Tasks that are no more (tasks.bpf.c) --------------------------------------------------- */

static void reap(uint32_t slot)
{
    struct fw_rt_task_record *c = record(slot);
    uint64_t opened = c->opened, left = 0;

    page_of(slot)->locked &= ~FW_RT_CAN_LOCK;
    note(slot);
    c->state = FW_RT_DEAD;
    for (uint32_t d = 0; d < FW_RT_LOCKS; d++) {
        struct fw_rt_lock_record *l = lock_record(d);
        if (!(opened & fw_rt_bit(d)))
            continue;
        l->waiters &= ~fw_rt_bit(slot);
        l->users &= ~fw_rt_bit(slot);
        if (fw_rt_is_boosting(l->kind) && (scx_ground->shared.queue[d] & fw_rt_bit(slot)))
            left |= fw_rt_bit(d);
        else if (fw_rt_has_ceiling(l->kind) && (c->held & fw_rt_bit(d)) &&
                 !fault_is(FAULT_QUIET_BURIAL))
            mark_died(d);
    }
    page_of(slot)->locked = 0;
    scx_ground->is_queued &= ~fw_rt_bit(slot);
    c->held = left;
    c->request = 0;
    c->state = left ? FW_RT_DEAD : FW_RT_FREE;
    for (uint32_t d = 0; d < FW_RT_LOCKS; d++) {
        if (!(opened & fw_rt_bit(d)) || !fw_rt_is_boosting(lock_record(d)->kind))
            continue;
        if (scx_ground->shared.token[d])
            scx_ground->shared.token[d] = clean(d);
        resolve(d);
    }
}

bool scx_reap_one(uint32_t cpu)
{
    for (uint32_t i = 0; i < FW_RT_TASKS; i++) {
        if (!is_on(i, cpu) || (model_shared.killed >> i & 1) == 0 || could_run(i) ||
            model_threads[i].status != THREAD_DONE || (scx_ground->let_go & fw_rt_bit(i)))
            continue;
        reap(i);
        if (scx_ground->on_cpu[cpu] == i + 1)
            scx_ground->on_cpu[cpu] = 0;
        return true;
    }
    return false;
}

void scx_let_go(uint32_t slot)
{
    memory_drain(slot);
    if (!fault_is(FAULT_KEEPS_LEAVE))
        page_of(slot)->locked &= ~FW_RT_CAN_LOCK;
    note(slot);
    scx_ground->let_go |= fw_rt_bit(slot);
    if (scx_ground->on_cpu[record(slot)->cpu % FW_RT_CPUS] == slot + 1)
        scx_ground->on_cpu[record(slot)->cpu % FW_RT_CPUS] = 0;
}
