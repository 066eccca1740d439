/* SPDX-License-Identifier: MIT */
#include "engine/model.h"
#include "engine/report.h"
#include "fifo.h"
#include "kernel.h"
#include "memory.h"

/* The step of a thread that runs where it belongs; its store goes the way of all stores. */
void fifo_claim(unsigned thread)
{
    const struct model_op op = model_threads[thread].op;
    const uint64_t *words = (const uint64_t *)(uintptr_t)op.b;
    const uint64_t *seen = (const uint64_t *)(uintptr_t)op.c;

    for (unsigned i = 0; i < op.d; i++) {
        if (memory_is_shared(words[i]) && !memory_check(words[i], 8))
            return;
        if (memory_read(thread, words[i], 8) != seen[i]) {
            report_result("finds another value");
            kernel_return(thread, 0);
            return;
        }
    }
    report_buffered(op.addr, op.size, op.a);
    memory_buffer(thread, op.addr, op.size, op.a);
    kernel_return(thread, 1);
}
