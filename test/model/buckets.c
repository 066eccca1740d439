/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "buckets.h"
#include "core/waitqueue.h"
#include "cpus.h"
#include "engine/model.h"
#include "engine/report.h"
#include "memory.h"

#define MAX_BUCKETS 2u

/* Longer than any queue of a program: this one leads in a circle. */
#define MAX_QUEUE 16u

/* How much of a dead frame is looked at. */
#define DEAD_BYTES 512u

static const struct model_part parts[] = {
    {"list 0", offsetof(struct locked_bucket, bucket.lines[0]), 8},
    {"list 1", offsetof(struct locked_bucket, bucket.lines[1]), 8},
    {"list 2", offsetof(struct locked_bucket, bucket.lines[2]), 8},
    {"list 3", offsetof(struct locked_bucket, bucket.lines[3]), 8},
    {"pulse", offsetof(struct locked_bucket, bucket.pulse), 4},
    {"inside", offsetof(struct locked_bucket, inside), 8},
    {NULL, 0, 0}};

static struct locked_bucket *buckets[MAX_BUCKETS];

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t text_size)
{
    if (offset == offsetof(struct locked_bucket, inside) && value == 0)
        snprintf(text, text_size, "nobody");
    else if (offset == offsetof(struct locked_bucket, inside))
        snprintf(text, text_size, "%c", 'A' + (int)value - 1);
    else
        snprintf(text, text_size, size == 8 ? "0x%llx" : "%llu", (unsigned long long)value);
}

void buckets_check_empty(void)
{
    if (buckets_first(&buckets_only()->bucket) != NULL)
        model_fail("bucket", "nobody waits, and somebody is queued", 0, 0);
}

void buckets_make(void)
{
    static const char *const names[MAX_BUCKETS] = {"bucket", "bucket2"};

    for (unsigned i = 0; i < model_program->buckets; i++)
        buckets[i] = model_object(names[i], sizeof *buckets[i], parts, decode);
}

/* --- For the sources: src/core/waitqueue.h ----------------------------------------------- */

static struct locked_bucket *bucket_of(const void *object)
{
    uint64_t addr = (uint64_t)(uintptr_t)object;
    const struct model_object *o = model_object_at(addr, 1);
    unsigned n = model_program->buckets;

    if (n == 0 || o == NULL)
        model_thread_fail("stray access", "no bucket for 0x%llx among %llu", addr, n);
    return buckets[(unsigned)(o - model_objects - n) % n];
}

struct fw_waitqueue_ *fw_waitqueue_lock_(const void *object)
{
    struct locked_bucket *r = bucket_of(object);

    model_op(OP_ENTER, &r->inside, 8, 0, 0, 0, 0);
    return &r->bucket;
}

void fw_waitqueue_unlock_(struct fw_waitqueue_ *bucket)
{
    model_op(OP_LEAVE, &((struct locked_bucket *)bucket)->inside, 8, 0, 0, 0, 0);
}

/* --- For the engine ------------------------------------------------------------------------- */

static uint64_t inside(unsigned thread, unsigned i)
{
    return memory_read(thread, (uint64_t)(uintptr_t)&buckets[i]->inside, 8);
}

static bool is_inside(unsigned thread)
{
    bool any = false;

    for (unsigned i = 0; i < model_program->buckets; i++)
        any = any || inside(thread, i) == thread + 1;
    return any;
}

bool buckets_may_enter(unsigned thread)
{
    return memory_read(thread, model_threads[thread].op.addr, 8) == 0;
}

void buckets_enter(unsigned thread)
{
    uint64_t addr = model_threads[thread].op.addr;

    memory_drain(thread);
    cpus_move_on(thread);
    if (is_inside(thread))
        model_fail("bucket", "thread %llu is in one bucket and enters another", thread, 0);
    report_change(addr, 8, thread + 1);
    memory_write(thread, addr, 8, thread + 1);
    model_threads[thread].result = 0;
    model_threads[thread].status = THREAD_RUNNING;
}

void buckets_check_wait(unsigned thread)
{
    if (is_inside(thread))
        model_fail("bucket", "thread %llu sleeps inside a bucket", thread, 0);
}

/* Is the node still there?  False: do not follow its links. */
static bool check_node(const struct fw_waiter_node_ *p)
{
    unsigned thread = 0;
    uint64_t addr = (uint64_t)(uintptr_t)p;

    if (model_object_at(addr, sizeof *p) != NULL || memory_is_live_stack(addr))
        return true;
    memory_stack_of(addr, &thread);
    model_fail("use after free",
               "a waiter node lies in a frame that is gone: 0x%llx, of thread %llu", addr, thread);
    return false;
}

/* Of one object: the links fit (WQ1, WQ2), and the order is that of urgency. */
static bool check_queue(const struct fw_waiter_node_ *first)
{
    const struct fw_waiter_node_ *before = NULL;
    unsigned n = 0;

    for (const struct fw_waiter_node_ *p = first; p != NULL; before = p, p = p->next) {
        if (!check_node(p))
            return false;
        if ((p != first && p->prev != before) || p->is_first != (p == first) ||
            p->object != first->object || ++n > MAX_QUEUE) {
            model_fail("bucket", "the queue is broken at 0x%llx", (uint64_t)(uintptr_t)p, 0);
            return false;
        }
        if (before != NULL && p->urgency > before->urgency)
            model_fail("order", "one of priority %llu is queued behind one of priority %llu",
                       (uint64_t)p->urgency, (uint64_t)before->urgency);
    }
    if (first->prev != before)
        model_fail("bucket", "the queue has another end than 0x%llx",
                   (uint64_t)(uintptr_t)first->prev, 0);
    return true;
}

static void check_lists(const struct fw_waitqueue_ *bucket)
{
    unsigned n = 0;

    for (unsigned i = 0; i < FW_WAITQUEUE_LISTS_; i++)
        for (const struct fw_waiter_node_ *p = bucket->lines[i]; p != NULL; p = p->next_object) {
            if (!check_node(p) || !check_queue(p))
                return;
            if (++n > MAX_QUEUE) {
                model_fail("bucket", "a list leads in a circle", 0, 0);
                return;
            }
        }
}

/* Nobody wrote to a frame of this thread after its end. */
static void check_dead(unsigned thread)
{
    const uint8_t *sp = model_threads[thread].sp;

    /* Each byte is the one above it, and that is dead. */
    if (sp[-1] == MODEL_DEAD && memcmp(sp - DEAD_BYTES, sp - DEAD_BYTES + 1, DEAD_BYTES - 1) == 0)
        return;
    while (*--sp == MODEL_DEAD)
        ;
    model_fail("use after free", "a frame that is gone was written to, at 0x%llx",
               (uint64_t)(uintptr_t)sp, 0);
}

void buckets_check(unsigned thread)
{
    if (model_program->buckets == 0)
        return;
    if (model_threads[thread].status == THREAD_DONE && is_inside(thread))
        model_fail("bucket", "thread %llu has ended inside a bucket", thread, 0);
    for (unsigned i = 0; i < model_program->buckets && model_failure.kind == NULL; i++)
        check_lists(&buckets[i]->bucket);
    for (unsigned i = 0; i < model_thread_count && model_failure.kind == NULL; i++)
        if (i != thread)
            check_dead(i);
}
