/* SPDX-License-Identifier: MIT */
/*
 * Which waiters of a read-write lock have their turn.  States, legal and illegal, invariants:
 * rwlock.c.  Contract: rwlock_queue.h.
 *
 * Every change of the word that concerns the queue is decided here, inside the bucket;
 * decision and change are one compare-and-swap.
 */
#include <stddef.h>

#include <furwock/futex.h>

#include "sys/cpu_count.h"
#include "thread/rwlock_queue.h"
#include "thread/rwlock_word.h"

/* What decide() wants done about the queue, once the word says so. */
struct decision {
    uint64_t queue;            /* after it */
    uint32_t n_sharers;        /* this many of the first that share are admitted */
    uint32_t n_wakers;         /* of these: operations that have wakers */
    uint32_t n_coming;         /* of these: the first that sleep, which are counted */
    bool lets_up_in;           /* one of them upgradable */
    bool again;                /* and there are more of these than one dispatch can wake */
    struct rw_waiter *granted; /* gets the lock for writing */
    struct rw_waiter *woken;   /* is woken to take it */
    struct rw_waiter *next;    /* is the next from now on */
};

/* The first that wants to write; there is one. */
static struct rw_waiter *first_writer(const struct fw_waitqueue_ *bucket, const fw_rwlock *l)
{
    struct rw_waiter *p = rw_first_in(bucket, l);

    while (p->want != RW_WRITE)
        p = rw_next_to(p);
    return p;
}

/* A real-time thread; it is queued before all that are not. */
static bool is_urgent(const struct rw_waiter *p)
{
    return p->node.urgency > 0;
}

/* The word after the change alone. */
static fw_rw_word_ changed(fw_rw_word_ w, enum rw_change change, uint32_t id)
{
    switch (change) {
    case RW_READER_LEAVES:
        return rw_without_reader(w, id);
    case RW_WRITER_LEAVES:
        return rw_without_writer(w);
    case RW_UPREADER_LEAVES:
        return rw_without_upgradable(w);
    case RW_WRITER_READS:
        return rw_with_reader(rw_without_writer(w), id);
    case RW_WRITER_UPREADS:
        return rw_with_upgradable(rw_without_writer(w), id);
    case RW_UPREADER_READS:
        return rw_with_reader(rw_without_upgradable(w), id);
    case RW_NOTHING:
        break;
    }
    return w;
}

/* Is it the turn of the sharers?  There is no writer, and no upgrader. */
static bool is_sharers_turn(fw_rw_word_ w, uint64_t queue, enum rw_change change)
{
    bool readers_phase_ends = change == RW_READER_LEAVES || change == RW_UPREADER_LEAVES;

    if (!queue_has_sharers(queue))
        return false;
    if (!queue_has_writers(queue) || queue_kind(queue) == FW_RWLOCK_PREFER_READERS)
        return true;
    if (queue_kind(queue) == FW_RWLOCK_PREFER_WRITERS)
        return false;
    if (queue_kind(queue) == FW_RWLOCK_GREEDY && !queue_has_next(queue)) /* F:rw-past-next */
        return true;
    return change == RW_WRITER_LEAVES || change == RW_WRITER_READS || change == RW_WRITER_UPREADS ||
           (rw_is_free(w) && !readers_phase_ends &&
            !queue_has_awake_writer(queue)); /* F:rw-writer-first */
}

/* Operations with wakers that are woken at once; the other half of the room is for their loops. */
#define WAKERS_MAX (FW_WAKEUPS_MAX_ / 2)

static bool has_waker(const struct rw_waiter *p)
{
    return p->node.is_operation && ((const fw_await *)(const void *)p)->loop_ == NULL;
}

