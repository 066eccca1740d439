/* SPDX-License-Identifier: MIT */
#include "fifo.h"

#include <errno.h>

#include "engine/model.h"
#include "engine/report.h"
#include "faults.h"
#include "kernel.h"
#include "memory.h"
#include "subject/robust.h"
#include "subject/subject.h"
/*
 * A thread that sleeps in OP_LOCK_PI keeps in its op: addr, b = the owner's number plus 1, c = the
 * deadline.  Until it runs, one that a death has made the owner stands there with
 * d = IS_FROM_THE_DEAD, and one to whom it was handed over at OP_WOKEN with b = IS_PENDING.
 */
#define IS_PENDING 1u
/*
 * Linux 6.18 (try_to_take_rt_mutex): whoever becomes the owner while others sleep is not told what
 * they lend.  If it then sets its own priority, they lend it nothing, until somebody falls asleep
 * who goes before all of them.  In their ops, d:
 */
enum { IS_TOLD, IS_FROM_THE_DEAD, IS_UNTOLD, IS_FORGOTTEN };

/* --- Who runs ------------------------------------------------------------------------------- */

static uint64_t bit(unsigned thread)
{
    return UINT64_C(1) << thread;
}

static bool sleeps_for(unsigned thread, unsigned owner)
{
    const struct model_thread *t = &model_threads[thread];

    return t->status == THREAD_ASLEEP && t->op.kind == OP_LOCK_PI && t->op.b == owner + 1u;
}

uint64_t fifo_priority(unsigned thread)
{
    uint64_t priority = model_threads[thread].priority;

    for (unsigned i = 0; i < model_thread_count; i++) {
        if (sleeps_for(i, thread) && model_threads[i].op.d != IS_FORGOTTEN &&
            !fault_is(FAULT_LENDS_NOTHING)) {
            uint64_t lent = fifo_priority(i);
            if (lent > priority)
                priority = lent;
        }
    }
    return priority;
}

static bool could_run(unsigned thread)
{
    uint64_t status = model_threads[thread].status;

    return status == THREAD_STOPPED || status == THREAD_DYING;
}

bool fifo_may_end(unsigned thread)
{
    return model_program->tasks == NULL || (model_shared.on_cpu & bit(thread)) != 0;
}

/* Does the CPU go to a rather than to b?  Given: the priorities of all. */
static bool goes_before(const uint64_t *priority, unsigned a, unsigned b)
{
    bool has_a = (model_shared.on_cpu & bit(a)) != 0, has_b = (model_shared.on_cpu & bit(b)) != 0;

    if (priority[a] != priority[b])
        return priority[a] > priority[b];
    return has_a != has_b ? has_a : a < b;
}

static bool is_first(const uint64_t *priority, unsigned thread)
{
    if (!could_run(thread))
        return false;
    for (unsigned i = 0; i < model_thread_count; i++)
        if (i != thread && could_run(i) && model_threads[i].cpu == model_threads[thread].cpu &&
            goes_before(priority, i, thread))
            return false;
    return true;
}

static bool is_one_cpu(void)
{
    for (unsigned i = 1; i < model_thread_count; i++)
        if (model_threads[i].cpu != model_threads[0].cpu)
            return false;
    return true;
}

void fifo_dispatch(void)
{
    uint64_t first = 0, priority[MODEL_MAX_THREADS];

    for (unsigned i = 0; i < model_thread_count; i++) {
        struct model_thread *t = &model_threads[i];
        if (t->status == THREAD_STOPPED && t->op.kind == OP_SLEEP) {
            memory_drain(i);
            t->status = THREAD_ASLEEP;
            kernel_enqueue(i);
        }
    }
    if (model_program->tasks == NULL)
        return;
    for (unsigned i = 0; i < model_thread_count; i++)
        priority[i] = could_run(i) ? fifo_priority(i) : 0;
    for (unsigned i = 0; i < model_thread_count; i++)
        first |= is_first(priority, i) ? bit(i) : 0;
    for (unsigned i = 0; i < model_thread_count; i++)
        if (is_one_cpu() || (model_shared.on_cpu & ~first & bit(i)) != 0)
            memory_drain(i);
    model_shared.on_cpu = first;
}

/* --- Futexes that inherit ------------------------------------------------------------------- */

static uint32_t id_of(unsigned thread)
{
    return SUBJECT_FIRST_TID + thread;
}

static uint32_t owner_in(uint64_t word)
{
    return (uint32_t)word & FW_ROBUST_OWNER;
}

static bool is_at(unsigned thread, uint64_t addr)
{
    return model_threads[thread].op.kind == OP_LOCK_PI && model_threads[thread].op.addr == addr;
}

