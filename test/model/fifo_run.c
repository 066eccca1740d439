/* SPDX-License-Identifier: MIT */
/* Who runs, of threads under SCHED_FIFO. */
#include "engine/model.h"
#include "faults.h"
#include "fifo.h"
#include "fifo_pi.h"
#include "kernel.h"
#include "memory.h"
#include "subject/robust.h"

bool fifo_sleeps_for(unsigned thread, unsigned owner)
{
    const struct model_thread *t = &model_threads[thread];

    return t->status == THREAD_ASLEEP && t->op.kind == OP_LOCK_PI && t->op.b == owner + 1u;
}

uint64_t fifo_priority(unsigned thread)
{
    uint64_t priority = model_threads[thread].priority;

    for (unsigned i = 0; i < model_thread_count; i++) {
        if (fifo_sleeps_for(i, thread) && model_threads[i].op.d != IS_FORGOTTEN &&
            !fault_is(FAULT_LENDS_NOTHING)) {
            uint64_t lent = fifo_priority(i);
            if (lent > priority)
                priority = lent;
        }
    }
    return priority;
}

bool fifo_is_held_up(unsigned thread)
{
    const struct model_op *op = &model_threads[thread].op;
    uint32_t owner;

    if (op->kind != OP_LOCK_PI || op->d == IS_FROM_THE_DEAD ||
        fifo_first_waiter(op->addr) != MODEL_MAX_THREADS)
        return false;
    owner = ((uint32_t)memory_read(thread, op->addr, 4) & FW_ROBUST_OWNER) - SUBJECT_FIRST_TID;
    return owner < model_thread_count && model_threads[owner].status == THREAD_ENDING;
}

static bool could_run(unsigned thread)
{
    switch (model_threads[thread].status) {
    case THREAD_STOPPED:
        return model_program->hooks->marked == NULL || !fifo_is_held_up(thread);
    case THREAD_DYING:
    case THREAD_ENDING:
        return true;
    default:
        return false;
    }
}

bool fifo_may_end(unsigned thread)
{
    return model_program->tasks == NULL || (model_shared.on_cpu & fifo_bit(thread)) != 0;
}

/* Does the CPU go to a rather than to b?  Given: the priorities of all. */
static bool goes_before(const uint64_t *priority, unsigned a, unsigned b)
{
    bool has_a = (model_shared.on_cpu & fifo_bit(a)) != 0,
         has_b = (model_shared.on_cpu & fifo_bit(b)) != 0;

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
        first |= is_first(priority, i) ? fifo_bit(i) : 0;
    for (unsigned i = 0; i < model_thread_count; i++)
        if (is_one_cpu() || (model_shared.on_cpu & ~first & fifo_bit(i)) != 0)
            memory_drain(i);
    model_shared.on_cpu = first;
}
