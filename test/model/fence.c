/* SPDX-License-Identifier: MIT */
/* The kernel's fence; contract: kernel.h. */
#include "engine/model.h"
#include "engine/report.h"
#include "faults.h"
#include "kernel.h"
#include "memory.h"

/*
 * membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ).  Every other thread either runs, and is
 * interrupted, or was scheduled out, which does the same to it.  op.a: bit n, thread n was reached;
 * op.b: those from 64 on (cores/).
 */
static uint64_t *reached(struct model_op *op, unsigned target)
{
    return target < 64 ? &op->a : &op->b;
}

bool kernel_owes_interrupt(unsigned thread, unsigned target)
{
    const struct model_thread *t = &model_threads[target];

    return target != thread &&
           (*reached(&model_threads[thread].op, target) >> target % 64 & 1) == 0 &&
           (t->status != THREAD_DONE || t->buffered > 0);
}

static void reach(unsigned thread, unsigned target)
{
    struct model_op *op = &model_threads[thread].op;

    if (op->a == 0 && op->b == 0)
        memory_drain(thread);
    *reached(op, target) |= UINT64_C(1) << target % 64;
    if (!fault_is(FAULT_FENCE_WITHOUT_DRAIN))
        memory_drain(target);
}

bool kernel_may_miss(unsigned target)
{
    uint64_t in_section = model_threads[target].in_section;

    return in_section != 0 && in_section <= model_program->misses;
}

void kernel_miss(unsigned thread, unsigned target)
{
    reach(thread, target);
    model_threads[target].in_section++;
}

void kernel_interrupt(unsigned thread, unsigned target)
{
    reach(thread, target);
    if (!fault_is(FAULT_FENCE_WITHOUT_ABORT))
        kernel_abort_section(target);
}

void kernel_finish_fence(unsigned thread)
{
    for (unsigned i = 0; i < model_thread_count; i++)
        if (kernel_owes_interrupt(thread, i))
            return;
    kernel_return(thread, 0);
}

void kernel_abort_section(unsigned thread)
{
    struct model_thread *t = &model_threads[thread];

    if (t->in_section == 0)
        return;
    t->in_section = 0;
    report_aborted(thread);
    if (t->status == THREAD_STOPPED)
        kernel_return(thread, KERNEL_ABORTED);
}
