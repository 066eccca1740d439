/* SPDX-License-Identifier: MIT */
/*
 * Whose turn it is: what a read-write lock gives to its line.  States, legal and illegal,
 * invariants: rwlock.c.  Contract: rwlock_line.h.
 *
 * Every change of the word that concerns the line is decided here, in one place, inside the bucket;
 * decision and change are one compare-and-swap.
 */
#include <stddef.h>

#include <furwock/futex.h>

#include "thread/rwlock_queue.h"
#include "thread/rwlock_word.h"

/* What decide() wants done about the line, once the word says so. */
struct verdict {
    uint64_t line;           /* after it */
    uint32_t n_sharers;      /* so many of the first that share are let in */
    bool lets_up_in;         /* one of them upgradable */
    struct rw_waiter *heir;  /* is handed the lock for writing */
    struct rw_waiter *comer; /* is called */
};

/* The first that wants to write; there is one. */
static struct rw_waiter *first_writer(const struct fw_waitqueue_ *bucket, const fw_rwlock *l)
{
    struct rw_waiter *p = rw_first_in(bucket, l);

    while (p->want != RW_WRITE)
        p = rw_next_to(p);
    return p;
}

/* A real-time thread; it stands before all that are not. */
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

/* Is it the turn of those who share?  Nobody writes, and nobody upgrades. */
static bool is_sharers_turn(fw_rw_word_ w, uint64_t line, enum rw_change change)
{
    bool readers_phase_ends = change == RW_READER_LEAVES || change == RW_UPREADER_LEAVES;

    if (!line_has_sharers(line))
        return false;
    if (!line_has_writers(line) || line_kind(line) == FW_RWLOCK_PREFER_READERS)
        return true;
    if (line_kind(line) == FW_RWLOCK_PREFER_WRITERS)
        return false;
    return change == RW_WRITER_LEAVES || change == RW_WRITER_READS || change == RW_WRITER_UPREADS ||
           (rw_is_free(w) && !readers_phase_ends && !line_has_comer(line)); /* F:rw-writer-first */
}

/* Those who share, and fit: all readers; one upgradable, unless there is one. */
static fw_rw_word_ let_sharers_in(struct rw_waiter *p, fw_rw_word_ w, struct verdict *v)
{
    for (; p != NULL && !rw_is_full(w); p = rw_next_to(p)) {
        if (p->want == RW_UPREAD && !rw_has_upgradable(w)) {
            w = rw_with_upgradable(w, p->id);
            v->lets_up_in = true;
        } else if (p->want == RW_READ) {
            w = rw_with_reader(w, p->id); /* F:rw-miscounts */
        } else {
            continue;
        }
        v->n_sharers++;
        v->line -= LINE_SHARER; /* F:rw-lets-one-in */
    }
    return w;
}

/*
 * The lock is free, and a writer is due.  After a readers' phase it is handed over, so that no
 * writer that comes later can make the first wait for one phase more (RW4); and to a real-time
 * thread (RW7); else it is up to the quickest, and one at a time is called (RW2).
 */
static fw_rw_word_ let_writer_in(struct rw_waiter *first, fw_rw_word_ w, enum rw_change change,
                                 bool hand_over, struct verdict *v)
{
    bool is_turn = line_kind(v->line) != FW_RWLOCK_PREFER_READERS &&
                   (change == RW_READER_LEAVES || change == RW_UPREADER_LEAVES);

    if (is_turn || hand_over || first->starves || is_urgent(first)) { /* F:rw-calls-urgent */
        v->heir = first;
        v->line = (v->line - LINE_WRITER) & ~LINE_COMER;
        return rw_with_writer(w, first->id);
    }
    if (!line_has_comer(v->line)) {
        v->comer = first; /* F:rw-calls-nobody */
        v->line |= LINE_COMER;
    }
    return w;
}

/* What the word has to say about the line (RW1, RW2, RW7); the line may still have one more. */
static fw_rw_word_ with_flags(const fw_rwlock *l, const struct fw_waitqueue_ *bucket, fw_rw_word_ w,
                              uint64_t line)
{
    bool writers_first = line_kind(line) == FW_RWLOCK_PREFER_WRITERS;
    bool readers_first = line_kind(line) == FW_RWLOCK_PREFER_READERS;
    bool is_shared = rw_has_readers(w) || rw_has_upgradable(w);

    w &= ~RW_QUEUE_FLAGS;
    if (line_is_empty(line)) /* F:rw-no-flags */
        return w;
    if (!readers_first && (line_has_upgrader(line) || line_has_writers(line)))
        w |= RW_CLOSED; /* F:rw-open */
    if (line_has_comer(line) && !line_has_upgrader(line) &&
        (writers_first || !line_has_sharers(line)) && (readers_first || !is_shared) &&
        !is_urgent(first_writer(bucket, l))) /* F:rw-coming-readers */
        return w | RW_WAKING;                /* F:rw-opens-early */
    return w | RW_WAITERS;
}

