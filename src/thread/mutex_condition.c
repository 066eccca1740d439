/* SPDX-License-Identifier: MIT */
/*
 * The threads in fw_mutex_await, as a release of the mutex sees them.  States and invariants:
 * mutex_condition.h; the word of the mutex: mutex_queue.c.
 */
#include "thread/mutex_condition.h"

#include <furwock/futex.h>

#include "sys/fork.h"

/* held -> held, QUEUED, FENCED: no plain release is under way, since the caller is the owner. */
static void set_queued(fw_mutex *m)
{
    fw_mutex_word_ seen = fw_load64_relaxed(&m->state_), w;

    do
        w = without_stale(seen, fw_fork_generation_()) | MUTEX_QUEUED | MUTEX_FENCED;
    while (w != seen && !fw_cas64_relaxed(&m->state_, &seen, w));
}

void fw_condition_join_(struct fw_waitqueue_ *bucket, fw_mutex *m, struct fw_condition_ *c)
{
    struct fw_condition_ *first = fw_condition_first_(bucket, m);

    c->next = NULL;
    if (first != NULL) {
        first->last->next = c;
        first->last = c;
    } else {
        c->last = c;
        c->node.is_operation = false;
        fw_waitqueue_insert_(bucket, &c->node, m, 0);
    }
    set_queued(m);
}

/* Inside: takes c out of the list; its predecessor there is `before`, or NULL. */
static void take_out(struct fw_waitqueue_ *bucket, struct fw_condition_ *first,
                     struct fw_condition_ *before, struct fw_condition_ *c)
{
    if (before != NULL) {
        before->next = c->next;
        if (first->last == c)
            first->last = before;
        return;
    }
    fw_waitqueue_remove_(bucket, &c->node);
    if (c->next != NULL) {
        c->next->last = c->last;
        c->next->yields = c->yields;
        c->next->node.is_operation = false;
        fw_waitqueue_insert_(bucket, &c->next->node, c->m, 0);
    }
}

/* WAITING -> CHOSEN: the first whose predicate is true.  Outside of the bucket. */
static void choose_condition(struct fw_conditions_ *all, const struct fw_condition_ *except)
{
    struct fw_condition_ *before = NULL;

    for (struct fw_condition_ *c = all->first; c != NULL; before = c, c = c->next) {
        uint32_t waiting = CONDITION_WAITING;

        if (c == except || fw_load32_relaxed(&c->state) != CONDITION_WAITING)
            continue;
        if (c->predicate(c->arg) && /* F:condition-unchecked */
            fw_cas32_relaxed(&c->state, &waiting, CONDITION_CHOSEN)) {
            all->before = before;
            all->chosen = c;
            return;
        }
    }
}

/* Is it the turn of others?  Only if there are any: who frees the mutex must have evaluated all. */
static bool others_are_next(const struct fw_waitqueue_ *bucket, fw_mutex *m,
                            struct fw_condition_ *first)
{
    fw_mutex_word_ w = fw_load64_relaxed(&m->state_);
    bool yields = first->yields;

    if (!has_waiters(w) && fw_mutex_first_operation_(bucket, m) == NULL)
        return false;
    first->yields = false;
    return yields || is_urgent(w); /* F:condition-no-turns */
}

struct fw_waitqueue_ *fw_conditions_evaluate_(struct fw_waitqueue_ *bucket, fw_mutex *m,
                                              struct fw_conditions_ *all,
                                              const struct fw_condition_ *except)
{
    if (all->is_done)
        return bucket;
    all->first = fw_condition_first_(bucket, m);
    if (all->first != NULL && others_are_next(bucket, m, all->first))
        return bucket;
    all->is_done = true;
    if (all->first == NULL)
        return bucket;
    fw_waitqueue_unlock_(bucket);
    choose_condition(all, except); /* F:condition-unseen */
    return fw_waitqueue_lock_(m);
}

fw_mutex_word_ fw_conditions_grant_(struct fw_waitqueue_ *bucket, fw_mutex *m,
                                    const struct fw_conditions_ *all)
{
    struct fw_condition_ *c = all->chosen, *next;
    fw_mutex_word_ w = fw_load64_relaxed(&m->state_), queued;

    take_out(bucket, all->first, all->before, c);
    next = fw_condition_first_(bucket, m);
    if (next != NULL)
        next->yields = true; /* F:condition-no-mark */
    queued = fw_mutex_queued_to_clear_(bucket, m);
    while (!fw_cas64_release(&m->state_, &w, with_owner(w, c->id) & ~queued))
        ; /* threads joined or left */
    fw_waitqueue_unlock_(bucket);
    fw_store32_release(&c->state, CONDITION_GRANTED); /* CS3 */
    fw_futex_wake(&c->state, 1, FW_FUTEX_PRIVATE);    /* F:condition-unwoken */
    return w;
}

void fw_condition_leave_(fw_mutex *m, struct fw_condition_ *c)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(m);
    struct fw_condition_ *first = fw_condition_first_(bucket, m), *before = NULL;

    for (struct fw_condition_ *p = first; p != c; p = p->next)
        before = p;
    take_out(bucket, first, before, c);
    if (fw_mutex_queued_to_clear_(bucket, m) != 0)
        fw_mutex_clear_queued_(m);
    fw_waitqueue_unlock_(bucket);
}
