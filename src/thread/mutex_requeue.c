/* SPDX-License-Identifier: MIT */
/*
 * Waiters that another thread requeues to a mutex.  Contract: mutex_requeue.h.  The states are
 * those of mutex.c, the reasons are in doc/design/cond.md.
 *
 * RQ1  Between registration and requeue the count is higher than the number of threads that will
 *      react to a wake.  A release in that time may set WAKING, or hand the lock off, and reach
 *      nobody.  So the requeuing thread looks again afterwards: it undoes WAKING, or wakes one.  It
 *      need not if one of them is awake, and so will take the mutex.
 * RQ2  A thread that holds the mutex while it registers others needs no fence: the only plain
 *      release that could overlook them is its own, and comes later.  Nor is one needed if the
 *      mutex is free: a plain release is complete once it has stored, and a later one finds the
 *      waiters half.
 * RQ3  A requeued thread may claim any hand-off: it is counted, so it may have been meant for it.
 * RQ4  A waiter with a deferred wake counts as awake: WAKING may be set.  Its count makes the next
 *      release one that looks for deferred wakes (unlock_slow, or fw_mutex_unlock_and_wake_).
 * RQ5  A wake deferred in `late` is made by the thread that releases the mutex next, after the
 *      release.  A release that takes it over before the waiter is counted only wakes it early.
 */
#include <furwock/futex.h>

#include "core/thread_state.h"
#include "sys/fork.h"
#include "sys/release.h"
#include "sys/thread.h"
#include "thread/mutex_posix.h"
#include "thread/mutex_requeue.h"
#include "thread/mutex_word.h"

/* held, !FENCED -> held, FENCED, once no plain release can overlook the new waiters. */
static bool fence(fw_mutex *m)
{
    fw_mutex_word_ w = fw_load64_relaxed(&m->state_);

    if (is_fenced(w))
        return true;
    if (fw_release_fence_() != 0)
        return false; /* F:moves-refused */
    while (!is_fenced(w) && !fw_cas64_relaxed(&m->state_, &w, w | MUTEX_FENCED))
        ; /* others joined or left; the registered ones stay */
    return true;
}

/* WAKING, for a waiter that need not sleep; if nobody vouched before, nobody does (MU6). */
static fw_mutex_word_ with_one_awake(fw_mutex_word_ w)
{
    return wake_is_under_way(w) ? w : (w | MUTEX_WAKING) & ~MUTEX_RETRY; /* F:moved-vouches */
}

/* The other bits of the word, with the new waiters counted (RQ2). */
static fw_mutex_word_ registered(fw_mutex_word_ w, uint32_t n, uint32_t self)
{
    fw_mutex_word_ then = w + n * MUTEX_WAITER;

    if (is_free(w))
        return with_one_awake(then) | MUTEX_FENCED;
    return owner_half(w) == self ? then | MUTEX_FENCED : then;
}

uint32_t fw_mutex_register_(fw_mutex *m, uint32_t n, bool urgent)
{
    uint32_t self = fw_self_();
    uint32_t generation = fw_fork_generation_();
    fw_mutex_word_ seen = look_at(m);
    fw_mutex_word_ w;

    /* any, k waiters -> any, k + n waiters; free -> free, WAKING */
    do
        w = without_stale(seen, generation);
    while (
        !fw_cas64_relaxed(&m->state_, &seen, registered(w, n, self) | (urgent ? MUTEX_URGENT : 0)));
    if (is_free(w))
        return wake_is_under_way(w) ? 0 : 1;
    return owner_half(w) == self || fence(m) ? 0 : FW_MUTEX_WAKE_ALL; /* F:unfenced-move */
}

/* Can a wake be deferred, in *late or by the caller?  A task may release in another thread. */
static bool put_off(fw_mutex *m, const uint32_t *word, uint64_t *late, uint32_t self)
{
    uint64_t none = 0;

    if (late == NULL) /* F:late-with-thread */
        return !fw_id_is_task_(self) && fw_wake_later_(m, word);
    return fw_cas64_relaxed(late, &none, (uint64_t)(uintptr_t)word);
}

/* Takes the wake that was deferred in *late, or NULL; the caller must make it. */
static const uint32_t *take_over(uint64_t *late)
{
    uint64_t word = fw_load64_relaxed(late);

    while (word != 0 && !fw_cas64_relaxed(late, &word, 0))
        ;
    return (const uint32_t *)(uintptr_t)word;
}

bool fw_mutex_register_held_(fw_mutex *m, const uint32_t *word, uint64_t *late)
{
    uint32_t self = fw_self_();
    uint32_t generation = fw_fork_generation_();
    fw_mutex_word_ w = fw_load64_relaxed(&m->state_);
    uint64_t mine = (uint64_t)(uintptr_t)word;
    fw_mutex_word_ then;

    if (owner_half(w) != self || !put_off(m, word, late, self))
        return false;
    /* held, k waiters -> held, k + 1 waiters, WAKING (RQ4) */
    do {
        if (owner_half(w) != self) { /* released by another thread meanwhile: RQ5 */
            fw_cas64_relaxed(late, &mine, 0);
            return false;
        }
        /* F:wakes-held */
        then = with_one_awake(without_stale(w, generation) + MUTEX_WAITER) | MUTEX_FENCED;
    } while (!fw_cas64_relaxed(&m->state_, &w, then));
    return true;
}

void fw_mutex_unlock_and_wake_(fw_mutex *m, uint64_t *late, bool fair)
{
    const uint32_t *word = take_over(late);

    fw_mutex_unlock_posix_(m, fair);
    if (word != NULL) /* F:forgets-put-off */
        fw_futex_wake(word, 1, FW_FUTEX_PRIVATE);
}

const uint32_t *fw_mutex_futex_(const fw_mutex *m)
{
    return waiters_of((fw_mutex *)m); /* F:moves-to-owner */
}

void fw_mutex_look_again_(fw_mutex *m)
{
    fw_mutex_word_ w = fw_load64_relaxed(&m->state_);

    while (has_waiters(w) && owner_half(w) != fw_self_()) {
        if (is_being_handed_off(w)) { /* to one of those who were just moved, perhaps (RQ1, RQ3) */
            /* F:leaves-passed */
            fw_futex_wake_bitset(waiters_of(m), 1, MUTEX_CLASS_ANY, FW_FUTEX_PRIVATE);
            return;
        }
        if (is_free(w)) {
            /* free -> free, WAKING */
            if (!fw_cas64_relaxed(&m->state_, &w, with_wake(w)))
                continue;
            /* F:leaves-free */
            fw_futex_wake_bitset(waiters_of(m), 1, class_to_wake(w), FW_FUTEX_PRIVATE);
            return;
        }
        /* held, WAKING -> held, !WAKING: at worst a needless wake follows */
        /* F:keeps-baton-moved */
        if (!wake_is_under_way(w) || fw_cas64_relaxed(&m->state_, &w, w & ~MUTEX_WAKING))
            return;
    }
}
