/* SPDX-License-Identifier: MIT */
#include "waitv.h"

#include <errno.h>

#include <furwock/futex.h>

#include "buckets.h"
#include "cpus.h"
#include "engine/report.h"
#include "faults.h"
#include "kernel.h"
#include "memory.h"

static fw_futex_any *table_of(const struct model_op *op)
{
    return (fw_futex_any *)(uintptr_t)op->addr;
}

static uint64_t address(const struct model_op *op, unsigned i)
{
    return (uint64_t)(uintptr_t)table_of(op)[i].word;
}

/* Has it the expected value? */
static bool finds(unsigned thread, unsigned i)
{
    const struct model_op *op = &model_threads[thread].op;

    return memory_check(address(op, i), 4) &&
           (memory_read(thread, address(op, i), 4) == table_of(op)[i].expected ||
            fault_is(FAULT_WAIT_WITHOUT_COMPARING));
}

static void fall_asleep(unsigned thread)
{
    report_result("asleep");
    cpus_check_sleep(thread);
    model_threads[thread].status = THREAD_ASLEEP;
}

/* All words are out of the queue, and the last one that was woken is told. */
static void end(unsigned thread, int64_t otherwise)
{
    const struct model_op op = model_threads[thread].op;
    int64_t answer = otherwise;

    for (unsigned i = 0; i < op.size; i++)
        if ((op.b >> i & 1) != 0)
            answer = i;
    if (op.a != 0)
        kernel_dequeue(thread);
    kernel_return(thread, (uint64_t)answer);
}

static void queue_next(unsigned thread)
{
    struct model_op *op = &model_threads[thread].op;

    if (op->a == 0)
        kernel_enqueue(thread);
    op->a++;
    if (op->a == op->size && op->b == 0)
        fall_asleep(thread);
}

static void step(unsigned thread)
{
    const struct model_op *op = &model_threads[thread].op;

    if (op->a == op->size) /* and something was woken */
        end(thread, 0);
    else if (finds(thread, (unsigned)op->a))
        queue_next(thread);
    else if (model_failure.kind == NULL)
        end(thread, -EAGAIN);
}

static bool finds_all(unsigned thread)
{
    bool all = true;

    for (unsigned i = 0; i < model_threads[thread].op.size; i++)
        all = finds(thread, i) && all;
    return all;
}

void waitv_step(unsigned thread)
{
    bool found;

    memory_drain(thread);
    buckets_check_wait(thread);
    if (model_program->splits) {
        step(thread);
        return;
    }
    found = finds_all(thread);
    if (model_failure.kind != NULL)
        return;
    if (found) {
        model_threads[thread].op.a = model_threads[thread].op.size;
        fall_asleep(thread);
        kernel_enqueue(thread);
    } else {
        report_result("EAGAIN");
        kernel_return(thread, (uint64_t)-EAGAIN);
    }
}

bool waitv_meets(const struct model_op *op, uint64_t addr, bool is_private, unsigned *which)
{
    for (*which = 0; *which < op->a; ++*which)
        if (address(op, *which) == addr && (op->b >> *which & 1) == 0 &&
            (table_of(op)[*which].flags == FW_FUTEX_PRIVATE) == is_private)
            return true;
    return false;
}

void waitv_wake(unsigned thread, unsigned which)
{
    struct model_thread *t = &model_threads[thread];

    if (!model_program->splits) {
        kernel_end_sleep(thread, which);
        return;
    }
    t->op.b |= UINT64_C(1) << which;
    if (t->status == THREAD_ASLEEP)
        cpus_begin(thread);
    t->status = THREAD_STOPPED;
}

void waitv_move(const struct model_op *op, unsigned which, uint64_t addr)
{
    table_of(op)[which].word = (const uint32_t *)(uintptr_t)addr; /* the sources look no more */
}