/* The most urgent, and of equals the one that came first; MODEL_MAX_THREADS: nobody waits. */
static unsigned first_waiter(uint64_t addr)
{
    unsigned first = MODEL_MAX_THREADS;

    for (unsigned i = 0; i < model_shared.asleep; i++) {
        unsigned sleeper = (unsigned)model_shared.queue[i];
        if (is_at(sleeper, addr) &&
            (first == MODEL_MAX_THREADS || fifo_priority(sleeper) > fifo_priority(first)))
            first = sleeper;
    }
    return first;
}

/* Who was made the owner by a death, and has not entered its id yet. */
static bool is_between_owners(uint64_t addr)
{
    for (unsigned i = 0; i < model_thread_count; i++)
        if (model_threads[i].status == THREAD_STOPPED && is_at(i, addr) &&
            model_threads[i].op.d == IS_FROM_THE_DEAD)
            return true;
    return false;
}

bool fifo_is_there(unsigned thread)
{
    return thread < model_thread_count && model_threads[thread].status != THREAD_DONE;
}

static void change(unsigned thread, uint64_t addr, uint32_t value)
{
    report_change(addr, 4, value);
    memory_write(thread, addr, 4, value);
}

static void answer(unsigned thread, int error, const char *text)
{
    report_result(text);
    kernel_return(thread, (uint64_t)(int64_t)-error);
}

/* Would the thread wait for itself?  Circles are refused, so this ends. */
static bool is_circle(unsigned thread, unsigned owner)
{
    const struct model_thread *t = &model_threads[owner];

    return owner == thread || (t->status == THREAD_ASLEEP && t->op.kind == OP_LOCK_PI &&
                               is_circle(thread, (unsigned)t->op.b - 1));
}

/* All that sleepers lend it. */
static void tell(unsigned owner)
{
    for (unsigned i = 0; i < model_thread_count; i++)
        if (sleeps_for(i, owner))
            model_threads[i].op.d = IS_TOLD;
}

static void fall_asleep(unsigned thread, unsigned owner)
{
    struct model_thread *t = &model_threads[thread];

    if (is_circle(thread, owner)) {
        answer(thread, EDEADLK, "EDEADLK");
        return;
    }
    report_result("asleep");
    t->op.b = owner + 1;
    t->op.d = IS_TOLD;
    t->status = THREAD_ASLEEP;
    kernel_enqueue(thread);
    if (first_waiter(t->op.addr) == thread)
        tell(owner);
}

/* Somebody has it.  op.a: it is a trylock. */
static void join(unsigned thread, uint64_t addr, uint32_t seen)
{
    unsigned waiter = first_waiter(addr), owner = owner_in(seen) - SUBJECT_FIRST_TID;
    bool is_try = model_threads[thread].op.a == 1;

    if (waiter != MODEL_MAX_THREADS && model_threads[waiter].op.b != owner + 1) {
        answer(thread, EINVAL, "EINVAL");
        return;
    }
    if (waiter == MODEL_MAX_THREADS)
        change(thread, addr, seen | FW_ROBUST_WAITERS);
    if (!fifo_is_there(owner))
        answer(thread, ESRCH, "ESRCH");
    else if (is_try)
        answer(thread, EBUSY, "EBUSY");
    else
        fall_asleep(thread, owner);
}

/* Those who sleep there wait for that thread. */
static void wait_for(uint64_t addr, unsigned owner)
{
    for (unsigned i = 0; i < model_thread_count; i++)
        if (model_threads[i].status == THREAD_ASLEEP && is_at(i, addr)) {
            model_threads[i].op.b = owner + 1;
            model_threads[i].op.d = IS_UNTOLD;
        }
}

/* The thread has it now, but for those who snatch it before it runs. */
static void hand_off(unsigned by, uint64_t addr, unsigned next)
{
    const struct model_op op = model_threads[next].op;

    change(by, addr, id_of(next) | FW_ROBUST_WAITERS);
    report_woken(next);
    kernel_end_sleep(next, 0);
    if (model_program->tasks != NULL)
        model_threads[next].op = (struct model_op){OP_WOKEN, addr, op.size, 0, IS_PENDING, op.c, 0};
    wait_for(addr, next);
}

/* The thread that has it by a hand-off, and has not run since; MODEL_MAX_THREADS: nobody. */
static unsigned pending_at(uint64_t addr)
{
    for (unsigned i = 0; i < model_thread_count; i++) {
        const struct model_op *op = &model_threads[i].op;
        if (op->kind == OP_WOKEN && op->b == IS_PENDING && op->addr == addr)
            return i;
    }
    return MODEL_MAX_THREADS;
}