/* Admits sharers: all readers; one upgradable, unless there is one. */
static fw_rw_word_ let_sharers_in(struct rw_waiter *p, fw_rw_word_ w, struct decision *v)
{
    for (; p != NULL && !rw_is_full(w); p = rw_next_to(p)) {
        if (has_waker(p) && rw_shares(p) && v->n_wakers++ == WAKERS_MAX) {
            v->again = true;
            break;
        }
        if (p->want == RW_UPREAD && !rw_has_upgradable(w)) {
            w = rw_with_upgradable(w, p->id);
            v->lets_up_in = true;
        } else if (p->want == RW_READ) {
            w = rw_with_reader(w, p->id); /* F:rw-miscounts */
        } else {
            continue;
        }
        if (queue_kind(v->queue) == FW_RWLOCK_GREEDY && p->state == RW_ASLEEP &&
            (v->queue & QUEUE_ALL_COMING) != QUEUE_ALL_COMING) {
            v->n_coming++;
            v->queue += QUEUE_COMING;
        }
        v->n_sharers++;
        v->queue -= QUEUE_SHARER; /* F:rw-lets-one-in */
    }
    return w;
}

/* RW7, RW8, or out of patience: it is handed the lock, not woken to take it. */
static bool is_to_be_handed(const struct rw_waiter *first)
{
    return first->starves || is_urgent(first) || /* F:rw-calls-urgent */
           first->node.is_operation;             /* RW8 */
}

/* One writer at a time is woken to come for the lock (RW2). */
static void call(struct rw_waiter *first, struct decision *v)
{
    if (!queue_has_awake_writer(v->queue)) {
        v->woken = first; /* F:rw-calls-nobody */
        v->queue |= QUEUE_AWAKE;
    }
}

/*
 * The lock is free, and it is a writer's turn.  After a readers' phase it is handed off, so that no
 * later writer can make the first one wait for another phase (RW4); and to a real-time thread
 * (RW7); otherwise the first to take it has it, and one writer at a time is woken (RW2).
 */
static fw_rw_word_ let_writer_in(struct rw_waiter *first, fw_rw_word_ w, enum rw_change change,
                                 bool hand_over, struct decision *v)
{
    bool is_turn = queue_kind(v->queue) != FW_RWLOCK_PREFER_READERS &&
                   queue_kind(v->queue) != FW_RWLOCK_GREEDY && /* there the next starves: RW9 */
                   (change == RW_READER_LEAVES || change == RW_UPREADER_LEAVES);

    if (is_turn || hand_over || is_to_be_handed(first)) { /* F:rw-hands-nothing */
        v->granted = first;
        v->queue = (v->queue - QUEUE_WRITER) & ~QUEUE_NEXT; /* F:rw-next-twice */
        if (queue_kind(v->queue) != FW_RWLOCK_GREEDY ||
            first->is_designated) /* F:rw-next-keeps-call */
            v->queue &= ~QUEUE_AWAKE;
        return rw_with_writer(w, first->id);
    }
    call(first, v);
    return w;
}

/*
 * A greedy lock is held by readers, and writers are queued: one of them is the next, or is called
 * once all readers that were woken have come (RW9).  It is the next if it has waited for long; and
 * beside an upgrader, who keeps readers out anyway, and could come back forever.
 */
static void see_to_next(struct rw_waiter *first, bool hand_over, struct decision *v)
{
    bool is_overdue = hand_over || first->starves || is_urgent(first);

    if (queue_has_next(v->queue))
        return;
    if (is_overdue || queue_has_upgrader(v->queue) ||
        (first->node.is_operation && !queue_has_coming(v->queue))) { /* F:rw-next-upgrader */
        v->next = first;
        v->queue |= QUEUE_NEXT;
    } else if (!queue_has_coming(v->queue)) {
        call(first, v);
    }
}

/* The flags that the queue needs (RW1, RW2, RW7); it may still have one waiter more. */
static fw_rw_word_ with_flags(const fw_rwlock *l, const struct fw_waitqueue_ *bucket, fw_rw_word_ w,
                              uint64_t queue)
{
    bool writers_first = queue_kind(queue) == FW_RWLOCK_PREFER_WRITERS;
    bool readers_first = queue_kind(queue) == FW_RWLOCK_PREFER_READERS;
    bool greedy = queue_kind(queue) == FW_RWLOCK_GREEDY;
    bool keeps_readers_out =
        greedy ? queue_has_next(queue) : queue_has_writers(queue); /* F:rw-next-open */

    w &= ~RW_QUEUE_FLAGS;
    if (queue_is_empty(queue)) /* F:rw-no-flags */
        return w;
    if (!readers_first && (queue_has_upgrader(queue) || keeps_readers_out))
        w |= RW_CLOSED; /* F:rw-open */
    if (queue_has_coming(queue))
        w |= RW_COMING;
    if (queue_has_awake_writer(queue) && !queue_has_upgrader(queue) && !queue_has_next(queue) &&
        (writers_first || !queue_has_sharers(queue)) &&
        (readers_first || greedy || !rw_is_shared(w)) &&
        !is_urgent(first_writer(bucket, l))) /* F:rw-coming-readers */
        return w | RW_WAKING;                /* F:rw-opens-early */
    return w | RW_WAITERS;
}

