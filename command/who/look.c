/* SPDX-License-Identifier: MIT */
/* Reads threads and what they wait for: contract in who.h. */
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/call_waitv.h"
#include "who.h"

enum { LOOKS = 4 /* until a thread sleeps through one */, NAMED = 12 /* frames, for its call */ };

static bool read_memory(const void *memory, uint64_t address, void *bytes, size_t size)
{
    return target_read(memory, address, bytes, size);
}

/* --- The futex -------------------------------------------------------------------------------- */

static bool is_wait(unsigned op)
{
    switch (op & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
    case FUTEX_WAIT_REQUEUE_PI:
        return true;
    default:
        return false;
    }
}

/* struct futex_waitv: value, address, flags. */
static bool first_of_many(const struct target *t, const struct target_call *c,
                          struct decode_question *q)
{
    uint64_t first[3];

    if (!target_read(t, c->argument[0], first, sizeof first))
        return false;
    q->op = FUTEX_WAIT;
    q->value = (uint32_t)first[0];
    q->word = first[1];
    return true;
}

/* What it sleeps on; false: it does not wait for a futex. */
static bool futex_of(const struct target *t, const struct target_call *c, struct decode_question *q,
                     bool *is_timed)
{
    uint32_t word;

    if (c->state != TARGET_ASLEEP)
        return false;
    *is_timed = c->argument[3] != 0;
    if (c->number == FW_CALL_FUTEX_WAITV_)
        return first_of_many(t, c, q);
    q->word = c->argument[0];
    if (c->number == FW_CALL_FUTEX_WAIT_) {
        q->op = FUTEX_WAIT_BITSET;
        q->value = (uint32_t)c->argument[1];
        *is_timed = c->argument[4] != 0;
        return true;
    }
    q->op = (unsigned)c->argument[1];
    q->value = (uint32_t)c->argument[2];
    /* A wait with a time-out that a stop has interrupted goes on as another call. */
    return (c->number == FW_CALL_FUTEX_ || (c->number == FW_CALL_RESTART_ && q->word != 0)) &&
           is_wait(q->op) && target_read(t, q->word, &word, sizeof word);
}

/* --- The stack -------------------------------------------------------------------------------- */

/* The names of the two innermost calls of locks; what a frame was called as is the better one. */
static void find_calls(struct who_thread *thread, struct decode_question *q)
{
    unsigned n = thread->frame_count < NAMED ? thread->frame_count : NAMED;

    for (unsigned i = 0; i < n && q->caller == NULL; i++) {
        const struct unwind_frame *f = &thread->frames[i];
        const struct target_site *site =
            target_site_of(thread->target, f->is_call ? f->address : f->address + 1);
        const char *names[] = {site->location.symbol, f->is_call ? site->called : NULL};
        for (unsigned k = 0; k < 2; k++) {
            const char *name = names[1 - k];
            if (!decode_is_call(name))
                continue;
            if (q->call == NULL)
                q->call = name;
            else if (q->caller == NULL && strcmp(name, q->call) != 0)
                q->caller = name;
        }
    }
}

static bool is_same_call(const struct target_call *a, const struct target_call *b)
{
    return a->state == b->state && a->number == b->number &&
           memcmp(a->argument, b->argument, sizeof a->argument) == 0 &&
           a->registers.sp == b->registers.sp && a->registers.pc == b->registers.pc;
}

/* Call and stack belong together: the thread slept from before to behind. */
static bool read_asleep(struct who_thread *thread, struct unwind_stack *stack)
{
    const struct target *t = thread->target;
    struct target_call again;

    for (unsigned i = 0; i < LOOKS; i++) {
        if (!target_thread(t, thread->about.tid, &thread->about) ||
            !target_call(t, thread->about.tid, &thread->call))
            return false;
        if (thread->call.registers.sp == 0)
            return true;
        stack->base = thread->call.registers.sp;
        stack->size = target_read_some(t, stack->base, stack->bytes, sizeof stack->bytes);
        if (!target_call(t, thread->about.tid, &again))
            return false;
        if (is_same_call(&thread->call, &again))
            return true;
    }
    thread->call.state = TARGET_RUNNING; /* it comes and goes: it waits for nothing that long */
    thread->call.registers.sp = 0;
    return true;
}

