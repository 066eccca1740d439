/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "buckets.h"
#include "cpus.h"
#include "engine/model.h"
#include "engine/report.h"
#include "engine/thread.h"
#include "faults.h"
#include "fifo.h"
#include "kernel.h"
#include "memory.h"
#include "posted.h"
#include "subject/robust.h"
#include "waitv.h"

/*
 * A wait keeps in its op: addr, a = expected, b = bits, c = deadline.  A requeue changes addr.  A
 * wait for any of several words: waitv.h.
 */

void kernel_return(unsigned thread, uint64_t result)
{
    model_threads[thread].result = result;
    model_threads[thread].status = THREAD_RUNNING;
}

/* By its own priority, among equals behind those that sleep already: so it is in futex/core.c. */
void kernel_enqueue(unsigned thread)
{
    uint64_t *queue = model_shared.queue;
    unsigned i = (unsigned)model_shared.asleep++;

    for (; model_program->tasks != NULL && i > 0 &&
           model_threads[queue[i - 1]].priority < model_threads[thread].priority;
         i--)
        queue[i] = queue[i - 1];
    queue[i] = thread;
}

void kernel_dequeue(unsigned entry)
{
    unsigned k = 0;

    for (unsigned i = 0; i < model_shared.asleep; i++)
        if (model_shared.queue[i] != entry)
            model_shared.queue[k++] = model_shared.queue[i];
    model_shared.queue[--model_shared.asleep] = 0;
}

/* Has the word the expected value? */
static bool finds_expected(unsigned thread)
{
    const struct model_op *op = &model_threads[thread].op;

    if (model_program->late_waits && memory_is_freed(op->addr))
        return false;
    return memory_check(op->addr, 4) && memory_read(thread, op->addr, 4) == op->a;
}

void kernel_wait(unsigned thread)
{
    struct model_thread *t = &model_threads[thread];
    bool finds;

    memory_drain(thread);
    buckets_check_wait(thread);
    finds = finds_expected(thread);
    if (model_failure.kind != NULL)
        return;
    if (!finds && !fault_is(FAULT_WAIT_WITHOUT_COMPARING)) {
        report_result("EAGAIN");
        kernel_return(thread, (uint64_t)-EAGAIN);
        return;
    }
    report_result("asleep");
    cpus_check_sleep(thread);
    t->status = THREAD_ASLEEP;
    kernel_enqueue(thread);
}

void kernel_end_sleep(unsigned thread, int64_t result)
{
    kernel_dequeue(thread);
    cpus_begin(thread);
    if (model_program->tasks == NULL) {
        kernel_return(thread, (uint64_t)result);
        return;
    }
    /* It goes on when it has the CPU, and not before. */
    model_threads[thread].op = (struct model_op){.kind = OP_WOKEN, .a = (uint64_t)result};
    model_threads[thread].status = THREAD_STOPPED;
}

/* Asleep, or on its way into or out of a sleep on several words. */
static bool is_queued(unsigned thread)
{
    const struct model_thread *t = &model_threads[thread];

    return t->status == THREAD_ASLEEP || (t->op.kind == OP_WAIT_ANY && t->op.a != 0);
}

/* Before it has gone to sleep, or out of its sleep. */
void kernel_cancel(unsigned thread)
{
    memory_drain(thread);
    if (is_queued(thread))
        kernel_dequeue(thread);
    kernel_return(thread, (uint64_t)-ECANCELED);
}

bool kernel_may_fault(unsigned thread)
{
    const struct model_op *op = &model_threads[thread].op;

    return op->kind == OP_WAIT && model_program->late_waits && memory_is_freed(op->addr);
}

/* Does a wake of these bits at this address meet the sleep?  Which of its words is that? */
static bool meets(const struct model_op *op, uint64_t addr, uint64_t bits, unsigned *which)
{
    *which = 0;
    if (op->kind == OP_WAIT)
        return op->addr == addr && (op->b & bits) != 0;
    return op->kind == OP_WAIT_ANY && waitv_meets(op, addr, (bits & WAKE_PRIVATE) != 0, which);
}

