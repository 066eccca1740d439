/* SPDX-License-Identifier: MIT */
#include "posted.h"

#include <stddef.h>

#include "engine/model.h"
#include "engine/report.h"
#include "kernel.h"
#include "memory.h"

static struct posted_wait *waits;

void posted_use(struct posted_wait *table)
{
    waits = table;
}

struct posted_wait *posted_table(void)
{
    return waits;
}

static struct posted_wait *wait_of(unsigned entry)
{
    return &waits[entry - MODEL_MAX_THREADS];
}

bool posted_waits_on(unsigned entry, uint64_t addr)
{
    return wait_of(entry)->addr == addr;
}

bool posted_move(unsigned entry, uint64_t from, uint64_t to)
{
    if (!posted_waits_on(entry, from))
        return false;
    kernel_dequeue(entry);
    wait_of(entry)->addr = to;
    model_shared.queue[model_shared.asleep++] = entry;
    return true;
}

static void say(struct posted_wait *w, enum posted_told told)
{
    w->told = told;
    memory_write((unsigned)w->owner, w->event, 4, 1);
    kernel_wake_some(w->event, UINT64_MAX, UINT32_MAX | WAKE_PRIVATE);
}

void posted_tell(unsigned entry, enum posted_told told)
{
    kernel_dequeue(entry);
    say(wait_of(entry), told);
}

/* op: addr = the word, a = expected, b = number. */
static void begin(unsigned thread)
{
    const struct model_op op = model_threads[thread].op;
    struct posted_wait *w = &waits[op.b];

    memory_drain(thread);
    if (model_failure.kind != NULL || !memory_check(op.addr, 4))
        return;
    w->addr = op.addr;
    w->owner = thread;
    if (memory_read(thread, op.addr, 4) == op.a) {
        w->told = POSTED_QUEUED;
        model_shared.queue[model_shared.asleep++] = MODEL_MAX_THREADS + op.b;
    } else {
        report_result("EAGAIN");
        say(w, POSTED_WOKEN);
    }
    kernel_return(thread, 0);
}

/* op: b = number. */
static void end(unsigned thread)
{
    uint64_t number = model_threads[thread].op.b;

    memory_drain(thread);
    if (waits[number].told == POSTED_QUEUED)
        posted_tell(MODEL_MAX_THREADS + (unsigned)number, POSTED_CANCELLED);
    else
        report_result("it has been woken");
    kernel_return(thread, 0);
}

bool posted_performs(unsigned thread)
{
    uint64_t kind = model_threads[thread].op.kind;

    if (kind == OP_POST)
        begin(thread);
    else if (kind == OP_UNPOST)
        end(thread);
    return kind == OP_POST || kind == OP_UNPOST;
}

void posted_drop(unsigned thread)
{
    for (unsigned i = 0; i < model_shared.asleep;) {
        unsigned entry = (unsigned)model_shared.queue[i];

        if (entry >= MODEL_MAX_THREADS && wait_of(entry)->owner == thread) {
            wait_of(entry)->told = POSTED_NOTHING;
            kernel_dequeue(entry);
        } else {
            i++;
        }
    }
}

unsigned posted_count(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < model_shared.asleep; i++)
        n += model_shared.queue[i] >= MODEL_MAX_THREADS;
    return n;
}