/* The word after the change, and what the waiters get. */
static fw_rw_word_ decide(fw_rwlock *l, const struct fw_waitqueue_ *bucket, fw_rw_word_ w,
                          enum rw_change change, bool hand_over, struct decision *v)
{
    *v = (struct decision){.queue = l->queue_};
    if (!queue_is_empty(v->queue) && !rw_has_writer(w)) {
        if (queue_has_upgrader(v->queue)) {
            if (!rw_has_readers(w)) { /* UPGRADABLE -> WRITER; the owner stays  F:rw-upgrade-last */
                v->granted = rw_first_in(bucket, l);
                v->queue &= ~QUEUE_UPGRADER;
                w ^= RW_UPGRADABLE | RW_WRITER;
            }
        } else if (is_sharers_turn(w, v->queue, change)) {
            w = let_sharers_in(rw_first_in(bucket, l), w, v);
        } else if (queue_has_writers(v->queue) && rw_is_free(w)) {
            w = let_writer_in(first_writer(bucket, l), w, change, hand_over, v);
        }
        if (queue_kind(v->queue) == FW_RWLOCK_GREEDY && rw_is_shared(w) &&
            queue_has_writers(v->queue)) /* F:rw-next-by-itself */
            see_to_next(first_writer(bucket, l), hand_over, v);
    }
    return with_flags(l, bucket, w, v->queue);
}

/* RW8: it has the lock, but another of its group has ended.  Gives it back, with its id. */
static void take_back(fw_rwlock *l, const struct rw_waiter *p)
{
    enum rw_change change = p->want == RW_WRITE ? RW_WRITER_LEAVES : RW_READER_LEAVES;
    fw_rw_word_ w = fw_load64_relaxed(&l->state_);

    while (!fw_cas64_acq_rel(&l->state_, &w, changed(w, change, p->id)))
        ;
}

static void grant_operation(struct fw_waitqueue_ *bucket, fw_rwlock *l, struct rw_waiter *p,
                            struct rw_wakes *wakes)
{
    fw_await *op = fw_operation_of_(&p->node);
    bool is_kick = !has_waker(p);
    struct fw_wakeup_ w;

    if (!fw_operation_win_(op)) {
        take_back(l, p);
        fw_operation_lose_(bucket, op);
        wakes->again = true;
        return;
    }
    w = fw_operation_grant_(bucket, op, 0);
    if (is_kick && wakes->operations.n >= WAKERS_MAX)
        fw_wakeup_(w); /* a loop may be kicked inside the bucket */
    else
        fw_wakeups_add_(&wakes->operations, w);
}

/* Dequeues a waiter for good.  After the store its node may be gone. */
static void grant(struct fw_waitqueue_ *bucket, fw_rwlock *l, struct rw_waiter *p, uint32_t state,
                  struct rw_wakes *wakes)
{
    if (p->node.is_operation) {
        grant_operation(bucket, l, p, wakes);
        return;
    }
    fw_waitqueue_remove_(bucket, &p->node);
    fw_store32_release(&p->state, state);
}

static void grant_sharers(struct fw_waitqueue_ *bucket, fw_rwlock *l, const struct decision *v,
                          struct rw_wakes *wakes)
{
    struct rw_waiter *p = rw_first_in(bucket, l);
    bool up = v->lets_up_in;
    bool is_anybody_asleep = false, is_counted;
    uint32_t n_coming = v->n_coming;

