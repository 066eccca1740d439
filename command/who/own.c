/* SPDX-License-Identifier: MIT */
/*
 * What a process with furwock's library in it says about itself: names of locks (furwock/name.h),
 * and operations that wait without a thread (furwock/await.h).  Contract: target.h, who.h.
 *
 * Both are read from the library's tables while the process goes on.  So what is read may have
 * changed meanwhile: a chain of waiters is left at the first link that makes no sense.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "core/operation.h"
#include "decode.h"
#include "who.h"

enum { BUCKETS = 1024, BUCKET_SIZE = 64, OPERATIONS_MOST = 1 << 16 };

struct bucket {
    uint64_t lines[FW_WAITQUEUE_LISTS_];
    uint8_t rest[BUCKET_SIZE - FW_WAITQUEUE_LISTS_ * sizeof(uint64_t)];
};

_Static_assert(sizeof(struct bucket) == BUCKET_SIZE, "as the library has it");

/* --- Names ------------------------------------------------------------------------------------ */

void target_read_names(struct target *t)
{
    struct fw_name_entry_ *names = malloc(FW_NAMES * sizeof *names);
    uint64_t at;

    if (names == NULL)
        abort();
    if (t->locations != NULL && locations_find(t->locations, "fw_names_", &at) &&
        target_read(t, at, names, FW_NAMES * sizeof *names))
        for (unsigned i = 0; i < FW_NAMES; i++) {
            names[i].text[FW_NAME_SIZE - 1] = '\0';
            if (names[i].key != 0)
                locations_name(t->locations, names[i].key, names[i].text);
        }
    free(names);
}

/* --- Operations ------------------------------------------------------------------------------- */

static bool read_memory(const void *memory, uint64_t address, void *bytes, size_t size)
{
    return target_read(memory, address, bytes, size);
}

static bool is_waiting(const fw_await *op)
{
    return op->state_ == FW_OPERATION_WAITING && op->task_ != 0 && op->object_ != NULL;
}

static void add(struct who *w, struct target *t, const fw_await *op, uint64_t at)
{
    static const enum decode_family families[] = {
        [FW_OPERATION_MUTEX] = FAMILY_FW_MUTEX, [FW_OPERATION_PERMITS] = FAMILY_FW_SEM,
        [FW_OPERATION_EVENT] = FAMILY_FW_EVENT, [FW_OPERATION_LATCH] = FAMILY_FW_LATCH,
        [FW_OPERATION_COND] = FAMILY_FW_COND,   [FW_OPERATION_RWLOCK] = FAMILY_FW_RWLOCK};
    struct decode_question q = {
        .read = read_memory, .memory = t, .word = (uint64_t)(uintptr_t)op->object_};
    struct who_thread *thread;

    if (op->kind_ >= sizeof families / sizeof *families || families[op->kind_] == FAMILY_NONE)
        return;
    w->threads = realloc(w->threads, (w->thread_count + 1) * sizeof *w->threads);
    if (w->threads == NULL)
        abort();
    thread = &w->threads[w->thread_count++];
    memset(thread, 0, sizeof *thread);
    thread->target = t;
    thread->task = decode_task(op->task_);
    thread->operation = at;
    thread->operation_since = op->since_ ^ (uint64_t)op->generation_ << 56;
    thread->call.number = -1;
    thread->call.state = TARGET_OTHER;
    thread->wait.is_waiting = true;
    thread->wait.is_timed = op->timer_ != 0;
    decode_operation(&q, families[op->kind_], op->want_, &thread->wait.what);
    thread->wait.key = who_key_of(t, thread->wait.what.object);
}

/* The waiters of one object, and their heads one after the other. */
static void read_chain(struct who *w, struct target *t, uint64_t first, unsigned *count)
{
    struct fw_waiter_node_ node;
    fw_await op;

    for (uint64_t head = first; head != 0; head = (uint64_t)(uintptr_t)node.next_object) {
        uint64_t next = head;
        while (next != 0) {
            if (++*count > OPERATIONS_MOST || !target_read(t, next, &node, sizeof node))
                return;
            if (node.is_operation && target_read(t, next, &op, sizeof op) && is_waiting(&op))
                add(w, t, &op, next);
            next = (uint64_t)(uintptr_t)node.next;
        }
        if (!target_read(t, head, &node, sizeof node))
            return;
    }
}

void who_add_tasks(struct who *w, struct target *t)
{
    struct bucket *buckets = malloc(BUCKETS * sizeof *buckets);
    unsigned count = 0;
    uint64_t at;

    if (buckets == NULL)
        abort();
    if (locations_find(t->locations, "fw_waitqueues_", &at) &&
        target_read(t, at, buckets, BUCKETS * sizeof *buckets))
        for (unsigned i = 0; i < BUCKETS; i++)
            for (unsigned k = 0; k < FW_WAITQUEUE_LISTS_; k++)
                read_chain(w, t, buckets[i].lines[k], &count);
    free(buckets);
}
