/* SPDX-License-Identifier: MIT */
/* One thread watches many objects.  Contract: watch.h. */
#include "watch.h"

#include <furwock/ipc.h>

#include "event_state.h"
#include "semaphore_state.h"

/* So many words of objects, and with them of lives, are slept on; the others are re-checked. */
enum { WORDS_MAX = 60, LIVES_END = FW_IPC_WATCHED_ };

#define SECOND_NS 1000000000
#define COND_FLAGS UINT64_C(3) /* fw_ipc_cond: waiters, sleepers; above them the number */

static uint64_t *word_of(const struct fwpy_watched *w)
{
    switch (w->kind) {
    case FWPY_WATCH_MUTEX:
        return &((fw_ipc_mutex *)w->object)->word_;
    case FWPY_WATCH_SEMAPHORE:
        return &((struct fwpy_semaphore *)w->object)->word;
    case FWPY_WATCH_PERMITS:
        return &((fw_ipc_permits *)w->object)->queue_;
    case FWPY_WATCH_EVENT:
        return &((struct fwpy_event *)w->object)->word;
    default:
        return &((fw_ipc_cond *)w->object)->word_;
    }
}

uint64_t fwpy_watch_token(const struct fwpy_watched *w)
{
    if (w->kind == FWPY_WATCH_EVENT)
        return fwpy_event_begin(w->object).cleared;
    if (w->kind == FWPY_WATCH_CONDITION) /* with the lock held: whoever notifies next sees it */
        return fw_or64_relaxed(word_of(w), COND_FLAGS) & ~COND_FLAGS;
    return 0;
}

/* --- Can it be had?  If not, this thread has announced itself in the word --------------------- */

static bool is_mutex_ready(uint64_t *word, struct fwpy_call *call)
{
    uint64_t now = fw_load64_acquire(word);

    do { /* free, given up, of a dead thread, or overwritten: the caller finds out */
        if (now == 0 || fw_ipc_life_(call->me.mapping, now & FW_IPC_HOLDER) != FW_IPC_ALIVE)
            return true;
    } while ((now & FW_IPC_WAITERS) == 0 && !fw_cas64_relaxed(word, &now, now | FW_IPC_WAITERS));
    call->expected = (uint32_t)(now | FW_IPC_WAITERS);
    return false;
}

static bool has_dead_row(struct fwpy_semaphore *s, struct fwpy_call *call)
{
    for (uint32_t i = 0; i < s->row_count && i < FWPY_SEMAPHORE_ROWS; i++) {
        uint64_t holder = s->rows[i].holder;
        if (s->rows[i].taken == 0)
            continue;
        if (!fwpy_is_alive(call->me.mapping, &s->rows[i].process, &holder))
            return true;
        call->rechecks |= holder == 0;
    }
    return false;
}

static bool is_semaphore_ready(struct fwpy_semaphore *s, struct fwpy_call *call)
{
    fwpy_announce(call, &s->word);
    return (call->expected & FWPY_SEMAPHORE_MAX) != 0 || (!s->is_signal && has_dead_row(s, call));
}

static bool is_permit_ready(fw_ipc_permits *p, struct fwpy_call *call)
{
    fwpy_announce(call, &p->queue_);
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* IPERM3 in ipc/permits.c */
    call->rechecks = true;                   /* lives of its holders are not watched */
    return fw_ipc_permits_value(p) != 0;
}

static bool is_event_ready(struct fwpy_event *e, uint64_t cleared, struct fwpy_call *call)
{
    fwpy_announce(call, &e->word);
    return (call->expected & FWPY_SEMAPHORE_MAX) != cleared; /* set: bit 0; or cleared since */
}

static bool is_condition_ready(fw_ipc_cond *c, uint64_t number, struct fwpy_call *call)
{
    uint64_t now = fw_load64_acquire(&c->word_);

    do {
        if ((now & ~COND_FLAGS) != number)
            return true;
    } while ((now & COND_FLAGS) != COND_FLAGS &&
             !fw_cas64_relaxed(&c->word_, &now, now | COND_FLAGS));
    call->expected = (uint32_t)(now | COND_FLAGS);
    call->rechecks = true; /* a signal may have moved it to the mutex, whose holder may die */
    return false;
}

static bool is_ready(struct fwpy_watched *w, struct fwpy_call *call)
{
    w->word = fw_ipc_half_(word_of(w));
    switch (w->kind) {
    case FWPY_WATCH_MUTEX:
        return is_mutex_ready(word_of(w), call);
    case FWPY_WATCH_SEMAPHORE:
        return is_semaphore_ready(w->object, call);
    case FWPY_WATCH_PERMITS:
        return is_permit_ready(w->object, call);
    case FWPY_WATCH_EVENT:
        return is_event_ready(w->object, w->token, call);
    default:
        return is_condition_ready(w->object, w->token, call);
    }
}

