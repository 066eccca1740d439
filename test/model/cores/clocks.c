/* SPDX-License-Identifier: MIT */
#include "clocks.h"

#include <errno.h>
#include <string.h>

#include "../engine/model.h"
#include "../engine/perform.h"
#include "../kernel.h"
#include "../memory.h"
#include "machine.h"

struct clocks clocks;

/* --- What operations cost ----------------------------------------------------------------- */

static struct core {
    bool has_asked;  /* for what its thread stands at, which is over at `due` */
    bool is_inside;  /* in the kernel, on its way to that */
    bool is_storing; /* the oldest store in its buffer, which arrives at store_at */
    uint64_t due, store_at;
    uint64_t interrupted; /* for how long, since it has asked */
} cores[MODEL_MAX_THREADS];

static bool is_locked(uint64_t kind)
{
    return kind >= OP_XCHG && kind <= OP_AND;
}

static bool is_load(uint64_t kind)
{
    return kind == OP_LOAD || kind == OP_LOOK_OWNER || kind == OP_LOOK_WAITERS;
}

static bool is_call(uint64_t kind)
{
    return kind == OP_WAIT || kind == OP_WAKE || kind == OP_REQUEUE || kind == OP_CMP_REQUEUE;
}

/* Does it wait for the thread's stores? */
static bool drains(uint64_t kind)
{
    return is_locked(kind) || is_call(kind) || kind == OP_FENCE_LOCAL || kind == OP_FENCE_ALL;
}

/* The thread comes to its operation: when that is over.  (A store is, when it is in the buffer.) */
static uint64_t ask(unsigned thread)
{
    const struct model_op *op = &model_threads[thread].op;
    uint64_t at = clocks.now[thread];

    if (is_load(op->kind))
        return machine_ask(thread, op->addr, MACHINE_READ, at);
    if (is_locked(op->kind))
        return machine_ask(thread, op->addr, MACHINE_WRITE, at) + machine_costs.locked;
    switch (op->kind) {
    case OP_STORE:
    case OP_COMMIT:
        return at + machine_costs.hit;
    case OP_FENCE_LOCAL:
        return at + machine_costs.locked;
    case OP_WAIT: /* in the kernel */
        return machine_ask(thread, op->addr, MACHINE_READ, at);
    case OP_FENCE_ALL:
        return at + machine_costs.call + machine_costs.interrupt;
    case OP_CLOCK:
        return at + machine_costs.clock;
    default: /* OP_NOTE, and what does not happen here */
        return at;
    }
}

/* --- What happens next -------------------------------------------------------------------- */

#define NEVER UINT64_MAX

/* What a thread does by itself, and when. */
enum event { EVENT_NONE, EVENT_ASK, EVENT_DO, EVENT_TIME_OUT, EVENT_ASK_STORE, EVENT_STORE };

static enum event event_of(unsigned thread, uint64_t *when)
{
    const struct model_thread *t = &model_threads[thread];
    const struct core *c = &cores[thread];
    enum event event = EVENT_NONE;

    *when = NEVER;
    if (t->status == THREAD_ASLEEP && t->op.c != KERNEL_FOREVER) {
        *when = t->op.c < KERNEL_BOOT_NS ? 0 : (t->op.c - KERNEL_BOOT_NS) * NS;
        event = EVENT_TIME_OUT;
    } else if (t->status == THREAD_STOPPED && c->has_asked) {
        *when = c->due;
        event = EVENT_DO;
    } else if (t->status == THREAD_STOPPED &&
               (t->buffered == 0 || !(drains(t->op.kind) || memory_buffer_is_full(thread)))) {
        *when = clocks.now[thread];
        event = EVENT_ASK;
    }
    if (t->buffered > 0 && c->store_at < *when) {
        *when = c->store_at;
        event = c->is_storing ? EVENT_STORE : EVENT_ASK_STORE;
    }
    return event;
}

static enum event first(unsigned *thread, uint64_t *when)
{
    enum event found = EVENT_NONE;

    *when = NEVER;
    for (unsigned i = 0; i < model_thread_count; i++) {
        uint64_t at;
        enum event event = event_of(i, &at);
        if (at < *when) {
            *when = at;
            *thread = i;
            found = event;
        }
    }
    return found;
}

static void time_out(unsigned thread, uint64_t when)
{
    if (clocks.now[thread] < when)
        clocks.now[thread] = when;
    clocks.now[thread] += machine_costs.latency;
    kernel_end_sleep(thread, -ETIMEDOUT);
    perform_run_all();
}

/* Those who are woken run somewhat later. */
static void wake(unsigned thread)
{
    bool was_asleep[MODEL_MAX_THREADS];
    uint64_t since[MODEL_MAX_THREADS];

    for (unsigned i = 0; i < model_thread_count; i++) {
        was_asleep[i] = model_threads[i].status == THREAD_ASLEEP;
        since[i] = clocks.now[i];
        if (was_asleep[i])
            clocks.now[i] = clocks.now[thread] + machine_costs.wake + machine_costs.latency;
    }
    perform((struct model_choice){(uint8_t)thread, CHOICE_DO});
    for (unsigned i = 0; i < model_thread_count; i++) {
        if (was_asleep[i] && model_threads[i].status == THREAD_ASLEEP)
            clocks.now[i] = since[i];
        else if (was_asleep[i])
            clocks.now[thread] += machine_costs.wake;
    }
}