/* A more urgent one comes before it has run. */
static void steal(unsigned thread, unsigned from)
{
    struct model_op *op = &model_threads[from].op;

    change(thread, op->addr, id_of(thread) | FW_ROBUST_WAITERS);
    *op = (struct model_op){OP_LOCK_PI, op->addr, op->size, 0, 0, op->c, 0};
    model_threads[from].status = THREAD_ASLEEP;
    kernel_enqueue(from);
    wait_for(op->addr, thread);
    answer(thread, 0, "snatches it");
}

static void lock(unsigned thread)
{
    const struct model_op op = model_threads[thread].op;
    unsigned pending = pending_at(op.addr);
    uint32_t seen;

    memory_drain(thread);
    if (!memory_check(op.addr, 4))
        return;
    seen = (uint32_t)memory_read(thread, op.addr, 4);
    if (op.d == IS_FROM_THE_DEAD) {
        change(thread, op.addr, id_of(thread) | FW_ROBUST_WAITERS | FW_ROBUST_DIED);
        answer(thread, 0, "has it, from the dead");
    } else if (is_between_owners(op.addr)) {
        answer(thread, EINVAL, "EINVAL");
    } else if (pending != MODEL_MAX_THREADS && owner_in(seen) == id_of(pending) &&
               fifo_priority(thread) > fifo_priority(pending)) {
        steal(thread, pending);
    } else if (owner_in(seen) == id_of(thread)) {
        answer(thread, EDEADLK, "EDEADLK");
    } else if (owner_in(seen) == 0 && first_waiter(op.addr) == MODEL_MAX_THREADS) {
        change(thread, op.addr, id_of(thread) | (seen & FW_ROBUST_DIED));
        answer(thread, 0, "has it");
    } else {
        join(thread, op.addr, seen);
    }
}

static void unlock(unsigned thread)
{
    const struct model_op op = model_threads[thread].op;
    unsigned waiter;

    memory_drain(thread);
    if (!memory_check(op.addr, 4))
        return;
    waiter = first_waiter(op.addr);
    if (owner_in(memory_read(thread, op.addr, 4)) != id_of(thread)) {
        answer(thread, EPERM, "EPERM");
    } else if (waiter == MODEL_MAX_THREADS) {
        change(thread, op.addr, 0);
        answer(thread, 0, "nobody waits");
    } else if (model_threads[waiter].op.b != thread + 1) {
        answer(thread, EINVAL, "EINVAL");
    } else {
        hand_off(thread, op.addr, waiter);
        kernel_return(thread, 0);
    }
}

static void set_priority(unsigned thread)
{
    const struct model_op op = model_threads[thread].op;

    if (!fifo_is_there((unsigned)op.b)) {
        answer(thread, ESRCH, "ESRCH");
    } else if (op.c != 0) {
        kernel_return(thread, model_threads[op.b].priority);
    } else {
        model_threads[op.b].priority = op.a;
        for (unsigned i = 0; i < model_thread_count; i++)
            if (sleeps_for(i, (unsigned)op.b) && model_threads[i].op.d == IS_UNTOLD)
                model_threads[i].op.d = IS_FORGOTTEN;
        kernel_return(thread, 0);
    }
}

bool fifo_performs(unsigned thread)
{
    struct model_thread *t = &model_threads[thread];

    switch (t->op.kind) {
    case OP_LOCK_PI:
        lock(thread);
        return true;
    case OP_UNLOCK_PI:
        unlock(thread);
        return true;
    case OP_PRIORITY:
        memory_drain(thread);
        set_priority(thread);
        return true;
    case OP_MOVE:
        memory_drain(thread);
        t->cpu = t->op.a;
        kernel_return(thread, 0);
        return true;
    case OP_ALIVE:
        memory_drain(thread);
        kernel_return(thread, fifo_is_there((unsigned)t->op.a));
        return true;
    case OP_CLAIM:
        fifo_claim(thread);
        return true;
    case OP_WOKEN:
        kernel_return(thread, t->op.a);
        return true;
    default:
        return false;
    }
}

void fifo_bury(unsigned thread)
{
    for (unsigned i = 0; i < model_thread_count; i++) {
        unsigned next;
        uint64_t addr;
        struct model_op op;

        if (!sleeps_for(i, thread))
            continue;
        addr = model_threads[i].op.addr;
        next = first_waiter(addr);
        op = model_threads[next].op;
        kernel_end_sleep(next, 0);
        op.d = IS_FROM_THE_DEAD;
        model_threads[next].op = op;
        model_threads[next].status = THREAD_STOPPED;
        report_woken(next);
        wait_for(addr, next);
    }
}
