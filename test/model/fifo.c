/* SPDX-License-Identifier: MIT */
/* Futexes that inherit. */
#include "fifo.h"

#include <errno.h>

#include "engine/model.h"
#include "engine/report.h"
#include "fifo_pi.h"
#include "kernel.h"
#include "memory.h"
#include "subject/robust.h"
#include "subject/subject.h"

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

unsigned fifo_first_waiter(uint64_t addr)
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
        if (fifo_sleeps_for(i, owner))
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
    if (fifo_first_waiter(t->op.addr) == thread)
        tell(owner);
}

/* Somebody has it.  op.a: it is a trylock. */
static void join(unsigned thread, uint64_t addr, uint32_t seen)
{
    unsigned waiter = fifo_first_waiter(addr), owner = owner_in(seen) - SUBJECT_FIRST_TID;
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

/* The thread has it now, except if another thread takes it before it runs. */
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
        answer(thread, 0, "has it, from a dead owner");
    } else if (is_between_owners(op.addr)) {
        answer(thread, EINVAL, "EINVAL");
    } else if (pending != MODEL_MAX_THREADS && owner_in(seen) == id_of(pending) &&
               fifo_priority(thread) > fifo_priority(pending)) {
        steal(thread, pending);
    } else if (owner_in(seen) == id_of(thread)) {
        answer(thread, EDEADLK, "EDEADLK");
    } else if (owner_in(seen) == 0 && fifo_first_waiter(op.addr) == MODEL_MAX_THREADS) {
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
    waiter = fifo_first_waiter(op.addr);
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
            if (fifo_sleeps_for(i, (unsigned)op.b) && model_threads[i].op.d == IS_UNTOLD)
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

void fifo_reap(unsigned thread)
{
    for (unsigned i = 0; i < model_thread_count; i++) {
        unsigned next;
        uint64_t addr;
        struct model_op op;

        if (!fifo_sleeps_for(i, thread))
            continue;
        addr = model_threads[i].op.addr;
        next = fifo_first_waiter(addr);
        op = model_threads[next].op;
        kernel_end_sleep(next, 0);
        op.d = IS_FROM_THE_DEAD;
        model_threads[next].op = op;
        model_threads[next].status = THREAD_STOPPED;
        report_woken(next);
        wait_for(addr, next);
    }
}
