/* SPDX-License-Identifier: MIT */
#include "scx.h"

#include <errno.h>
#include <time.h>

#include "../engine/model.h"
#include "../faults.h"
#include "../memory.h"

int subject_yield(void);
int subject_nanosleep(const struct timespec *time, struct timespec *left);

struct scx_ground *scx_ground;

static struct fw_rt_world *world(void)
{
    return &scx_ground->scx.world;
}

static struct fw_rt_task_cell *cell(uint32_t slot)
{
    return &world()->task[slot % FW_RT_TASKS];
}

static struct fw_rt_lock_cell *lock_cell(uint32_t d)
{
    return &world()->lock[fw_rt_lock_index(d)];
}

static struct fw_rt_scx_page *page_of(uint32_t slot)
{
    return &scx_ground->pages[slot % FW_RT_TASKS];
}

/* --- Pages (inside.h) ----------------------------------------------------------------------- */

static void note(uint32_t slot)
{
    struct fw_rt_scx_page *page = page_of(slot);

    memory_drain(slot);
    fw_rt_note(world(), slot, page->locked & cell(slot)->opened, page->unlocked != 0);
    page->unlocked = 0;
}

/* S1 */
static void publish(uint32_t slot)
{
    struct fw_rt_scx_page *page = page_of(slot);

    if (!(cell(slot)->opened & scx_ground->died_locks) && fw_rt_can_lock(world(), slot))
        page->locked |= FW_RT_CAN_LOCK;
    else
        page->locked &= ~FW_RT_CAN_LOCK;
    page->unlock_call = fw_rt_is_waited_for(world(), slot);
}

static void answer(uint32_t slot, uint32_t result)
{
    page_of(slot)->result = result;
    page_of(slot)->op = FW_RT_SCX_NOTHING;
}

static void mark_died(uint32_t d)
{
    lock_cell(d)->died = 1;
    scx_ground->died_locks |= fw_rt_bit(d);
}

static void give(uint32_t slot, uint32_t d)
{
    uint32_t died = lock_cell(d)->died;

    lock_cell(d)->died = 0;
    scx_ground->died_locks &= ~fw_rt_bit(d);
    page_of(slot)->locked |= fw_rt_bit(d);
    answer(slot, died ? EOWNERDEAD : 0);
}

/* --- Lines (lines.h) ------------------------------------------------------------------------ */

static void hand_over(uint32_t d)
{
    struct fw_rt_lock_cell *l = lock_cell(d);
    uint32_t next = fw_rt_next_waiter(world(), d);

    if (next == FW_RT_NOBODY) {
        if (!fault_is(FAULT_LOST_TOKEN))
            scx_ground->shared.token[d] = 1;
        return;
    }
    l->waiters &= ~fw_rt_bit(next);
    l->owner = next + 1;
    cell(next)->request = 0;
    scx_ground->in_line &= ~fw_rt_bit(next);
    give(next, d);
}

static bool has_taker(uint32_t d, uint64_t waiters)
{
    uint64_t users = lock_cell(d)->users & ~waiters;

    for (uint32_t i = 0; i < FW_RT_TASKS; i++)
        if ((users & fw_rt_bit(i)) && cell(i)->state == FW_RT_LIVE &&
            (page_of(i)->locked & fw_rt_bit(d)))
            return true;
    return false;
}

static uint64_t dead_in(uint32_t d)
{
    uint64_t dead = 0;

    for (uint32_t i = 0; i < FW_RT_TASKS; i++)
        if (cell(i)->state == FW_RT_DEAD && (cell(i)->held & fw_rt_bit(d)))
            dead |= fw_rt_bit(i);
    return dead;
}

static void forget(uint32_t d, uint64_t dead)
{
    for (uint32_t i = 0; i < FW_RT_TASKS; i++)
        if ((dead & fw_rt_bit(i)) && (cell(i)->held &= ~fw_rt_bit(d)) == 0)
            cell(i)->state = FW_RT_FREE;
}

/* Takes the dead out of the line.  Is anybody left? */
static bool clean(uint32_t d)
{
    uint64_t gone = dead_in(d);

    forget(d, gone);
    return gone == 0 || (scx_ground->shared.line[d] &= ~gone) != 0;
}

/* Of a task that is not in the line: takes the place of the dead, where there is nobody else. */
static bool inherit(uint32_t slot, uint32_t d)
{
    uint64_t dead = dead_in(d);

    if (dead == 0 || lock_cell(d)->waiters != 0 || has_taker(d, 0) ||
        scx_ground->shared.line[d] != dead)
        return false;
    scx_ground->shared.line[d] = fw_rt_bit(slot);
    forget(d, dead);
    if (!fault_is(FAULT_QUIET_HEIR))
        mark_died(d);
    lock_cell(d)->owner = slot + 1;
    return true;
}

/* L2 */
static void settle(uint32_t d)
{
    if (lock_cell(d)->waiters == 0 || scx_ground->shared.token[d] ||
        has_taker(d, lock_cell(d)->waiters))
        return;
    mark_died(d);
    clean(d);
    hand_over(d);
}

/* --- Requests (requests.h) ------------------------------------------------------------------ */