uint64_t kernel_wake_some(uint64_t addr, uint64_t n, uint64_t bits)
{
    uint64_t woken = 0;

    for (unsigned i = 0; i < model_shared.asleep && woken < n;) {
        unsigned sleeper = (unsigned)model_shared.queue[i];
        unsigned which;

        if (sleeper >= MODEL_MAX_THREADS && posted_waits_on(sleeper, addr)) {
            posted_tell(sleeper, POSTED_WOKEN);
            woken++;
            i = 0; /* whoever sleeps for that is in the queue no more */
        } else if (sleeper < MODEL_MAX_THREADS &&
                   meets(&model_threads[sleeper].op, addr, bits, &which)) {
            report_woken(sleeper);
            if (model_threads[sleeper].op.kind == OP_WAIT_ANY)
                waitv_wake(sleeper, which);
            else
                kernel_end_sleep(sleeper, 0);
            woken++;
            i = 0; /* it may be in the queue no more, or there for another word */
        } else {
            i++;
        }
    }
    return woken;
}

/* op: addr, a = how many, b = bits.  The address need not be alive: nothing is read there. */
void kernel_wake(unsigned thread)
{
    const struct model_op *op = &model_threads[thread].op;
    uint64_t woken = 0;

    memory_drain(thread);
    if (!fault_is(FAULT_LOST_WAKE))
        woken = kernel_wake_some(op->addr, op->a, op->b);
    if (woken == 0)
        report_result("nobody");
    kernel_return(thread, woken);
}

/* False: it waits elsewhere. */
static bool move(unsigned sleeper, uint64_t from, uint64_t to)
{
    struct model_op *sleep = &model_threads[sleeper].op;
    unsigned which;

    if (sleeper >= MODEL_MAX_THREADS)
        return posted_move(sleeper, from, to);
    if (!meets(sleep, from, UINT32_MAX, &which))
        return false;
    kernel_dequeue(sleeper);
    if (sleep->kind == OP_WAIT)
        sleep->addr = to;
    else
        waitv_move(sleep, which, to);
    kernel_enqueue(sleeper);
    report_moved(sleeper);
    return true;
}

/* op: addr = from, a = how many to wake, b = to, c = how many to move, d = expected. */
void kernel_requeue(unsigned thread, bool compare)
{
    const struct model_op *op = &model_threads[thread].op;
    uint64_t woken;
    uint64_t moved = 0;
    unsigned asleep;

    memory_drain(thread);
    if (!memory_check(op->addr, 4) || !memory_check(op->b, 4))
        return;
    if (compare && memory_read(thread, op->addr, 4) != op->d) {
        kernel_return(thread, (uint64_t)-EAGAIN);
        return;
    }
    woken = kernel_wake_some(op->addr, op->a, UINT32_MAX);
    asleep = (unsigned)model_shared.asleep;
    for (unsigned i = 0; i < asleep && moved < op->c && !fault_is(FAULT_LOST_REQUEUE);) {
        unsigned sleeper = (unsigned)model_shared.queue[i];

        if (!move(sleeper, op->addr, op->b)) {
            i++;
            continue;
        }
        if (model_program->tasks == NULL)
            asleep--; /* the last one is behind those that are still to be looked at */
        moved++;
    }
    kernel_return(thread, compare ? woken + moved : woken);
}

/*
 * Time.  A sleep until no later than one tick from now may end at any moment; a later deadline
 * takes a tick of the budget, and moves the clock.
 */
void kernel_clock(unsigned thread)
{
    cpus_note_clock(thread);
    kernel_return(thread,
                  model_shared.clock +
                      (model_threads[thread].op.a == ON_REALTIME ? model_shared.real_ahead : 0));
}

bool kernel_minds_realtime(unsigned thread)
{
    const struct model_op *op = &model_threads[thread].op;

    return op->kind == OP_CLOCK ? op->a == ON_REALTIME
                                : op->kind == OP_WAIT && (op->d & ON_REALTIME) != 0;
}

void kernel_set_clock(bool ahead)
{
    model_shared.budget.clock_steps--;
    model_shared.real_ahead += ahead ? KERNEL_CLOCK_STEP_NS : -KERNEL_CLOCK_STEP_NS;
}