static void watch_life(struct fw_ipc_wait_ *wait, uint64_t holder)
{
    if (wait->n < LIVES_END)
        fw_ipc_wait_watch_(wait, holder);
}

static void watch_lives(const struct fwpy_watched *w, struct fw_ipc_wait_ *wait)
{
    const struct fwpy_semaphore *s = w->object;

    if (w->kind == FWPY_WATCH_MUTEX)
        watch_life(wait, fw_load64_relaxed(word_of(w)) & FW_IPC_HOLDER);
    if (w->kind != FWPY_WATCH_SEMAPHORE || s->is_signal)
        return;
    for (uint32_t i = 0; i < s->row_count && i < FWPY_SEMAPHORE_ROWS; i++)
        if (s->rows[i].taken != 0 && s->rows[i].holder != 0 &&
            fw_ipc_life_(wait->me.mapping, s->rows[i].holder) == FW_IPC_ALIVE)
            watch_life(wait, s->rows[i].holder);
}

/* --- The watch -------------------------------------------------------------------------------- */

struct watch {
    struct fwpy_watched *all;
    size_t n;
    struct fwpy_call call;
    struct fw_ipc_wait_ wait;
};

/* The words of all, and then the lives: those of the first object's region only. */
static bool look(struct watch *w)
{
    bool any = false;
    size_t words = 0;

    w->call.rechecks = w->n > WORDS_MAX;
    for (size_t i = 0; i < w->n; i++) {
        struct fwpy_watched *one = &w->all[i];
        const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(one->object);
        struct fw_ipc_me_ me = w->call.me;
        if (mapping != me.mapping) {
            w->call.me.mapping = mapping;
            w->call.rechecks = true;
        }
        one->is_ready = mapping == NULL || is_ready(one, &w->call);
        w->call.me = me;
        any |= one->is_ready;
        if (words++ < WORDS_MAX)
            fw_ipc_wait_compare_(&w->wait, one->word, w->call.expected);
    }
    for (size_t i = 0; i < w->n && i < WORDS_MAX && !any; i++)
        if (fw_ipc_mapping_of_(w->all[i].object) == w->call.me.mapping)
            watch_lives(&w->all[i], &w->wait);
    w->call.rechecks |= w->wait.n >= LIVES_END;
    return any;
}

static fw_deadline sooner(const fw_deadline *deadline, bool rechecks)
{
    fw_deadline d = {.clock = CLOCK_MONOTONIC};

    clock_gettime(CLOCK_MONOTONIC, &d.at);
    d.at.tv_nsec += FWPY_RECHECK_NS;
    if (d.at.tv_nsec >= SECOND_NS) {
        d.at.tv_nsec -= SECOND_NS;
        d.at.tv_sec++;
    }
    if (!rechecks || deadline->at.tv_sec < d.at.tv_sec ||
        (deadline->at.tv_sec == d.at.tv_sec && deadline->at.tv_nsec < d.at.tv_nsec))
        return *deadline;
    return d;
}

/* Sleeps once, at most until the deadline.  The wait is begun anew each time: its words are. */
static int sleep_once(struct watch *w, const uint32_t *poked, uint32_t pokes,
                      const fw_deadline *deadline, bool *any)
{
    fw_deadline far = sooner(deadline, true), end;
    int error =
        fw_ipc_wait_begin_(&w->wait, &w->call.me, w->all[0].object, FW_IPC_WAITS_ELSE, NULL, &far);

    if (error != 0)
        return error;
    *any = look(w);
    if (!*any) {
        end = sooner(deadline, w->call.rechecks);
        w->wait.poll.deadline = &end;
        error = fw_ipc_wait_sleep_(&w->wait, poked, pokes);
    }
    fw_ipc_wait_end_(&w->wait);
    return error == ETIMEDOUT ? 0 : error;
}

static bool has_passed(const fw_deadline *deadline)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > deadline->at.tv_sec ||
           (now.tv_sec == deadline->at.tv_sec && now.tv_nsec >= deadline->at.tv_nsec);
}

int fwpy_watch(struct fwpy_watched *all, size_t n, const uint32_t *poked, uint32_t pokes,
               const fw_deadline *deadline)
{
    struct watch w = {.all = all, .n = n};
    bool any = false;
    struct fw_robust_ debt;
    int error = fw_ipc_enter_(all[0].object, &w.call.me);

    if (error != 0)
        return error;
    fw_ipc_debt_begin_(&debt, w.call.me.mapping);
    while (error == 0 && !any && __atomic_load_n(poked, __ATOMIC_ACQUIRE) == pokes &&
           !has_passed(deadline))
        error = sleep_once(&w, poked, pokes, deadline, &any);
    for (size_t i = 0; i < n; i++) { /* PYA1 */
        if (all[i].word != NULL)
            fw_ipc_wake_(all[i].word, 1);
    }
    fw_ipc_debt_end_(&debt);
    return error;
}