/* Only a thread that is on a CPU has no stack without that. */
static void stop_and_read(struct who *w, struct who_thread *thread, struct unwind_stack *stack)
{
    struct target_call call;
    uint64_t ns = 0;

    if (!w->stops || thread->target->core != NULL || thread->call.registers.sp != 0)
        return;
    if (who_stop(thread->about.tid, thread->target->machine, &call, &ns)) {
        w->stopped++;
        w->stopped_ns += ns;
        if (ns > w->stopped_most_ns)
            w->stopped_most_ns = ns;
        thread->stopped_ns = ns;
        thread->call.registers = call.registers;
    }
    if (thread->call.registers.sp != 0 && stack->base != thread->call.registers.sp) {
        stack->base = thread->call.registers.sp;
        stack->size =
            target_read_some(thread->target, stack->base, stack->bytes, sizeof stack->bytes);
    }
}

/* --- A thread --------------------------------------------------------------------------------- */

static bool is_timed_call(const char *name)
{
    return name != NULL && (strstr(name, "timed") != NULL || strstr(name, "_clock") != NULL);
}

static void read_wait(struct who_thread *thread, const struct unwind_stack *stack)
{
    const struct target *t = thread->target;
    struct who_wait *wait = &thread->wait;
    struct decode_question q = {.read = read_memory,
                                .memory = t,
                                .is_musl = t->libc == TARGET_MUSL,
                                .has_drop_in = t->has_drop_in,
                                .waiter = thread->about.inner,
                                .stack = stack->bytes,
                                .stack_size = stack->size,
                                .sp = stack->base};

    if (!futex_of(t, &thread->call, &q, &wait->is_timed))
        return;
    find_calls(thread, &q);
    decode(&q, &wait->what);
    wait->is_waiting = true;
    if (wait->what.maker == DECODE_FURWOCK || t->has_drop_in) /* wake, look and sleep again */
        wait->is_timed = is_timed_call(q.call) || is_timed_call(q.caller);
    wait->key = who_key_of(t, wait->what.object);
}

static bool look_at(struct who *w, struct who_thread *thread)
{
    static struct unwind_stack stack;

    stack.base = 0;
    stack.size = 0;
    if (!read_asleep(thread, &stack))
        return false;
    stop_and_read(w, thread, &stack);
    if (thread->call.registers.sp != 0) {
        thread->frame_count = unwind(thread->target->unwinder, thread->target,
                                     &thread->call.registers, &stack, thread->frames);
        thread->has_stack = true;
    }
    read_wait(thread, &stack);
    return true;
}

static void add_threads(struct who *w, struct target *t)
{
    size_t count;
    pid_t *all = target_threads(t, &count);

    w->threads = realloc(w->threads, (w->thread_count + count + 1) * sizeof *w->threads);
    if (w->threads == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        struct who_thread *thread = &w->threads[w->thread_count];
        memset(thread, 0, sizeof *thread);
        thread->target = t;
        thread->about.tid = all[i];
        if (look_at(w, thread))
            w->thread_count++;
    }
    free(all);
    target_read_names(t);
    who_add_tasks(w, t);
}

/*
 * It has not run since.  A thread in a region looks at its lock from time to time and sleeps again:
 * of such a one the region says since when it waits.
 */
static bool is_same_sleep(const struct who_thread *was, const struct who_thread *is)
{
    if (is->task != 0)
        return was->operation_since == is->operation_since && was->wait.key.at == is->wait.key.at &&
               was->wait.what.owner == is->wait.what.owner &&
               was->wait.what.task == is->wait.what.task;
    if (was->wait.is_region && is->wait.is_region)
        return was->wait.since == is->wait.since && was->wait.key.at == is->wait.key.at;
    return is->call.state == TARGET_ASLEEP && is_same_call(&was->call, &is->call) &&
           was->about.switches == is->about.switches &&
           was->wait.what.owner == is->wait.what.owner && was->wait.what.task == is->wait.what.task;
}

void who_compare(struct who *w, const struct who_thread *old, size_t count)
{
    size_t k = 0;

    for (size_t i = 0; i < w->thread_count; i++) {
        struct who_thread *t = &w->threads[i];
        t->is_steady = t->target->core != NULL;
        for (size_t n = 0; n < count; n++, k = (k + 1) % count) /* mostly in the same order */
            if (old[k].about.tid == t->about.tid && old[k].target == t->target &&
                old[k].task == t->task && old[k].operation == t->operation) {
                t->is_steady |= is_same_sleep(&old[k], t);
                break;
            }
    }
}

void who_look(struct who *w)
{
    free(w->threads);
    w->threads = NULL;
    w->thread_count = 0;
    for (size_t i = 0; i < w->target_count; i++)
        add_threads(w, w->targets[i]);
}