static void lock_line(uint32_t slot, uint32_t d, bool may_wait)
{
    struct fw_rt_scx_shared *shared = &scx_ground->shared;

    if (shared->token[d]) {
        shared->token[d] = 0;
        shared->line[d] |= fw_rt_bit(slot);
        lock_cell(d)->owner = slot + 1;
        give(slot, d);
    } else if (!may_wait) {
        settle(d);
        if (inherit(slot, d))
            give(slot, d);
        else
            answer(slot, EBUSY);
    } else {
        cell(slot)->ticket = lock_cell(d)->tickets++;
        cell(slot)->request = d + 1;
        lock_cell(d)->waiters |= fw_rt_bit(slot);
        scx_ground->in_line |= fw_rt_bit(slot);
        settle(d);
    }
}

static void lock_ceiling(uint32_t slot, uint32_t d, bool may_wait)
{
    if (may_wait) {
        cell(slot)->request = d + 1; /* fw_rt_dispatch grants it */
    } else if (fw_rt_obstacle(world(), slot, d).lock != FW_RT_NOBODY) {
        answer(slot, EBUSY);
    } else {
        cell(slot)->held |= fw_rt_bit(d);
        give(slot, d);
    }
}

static void look(uint32_t d)
{
    if (fw_rt_is_boosting(lock_cell(d)->kind))
        settle(d);
}

static void lock(uint32_t slot, uint32_t d, bool may_wait)
{
    if (cell(slot)->request != 0) /* asks already, and was let through to look */
        look(fw_rt_lock_index(cell(slot)->request - 1));
    else if (fw_rt_is_boosting(lock_cell(d)->kind))
        lock_line(slot, d, may_wait);
    else if (cell(slot)->held & fw_rt_bit(d))
        answer(slot, EDEADLK);
    else
        lock_ceiling(slot, d, may_wait);
}

static void unlock(uint32_t slot, uint32_t d)
{
    if (fw_rt_is_boosting(lock_cell(d)->kind) && (page_of(slot)->locked & fw_rt_bit(d))) {
        if (clean(d))
            hand_over(d);
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
    if (world()->alive == 0 || (scx_ground->let_go & fw_rt_bit(slot)) != 0)
        return 0;
    request(slot);
    scx_decide(cell(slot)->cpu);
    return 0;
}

int subject_nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time;
    (void)left;
    return 0;
}

/* --- Who runs (parts.h, sched.bpf.c) --------------------------------------------------------- */

static bool is_on(uint32_t slot, uint32_t cpu)
{
    return slot < model_thread_count && cell(slot)->state == FW_RT_LIVE && cell(slot)->cpu == cpu;
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
            cell(i)->ready = could_run(i) && !(scx_ground->in_line & fw_rt_bit(i));
    scx_ground->on_cpu[cpu] = 0;
    pick = fw_rt_dispatch(world(), cpu);
    if (pick.task == FW_RT_NOBODY)
        return;
    if (pick.granted != 0)
        give(pick.task, pick.granted - 1);
    run(cpu, pick.task);
}

void scx_let_through(uint32_t cpu)
{
    uint64_t wait = 0;

    for (uint32_t i = 0; i < FW_RT_TASKS; i++)
        if (cell(i)->request != 0)
            wait |= fw_rt_bit(i);
    stop(cpu);
    run_next(cpu, wait);
}

bool scx_may_run(unsigned thread)
{
    if (thread >= world()->tasks || world()->alive == 0 || (scx_ground->let_go >> thread & 1) != 0)
        return true;
    return scx_ground->on_cpu[cell(thread)->cpu] == thread + 1;
}

/* --- Those that are no more (members.h) ------------------------------------------------------ */

static void bury(uint32_t slot)
{
    struct fw_rt_task_cell *c = cell(slot);
    uint64_t opened = c->opened, left = 0;

    page_of(slot)->locked &= ~FW_RT_CAN_LOCK;
    note(slot);
    c->state = FW_RT_DEAD;
    for (uint32_t d = 0; d < FW_RT_LOCKS; d++) {
        struct fw_rt_lock_cell *l = lock_cell(d);
        if (!(opened & fw_rt_bit(d)))
            continue;
        l->waiters &= ~fw_rt_bit(slot);
        l->users &= ~fw_rt_bit(slot);
        if (fw_rt_is_boosting(l->kind) && (scx_ground->shared.line[d] & fw_rt_bit(slot)))
            left |= fw_rt_bit(d);
        else if (fw_rt_has_ceiling(l->kind) && (c->held & fw_rt_bit(d)) &&
                 !fault_is(FAULT_QUIET_BURIAL))
            mark_died(d);
    }
    page_of(slot)->locked = 0;
    scx_ground->in_line &= ~fw_rt_bit(slot);
    c->held = left;
    c->request = 0;
    c->state = left ? FW_RT_DEAD : FW_RT_FREE;
    for (uint32_t d = 0; d < FW_RT_LOCKS; d++) {
        if (!(opened & fw_rt_bit(d)) || !fw_rt_is_boosting(lock_cell(d)->kind))
            continue;
        if (scx_ground->shared.token[d])
            scx_ground->shared.token[d] = clean(d);
        settle(d);
    }
}

bool scx_bury_one(uint32_t cpu)
{
    for (uint32_t i = 0; i < FW_RT_TASKS; i++) {
        if (!is_on(i, cpu) || (model_shared.killed >> i & 1) == 0 || could_run(i) ||
            model_threads[i].status != THREAD_DONE || (scx_ground->let_go & fw_rt_bit(i)))
            continue;
        bury(i);
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
    if (scx_ground->on_cpu[cell(slot)->cpu % FW_RT_CPUS] == slot + 1)
        scx_ground->on_cpu[cell(slot)->cpu % FW_RT_CPUS] = 0;
}