/* All stores in a core's buffer arrive at once. */
static void drain(unsigned thread, uint64_t now)
{
    const struct model_thread *t = &model_threads[thread];

    for (unsigned i = 0; i < t->buffered; i++) {
        if (i > 0 || !cores[thread].is_storing)
            machine_ask(thread, t->buffer[i].addr, MACHINE_WRITE, now);
        machine_done(thread, t->buffer[i].addr, now);
    }
    cores[thread].is_storing = false;
}

/* Each other core is interrupted; the caller waits until the last was. */
static void fence(unsigned thread)
{
    clocks.fences++;
    for (unsigned i = 0; i < model_thread_count; i++) {
        struct core *c = &cores[i];
        if (!kernel_owes_interrupt(thread, i))
            continue;
        drain(i, clocks.now[thread]);
        kernel_interrupt(thread, i);
        if (model_threads[i].status == THREAD_ASLEEP)
            continue;
        if (model_threads[i].status == THREAD_RUNNING) /* its release has to begin anew */
            c->has_asked = false;
        if (c->has_asked) {
            c->interrupted += machine_costs.interrupt;
            continue;
        }
        if (clocks.now[i] < clocks.now[thread])
            clocks.now[i] = clocks.now[thread];
        clocks.now[i] += machine_costs.interrupt;
    }
    kernel_finish_fence(thread);
    perform_run_all();
}

static void fall_asleep(unsigned thread)
{
    perform((struct model_choice){(uint8_t)thread, CHOICE_DO});
    if (model_threads[thread].status == THREAD_ASLEEP)
        clocks.sleeps++;
}

/* The operation is over; the thread goes on, to its next one. */
static void do_it(unsigned thread)
{
    struct model_thread *t = &model_threads[thread];
    struct core *c = &cores[thread];
    const struct model_op op = t->op;

    c->has_asked = c->is_inside = false;
    clocks.now[thread] = c->due + c->interrupted;
    c->interrupted = 0;
    model_shared.clock = KERNEL_BOOT_NS + c->due / NS;
    if (is_load(op.kind) || is_locked(op.kind) || op.kind == OP_WAIT)
        machine_done(thread, op.addr, c->due);
    switch (op.kind) {
    case OP_FENCE_ALL:
        fence(thread);
        return;
    case OP_WAKE:
    case OP_REQUEUE:
    case OP_CMP_REQUEUE:
        wake(thread);
        return;
    case OP_WAIT:
        fall_asleep(thread);
        return;
    case OP_STORE:
    case OP_COMMIT:
        if (t->buffered == 0)
            c->store_at = c->due;
        break;
    case OP_CAS:
        clocks.failed += memory_read(thread, op.addr, op.size) != op.a;
        break;
    default:
        break;
    }
    perform((struct model_choice){(uint8_t)thread, CHOICE_DO});
}

static void ask_store(unsigned thread)
{
    struct core *c = &cores[thread];

    c->is_storing = true;
    c->store_at =
        machine_ask(thread, model_threads[thread].buffer[0].addr, MACHINE_WRITE, c->store_at);
}

static void store(unsigned thread)
{
    struct core *c = &cores[thread];
    bool was_full = memory_buffer_is_full(thread);

    c->is_storing = false;
    machine_done(thread, model_threads[thread].buffer[0].addr, c->store_at);
    perform((struct model_choice){(uint8_t)thread, CHOICE_FLUSH});
    if (clocks.now[thread] < c->store_at && !c->has_asked &&
        (was_full || model_threads[thread].buffered == 0)) /* it has waited for that */
        clocks.now[thread] = c->store_at;
}

/* The thread comes to its operation, or first into the kernel. */
static void come(unsigned thread)
{
    struct core *c = &cores[thread];

    if (is_call(model_threads[thread].op.kind) && !c->is_inside) {
        c->is_inside = true;
        clocks.now[thread] += machine_costs.call;
        return;
    }
    c->has_asked = true;
    c->due = ask(thread);
}

static void go_on(enum event event, unsigned thread, uint64_t when)
{
    switch (event) {
    case EVENT_ASK:
        come(thread);
        break;
    case EVENT_DO:
        do_it(thread);
        break;
    case EVENT_TIME_OUT:
        time_out(thread, when);
        break;
    case EVENT_ASK_STORE:
        ask_store(thread);
        break;
    case EVENT_STORE:
        store(thread);
        break;
    case EVENT_NONE:
        model_fail("lost wake-up", "all threads sleep forever", 0, 0);
    }
}

/* --- For run.c ---------------------------------------------------------------------------- */

void clocks_begin(void)
{
    memset(&clocks, 0, sizeof clocks);
    memset(cores, 0, sizeof cores);
    perform_start();
}

bool clocks_go_on(uint64_t end)
{
    unsigned thread = 0;
    uint64_t when;
    enum event event = first(&thread, &when);

    if (event != EVENT_NONE && when >= end)
        return false;
    go_on(event, thread, when);
    return model_failure.kind == NULL;
}
