/* SPDX-License-Identifier: MIT */
/*
 * Operations that wait for permits: they are queued in the bucket of the supply, and whoever posts
 * gives permits to them.  States, and PERM1 to PERM5: permits.c.
 *
 * Turns: while threads wait as well, of two permits one is for them.  `yields_` is set in the first
 * operation of the queue if the next permit is a thread's; it goes to the value, where the threads
 * are greedy among themselves.  So an operation is overtaken by one permit of the threads' at most
 * for each one that it or its predecessors are given, and the threads by one likewise.
 */
#include <stddef.h>

#include <furwock/bits/atomic.h>

#include "sys/fork.h"
#include "thread/permits.h"
#include "thread/permits_word.h"

static fw_await *first_of(const struct fw_waitqueue_ *bucket, const uint64_t *state)
{
    struct fw_waiter_node_ *p = fw_waitqueue_first_(bucket, state);

    return p != NULL ? fw_operation_of_(p) : NULL;
}

static fw_await *after(const fw_await *op)
{
    struct fw_waiter_node_ *p =
        fw_waitqueue_next_((const struct fw_waiter_node_ *)(const void *)op);

    return p != NULL ? fw_operation_of_(p) : NULL;
}

static fw_permits_word_ look(const uint64_t *state)
{
    return without_stale(fw_load64_relaxed(state), fw_fork_generation_());
}

/* empty, or no permit but the threads' -> OPERATIONS; n permits, nobody waits -> n - 1 */
bool fw_permits_enqueue_(uint64_t *state, fw_await *op)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(state);
    fw_permits_word_ seen = fw_load64_relaxed(state);
    fw_permits_word_ generation = (fw_permits_word_)fw_fork_generation_()
                                  << PERMITS_GENERATION_SHIFT;
    fw_permits_word_ w, left;
    bool takes;

    do {
        w = without_stale(seen, fw_fork_generation_());
        takes = permits_available(w) > 0 && !has_operations(w);
        /* F:sem-queues-unseen */
        left = takes ? w - 1 : (w & ~PERMITS_GENERATION) | generation | PERMITS_OPERATIONS;
    } while (!fw_cas64_acquire(state, &seen, left));
    if (!takes)
        fw_operation_enqueue_(bucket, op);
    fw_waitqueue_unlock_(bucket);
    return takes;
}

void fw_permits_dequeued_(struct fw_waitqueue_ *bucket, fw_await *op)
{
    uint64_t *state = (uint64_t *)(uintptr_t)op->object_;
    fw_await *first = first_of(bucket, state);

    if (first == NULL)
        fw_permits_add_(state, 0, true); /* F:sem-keeps-flag */
    else
        first->yields_ |= op->yields_;
    fw_waitqueue_unlock_(bucket);
}

/* How n permits are shared out. */
struct shares {
    uint32_t operations; /* how many, from the first of the queue on, have claimed their groups */
    uint32_t value;
    bool empties; /* the queue */
};

/* The next operation in turn, which has claimed its group; the losers are dequeued. */
static fw_await *claim_next(struct fw_waitqueue_ *bucket, fw_await *op)
{
    while (op != NULL) {
        fw_await *next = after(op);
        uint8_t yields = op->yields_;

        if (fw_operation_claim_(bucket, op)) /* F:sem-grants-loser */
            return op;
        op = next;
        if (op != NULL)
            op->yields_ |= yields;
    }
    return NULL;
}

static struct shares share_out(struct fw_waitqueue_ *bucket, const uint64_t *state, uint32_t n)
{
    uint32_t threads = permits_lacking(look(state));
    fw_await *op = first_of(bucket, state);
    struct shares s = {0, 0, false};

    while (n > 0 && op != NULL && s.operations < FW_WAKEUPS_MAX_) {
        n--;
        if (op->yields_ && threads > 0) {
            op->yields_ = 0;
            threads--;
            s.value++;
            continue;
        }
        op = claim_next(bucket, op);
        if (op == NULL) {
            n++;
            break;
        }
        s.operations++;
        op = after(op);
        if (op != NULL)
            op->yields_ = threads > 0;
    }
    s.empties = op == NULL;
    s.value += s.empties ? n : 0;
    return s;
}

/*
 * Inside the bucket; leaves it.  After the first grant the object is not touched any more (PERM4).
 * Returns how many permits are left over, since threads have ceased to wait for them.
 */
static uint32_t hand_out(struct fw_waitqueue_ *bucket, uint64_t *state, struct shares s)
{
    struct fw_wakeups_ wakeups;
    uint32_t left = 0;

    wakeups.n = 0;
    if (s.value > 0 || s.empties)
        left = fw_permits_add_(state, s.value, s.empties);
    while (s.operations-- > 0) {
        fw_await *op = first_of(bucket, state);

        op->yields_ = 0;
        fw_wakeups_add_(&wakeups, fw_operation_grant_(bucket, op, 0));
    }
    fw_waitqueue_unlock_(bucket);
    fw_wakeups_(&wakeups);
    return left; /* F:sem-forgets-left */
}

bool fw_permits_post_queued_(uint64_t *state, uint32_t n, uint32_t max)
{
    bool is_first = true;

    while (n > 0 || is_first) {
        struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(state);
        uint32_t value = permits_value(look(state));
        struct shares s;

        if (is_first && (value > max || n > max - value)) {
            fw_permits_add_(state, 0, false); /* so that it synchronises */
            fw_waitqueue_unlock_(bucket);
            return false;
        }
        is_first = false;
        s = share_out(bucket, state, n);
        n -= s.operations + s.value;
        n += hand_out(bucket, state, s);
    }
    return true;
}

bool fw_permits_leave_queued_(uint64_t *state, fw_permits_word_ seen, fw_permits_word_ left)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(state);

    if (!fw_cas64_relaxed(state, &seen, left)) {
        fw_waitqueue_unlock_(bucket);
        return false;
    }
    while (hand_out(bucket, state, share_out(bucket, state, 1)) > 0)
        bucket = fw_waitqueue_lock_(state);
    return true;
}