/* When the thread's sleep ends, on CLOCK_MONOTONIC as that is now related to the sleep's clock. */
static uint64_t end_of_sleep(unsigned thread)
{
    const struct model_op *op = &model_threads[thread].op;

    if (op->c == KERNEL_FOREVER || !kernel_minds_realtime(thread))
        return op->c;
    return op->c < model_shared.real_ahead && model_shared.real_ahead <= KERNEL_FOREVER / 2
               ? 0
               : op->c - model_shared.real_ahead;
}

bool kernel_may_tick(unsigned thread)
{
    return model_program->time_passes ? cpus_polls_early(thread) : model_shared.budget.ticks > 0;
}

void kernel_tick(unsigned thread)
{
    if (!model_program->time_passes)
        model_shared.budget.ticks--;
    model_shared.clock += KERNEL_TICK_NS;
    kernel_clock(thread);
}

bool kernel_time_out_is_free(unsigned thread)
{
    uint64_t deadline = end_of_sleep(thread);

    return deadline != KERNEL_FOREVER && deadline <= model_shared.clock + KERNEL_TICK_NS;
}

bool kernel_may_time_out(unsigned thread)
{
    return kernel_time_out_is_free(thread) ||
           (!model_program->rechecks && model_threads[thread].op.c != KERNEL_FOREVER &&
            model_shared.budget.ticks > 0);
}

void kernel_time_out(unsigned thread)
{
    uint64_t deadline = end_of_sleep(thread);

    if (!kernel_time_out_is_free(thread))
        model_shared.budget.ticks--;
    else if (!model_program->rechecks || deadline < model_shared.clock)
        deadline = model_shared.clock;
    if (deadline > model_shared.clock) /* a clock that was set ahead had passed it */
        model_shared.clock = deadline;
    kernel_end_sleep(thread, -ETIMEDOUT);
}

bool kernel_may_recheck(unsigned thread)
{
    return model_program->rechecks &&
           (!model_program->is_patient || model_shared.budget.rechecks > 0) &&
           model_threads[thread].op.c != KERNEL_FOREVER && !kernel_may_time_out(thread);
}

void kernel_kill(unsigned thread)
{
    struct model_thread *t = &model_threads[thread];

    if (is_queued(thread))
        kernel_dequeue(thread);
    t->status = THREAD_DYING;
    t->in_section = 0;
    posted_drop(thread);
    model_shared.killed |= UINT64_C(1) << thread;
    if (model_program->hooks->killed != NULL)
        model_program->hooks->killed(thread); /* which may look at its stack */
    thread_drop(thread);
}

/* The word may be anybody's by now, or free: then the thread was about to wake somebody. */
void kernel_mark_word(unsigned thread, uint64_t addr, bool is_pending)
{
    uint32_t seen;

    if (!memory_check(addr, 4))
        return;
    seen = (uint32_t)memory_read(thread, addr, 4);
    if (is_pending && (seen & FW_ROBUST_OWNER) == 0)
        kernel_wake_some(addr, 1, UINT32_MAX);
    if ((seen & FW_ROBUST_OWNER) != SUBJECT_FIRST_TID + thread)
        return;
    report_change(addr, 4, (seen & FW_ROBUST_WAITERS) | FW_ROBUST_DIED);
    memory_write(thread, addr, 4, (seen & FW_ROBUST_WAITERS) | FW_ROBUST_DIED);
    if ((seen & FW_ROBUST_WAITERS) != 0)
        kernel_wake_some(addr, 1, UINT32_MAX);
}

void kernel_mark(unsigned thread)
{
    uint64_t listed = 0, pending = 0;

    memory_drain(thread);
    if (model_threads[thread].status == THREAD_DYING && model_program->hooks->marked != NULL &&
        model_program->hooks->marked(thread)) {
        model_threads[thread].status = THREAD_ENDING;
        return;
    }
    fifo_reap(thread);
    if (!model_program->unmarked && !fault_is(FAULT_NO_MARK))
        subject_robust_words(thread, &listed, &pending);
    if (listed != 0 && listed != pending)
        kernel_mark_word(thread, listed, false);
    if (pending != 0)
        kernel_mark_word(thread, pending, true);
    thread_finish(thread);
}