/* The word after the change, and what the line gets. */
static fw_rw_word_ decide(fw_rwlock *l, const struct fw_waitqueue_ *bucket, fw_rw_word_ w,
                          enum rw_change change, bool hand_over, struct verdict *v)
{
    *v = (struct verdict){.line = l->line_};
    if (!line_is_empty(v->line) && !rw_has_writer(w)) {
        if (line_has_upgrader(v->line)) {
            if (!rw_has_readers(w)) { /* UPGRADABLE -> WRITER; the owner stays  F:rw-upgrade-last */
                v->heir = rw_first_in(bucket, l);
                v->line &= ~LINE_UPGRADER;
                w ^= RW_UPGRADABLE | RW_WRITER;
            }
        } else if (is_sharers_turn(w, v->line, change)) {
            w = let_sharers_in(rw_first_in(bucket, l), w, v);
        } else if (line_has_writers(v->line) && rw_is_free(w)) {
            w = let_writer_in(first_writer(bucket, l), w, change, hand_over, v);
        }
    }
    return with_flags(l, bucket, w, v->line);
}

/* Takes a waiter out of the line for good.  After the store its place may be gone. */
static void grant(struct fw_waitqueue_ *bucket, struct rw_waiter *p)
{
    fw_waitqueue_remove_(bucket, &p->node);
    fw_store32_release(&p->state, RW_GRANTED);
}

static void grant_sharers(struct fw_waitqueue_ *bucket, struct rw_waiter *p,
                          const struct verdict *v, struct rw_wakes *wakes)
{
    bool up = v->lets_up_in;
    bool is_anybody_asleep = false;

    for (uint32_t n = v->n_sharers; n > 0;) {
        struct rw_waiter *next = rw_next_to(p);

        if (rw_shares(p) && (p->want == RW_READ || up)) {
            up &= p->want == RW_READ;
            is_anybody_asleep |= p->state == RW_ASLEEP;
            grant(bucket, p);
            n--;
        }
        p = next;
    }
    if (!is_anybody_asleep)
        return;
    fw_store32_relaxed(&bucket->pulse, bucket->pulse + 1); /* F:rw-same-pulse */
    wakes->pulse = &bucket->pulse;                         /* F:rw-no-pulse */
}

/* The line gets what the word has promised it (RW5). */
static void carry_out(struct fw_waitqueue_ *bucket, fw_rwlock *l, const struct verdict *v,
                      struct rw_wakes *wakes)
{
    struct rw_waiter *one = v->heir != NULL ? v->heir : v->comer;

    /* F:rw-late-line */
    l->line_ = v->line; /* before the grants: as long as somebody is in line, the lock is there */
    /* F:rw-no-wake */
    if (one != NULL && one->state == RW_ASLEEP)
        wakes->one = &one->state;
    if (v->comer != NULL) {
        v->comer->is_designated = true;
        fw_store32_relaxed(&v->comer->state, RW_WAITING);
    }
    if (v->n_sharers > 0)
        grant_sharers(bucket, rw_first_in(bucket, l), v, wakes);
    if (v->heir != NULL)
        grant(bucket, v->heir); /* F:rw-late-look */
}

/* Makes the change, and all that follows from it, in one step of the word. */
struct rw_wakes fw_rw_settle_(struct fw_waitqueue_ *bucket, fw_rwlock *l, enum rw_change change,
                              bool hand_over)
{
    struct rw_wakes wakes = {.bits = rw_pulse_bits(l)};
    bool is_empty = line_is_empty(l->line_);
    uint32_t id = fw_self_();
    fw_rw_word_ w = fw_load64_relaxed(&l->state_);
    struct verdict v;

    while (!fw_cas64_acq_rel(&l->state_, &w,
                             decide(l, bucket, changed(w, change, id), change, hand_over, &v)))
        ;
    if (!is_empty) /* else the lock may be gone (RW5) */
        carry_out(bucket, l, &v, &wakes);
    return wakes;
}