    for (uint32_t n = v->n_sharers; n > 0;) {
        struct rw_waiter *next = rw_next_to(p);

        if (rw_shares(p) && (p->want == RW_READ || up)) {
            up &= p->want == RW_READ;
            is_anybody_asleep |= p->state == RW_ASLEEP;
            is_counted = p->state == RW_ASLEEP && n_coming > 0;
            n_coming -= is_counted;
            grant(bucket, l, p, is_counted ? RW_ADMITTED : RW_GRANTED, wakes);
            n--;
        }
        p = next;
    }
    if (!is_anybody_asleep)
        return;
    fw_store32_relaxed(&bucket->pulse, bucket->pulse + 1); /* F:rw-same-pulse */
    wakes->pulse = &bucket->pulse;                         /* F:rw-no-pulse */
}

bool fw_rw_has_cpus_(uint64_t queue)
{
    uint64_t queued = (queue & QUEUE_SHARERS) / QUEUE_SHARER + queue / QUEUE_WRITER;
    uint32_t cpus = fw_cpus_allowed_();

    return cpus >= RW_AHEAD_CPUS && queued < cpus;
}

/* RW10: the lock has passed to others; those writers will be handed it that are next. */
static void wake_ahead(const struct fw_waitqueue_ *bucket, const fw_rwlock *l, uint64_t queue,
                       struct rw_wakes *wakes)
{
    struct rw_waiter *p = rw_first_in(bucket, l);

    if (queue_kind(queue) != FW_RWLOCK_FAIR || !fw_rw_has_cpus_(queue)) /* no needless walk */
        return;
    for (unsigned writers = 0; p != NULL && writers < RW_AHEAD_MOST; p = rw_next_to(p)) {
        if (p->want != RW_WRITE)
            continue;
        writers++;
        if (fw_load32_relaxed(&p->state) != RW_ASLEEP || !p->may_be_ahead)
            continue;
        fw_store32_relaxed(&p->state, RW_AHEAD);
        wakes->ahead[wakes->n_ahead++] = &p->state; /* F:rw-ahead-unwoken */
    }
}

static bool is_to_be_woken(const struct rw_waiter *p)
{
    uint32_t state = fw_load32_relaxed(&p->state);

    return state == RW_ASLEEP || state == RW_AHEAD; /* F:rw-ahead-trusts */
}

/* Gives the waiters what the word has promised them (RW5). */
static void carry_out(struct fw_waitqueue_ *bucket, fw_rwlock *l, const struct decision *v,
                      struct rw_wakes *wakes)
{
    struct rw_waiter *one = v->granted != NULL ? v->granted : v->woken;

    wakes->again = v->again;
    /* F:rw-late-line */
    l->queue_ = v->queue; /* before the grants: as long as a thread is queued, the lock exists */
    /* F:rw-no-wake */
    if (one != NULL && is_to_be_woken(one))
        wakes->one = &one->state;
    if (v->woken != NULL) {
        v->woken->is_designated = true;
        fw_store32_relaxed(&v->woken->state, RW_WAITING);
    }
    if (v->next != NULL)
        v->next->starves = true;
    if (v->n_sharers > 0)
        grant_sharers(bucket, l, v, wakes);
    if (v->granted != NULL)
        grant(bucket, l, v->granted, RW_GRANTED, wakes); /* F:rw-late-look */
    if (v->n_sharers > 0 || v->granted != NULL)
        wake_ahead(bucket, l, v->queue, wakes); /* by its address: it may be gone */
}

/* Makes the change, and all that follows from it, in one step of the word. */
void fw_rw_dispatch_(struct fw_waitqueue_ *bucket, fw_rwlock *l, enum rw_change change,
                     bool hand_over, struct rw_wakes *wakes)
{
    bool is_empty = queue_is_empty(l->queue_);
    uint32_t id = fw_self_();
    fw_rw_word_ w = fw_load64_relaxed(&l->state_);
    struct decision v;

    wakes->one = NULL; /* not the room for operations: that is large */
    wakes->pulse = NULL;
    wakes->n_ahead = 0;
    wakes->bits = rw_pulse_bits(l);
    wakes->again = false;
    wakes->operations.n = 0;
    while (!fw_cas64_acq_rel(&l->state_, &w,
                             decide(l, bucket, changed(w, change, id), change, hand_over, &v)))
        ;
    if (!is_empty) /* else the lock may be gone (RW5) */
        carry_out(bucket, l, &v, wakes);
}
