/* SPDX-License-Identifier: MIT */
/* A bounded queue of numbers, under a mutex with a journal, and two condition variables. */
#include <errno.h>
#include <stddef.h>

#include "state.h"

enum { PATIENCE_US = 3000 };

static void enter(struct worker *w, struct queue *q)
{
    int error = fw_ipc_mutex_lock(&q->lock);

    if (error != 0)
        unexpected("mutex_lock, of the queue", error);
    inherited("queue", __atomic_load_n(&q->holder, __ATOMIC_ACQUIRE), 0);
    __atomic_store_n(&q->holder, w->mark, __ATOMIC_RELEASE);
}

static void leave(struct queue *q)
{
    int error;

    __atomic_store_n(&q->holder, 0, __ATOMIC_RELEASE);
    error = fw_ipc_mutex_unlock(&q->lock);
    if (error != 0)
        unexpected("mutex_unlock, of the queue", error);
}

/* False: the time is up. */
static bool wait(struct worker *w, struct queue *q, fw_ipc_cond *c, const fw_deadline *deadline)
{
    int error;

    __atomic_store_n(&q->holder, 0, __ATOMIC_RELEASE);
    error = deadline == NULL ? fw_ipc_cond_wait(c, &q->lock)
                             : fw_ipc_cond_timedwait(c, &q->lock, deadline);
    if (error != 0 && error != ETIMEDOUT)
        unexpected("cond_wait", error);
    inherited("queue, after a wait", __atomic_load_n(&q->holder, __ATOMIC_ACQUIRE), 0);
    __atomic_store_n(&q->holder, w->mark, __ATOMIC_RELEASE);
    if (q->in - q->out > QUEUE_CAPACITY)
        broken("queue: from %llu to %llu", (unsigned long long)q->out, (unsigned long long)q->in);
    return error == 0;
}

static void wake(struct worker *w, fw_ipc_cond *c)
{
    int error = one_of(w, 4) == 0 ? fw_ipc_cond_broadcast(c) : fw_ipc_cond_signal(c);

    if (error != 0)
        unexpected("cond_signal", error);
}

static void note(struct worker *w, uint64_t *word)
{
    int error = fw_ipc_journal_record(w->mapping->queue_journal, word, sizeof *word);

    if (error != 0)
        unexpected("journal_record, of the queue", error);
}

void do_push(struct worker *w)
{
    struct queue *q = &w->things->queue;

    begins(w, W_PUSH);
    enter(w, q);
    while (q->in - q->out == QUEUE_CAPACITY)
        wait(w, q, &q->not_full, NULL);
    note(w, &q->in);
    note(w, &q->cells[q->in % QUEUE_CAPACITY]);
    if (one_of(w, 2) == 0) { /* in either order: the journal makes it one change */
        q->cells[q->in % QUEUE_CAPACITY] = q->in;
        pause_randomly(w);
        q->in++;
    } else {
        q->in++;
        pause_randomly(w);
        q->cells[(q->in - 1) % QUEUE_CAPACITY] = q->in - 1;
    }
    wake(w, &q->not_empty);
    leave(q);
    has_done(w, W_PUSH);
}

void do_pop(struct worker *w)
{
    struct queue *q = &w->things->queue;
    fw_deadline deadline = in_us(one_of(w, PATIENCE_US));
    bool is_timed = one_of(w, 4) == 0;
    uint64_t got;

    begins(w, W_POP);
    enter(w, q);
    while (q->in == q->out)
        if (!wait(w, q, &q->not_empty, is_timed ? &deadline : NULL)) {
            leave(q);
            return;
        }
    note(w, &q->out);
    got = q->cells[q->out % QUEUE_CAPACITY];
    if (got != q->out)
        broken("queue: %llu comes out instead of %llu", (unsigned long long)got,
               (unsigned long long)q->out);
    q->out++;
    pause_randomly(w);
    if (one_of(w, 2) == 0) {
        wake(w, &q->not_full);
        leave(q);
    } else {
        leave(q);
        wake(w, &q->not_full);
    }
    has_done(w, W_POP);
}
