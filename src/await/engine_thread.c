/* SPDX-License-Identifier: MIT */
/*
 * The engine by helper threads.  Contract: engine.h.
 *
 * A helper sleeps on up to 127 words at once (futex_waitv), and on one of its own, by which it is
 * told that its list has changed.  What has come back it puts into `back`, and makes the engine's
 * descriptor readable.  The ninth helper is not started: waits that find no room are looked at by
 * their owner, at intervals.
 *
 *   HLP1  The list of a helper is changed by the loop's thread (a wait more) and by the helper (all
 *         else), both in `lock`.  A wait leaves only while its helper is out of the kernel: so
 *         whether it has taken a wake is known when it comes back.
 *   HLP2  The system call takes all words out of the kernel's queues when it ends, and tells the
 *         last one that was woken.  Those before it in the list may have been woken as well: they
 *         come back, too.  Those behind it were not.
 */
#include <errno.h>
#include <stdlib.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>
#include <furwock/mutex.h>

#include "await/engine.h"
#include "core/sleep.h"
#include "sys/descriptors.h"
#include "sys/service_thread.h"
#include "sys/wait_any.h"

enum { HELPERS_MAX = 8, WORDS_MAX = FW_FUTEX_WAIT_ANY_MAX - 1, NO_HELPER = HELPERS_MAX };

struct threads;
struct helper {
    struct threads *engine;
    pthread_t thread;
    bool is_started, is_dirty; /* is_dirty: to be told, by flush */
    bool is_ending;
    bool has_leaving;
    uint32_t changes; /* its own word */
    uint32_t n;
    struct fw_kernel_wait_ *waits[WORDS_MAX];
};

struct threads {
    struct fw_engine_ base;
    fw_mutex lock;
    uint32_t has_back;
    struct fw_kernel_wait_ *back;
    uint32_t unarmed; /* waits that found no room */
    struct helper helpers[HELPERS_MAX];
};

static struct threads *threads_of(struct fw_engine_ *e)
{
    return (struct threads *)e;
}

static int open_threads(struct fw_engine_ **e)
{
    struct threads *t = calloc(1, sizeof *t);
    int fd = t != NULL ? fw_event_make_() : -ENOMEM;

    if (fd < 0) {
        free(t);
        return -fd;
    }
    fw_mutex_init(&t->lock);
    for (int i = 0; i < HELPERS_MAX; i++)
        t->helpers[i].engine = t;
    t->base = (struct fw_engine_){.kind = &fw_engine_thread_, .fd = fd};
    *e = &t->base;
    return 0;
}

/* In the lock. */
static void come_back(struct threads *t, struct fw_kernel_wait_ *w, enum fw_wait_told_ told)
{
    fw_wait_tell_(w, told, &t->back);
    if (t->has_back == 0) {
        fw_store32_release(&t->has_back, 1);
        fw_event_write_(t->base.fd);
    }
}

/* --- The helper ------------------------------------------------------------------------------- */

/* The i-th wait comes back; the last one takes its place. */
static void leave(struct helper *h, uint32_t i, enum fw_wait_told_ told)
{
    struct fw_kernel_wait_ *w = h->waits[i];

    h->waits[i] = h->waits[--h->n];
    h->waits[i]->at = w->at;
    come_back(h->engine, w, told);
}

/* The helper is out of the kernel: those that are to leave have taken no wake.  HLP1 */
static void let_leave(struct helper *h)
{
    if (!h->has_leaving)
        return;
    h->has_leaving = false;
    for (uint32_t i = h->n; i-- > 0;)
        if (h->waits[i]->is_leaving)
            leave(h, i, FW_TOLD_CANCELLED_);
}

/* *n words to sleep on; returns how many there are with those that are only compared. */
static uint32_t fill(struct helper *h, fw_futex_any *words, uint32_t *n)
{
    bool has_alarm = false;

    words[0] = (fw_futex_any){&h->changes, fw_load32_relaxed(&h->changes), FW_FUTEX_PRIVATE};
    for (uint32_t i = 0; i < h->n; i++) {
        words[i + 1] = (fw_futex_any){h->waits[i]->word, h->waits[i]->expected, FW_FUTEX_SHARED};
        has_alarm = has_alarm || h->waits[i]->is_alarm;
    }
    *n = h->n + 1;
    return has_alarm ? fw_compare_again_(words, 1, *n, *n, FW_FUTEX_WAIT_ANY_MAX) : *n; /* ENG5 */
}

/* One of n words is gone, or not: asks about it alone, without sleeping. */
static bool is_gone(const fw_futex_any *word)
{
    static const fw_deadline past = {.clock = CLOCK_MONOTONIC};

    return fw_sleep_any_gone_(word, 1, &past) == -EFAULT;
}

/* What the kernel has said about the first n words.  Waits that were added since are behind. */
static void hear(struct helper *h, const fw_futex_any *words, uint32_t n, int answer)
{
    bool is_blind = fw_cannot_sleep_any_(answer);

    for (uint32_t i = n - 1; i >= 1; i--) {
        bool is_told = answer >= (int)i; /* HLP2 */
        if (answer == -EAGAIN)
            is_told = fw_load32_relaxed(words[i].word) != words[i].expected;
        else if (answer == -EFAULT)
            is_told = is_gone(&words[i]);
        if (is_told || is_blind)
            leave(h, i - 1, FW_TOLD_LOOK_);
    }
}

/* The kernel has no memory for that many words, or no such call: once in an interval all look. */
static void sleep_blindly(const struct helper *h, uint32_t seen)
{
    fw_deadline end = fw_deadline_recheck_(NULL, FW_RECHECK_IPC_NS);

    fw_sleep_(&h->changes, seen, FW_FUTEX_PRIVATE, &end);
}

static void *help(void *helper)
{
    struct helper *h = helper;
    fw_futex_any words[FW_FUTEX_WAIT_ANY_MAX];
    uint32_t n, all;
    int answer;

    fw_mutex_lock(&h->engine->lock);
    while (!h->is_ending) {
        let_leave(h);
        all = fill(h, words, &n);
        fw_mutex_unlock(&h->engine->lock);
        answer = fw_can_wait_any_() ? fw_sleep_any_gone_(words, all, NULL) : -ENOSYS;
        if (fw_cannot_sleep_any_(answer))
            sleep_blindly(h, words[0].expected);
        fw_mutex_lock(&h->engine->lock);
        hear(h, words, n, answer);
    }
    fw_mutex_unlock(&h->engine->lock);
    return NULL;
}

/* --- The loop's thread ------------------------------------------------------------------------ */

static void tell(struct helper *h)
{
    fw_store32_release(&h->changes, h->changes + 1);
    fw_futex_wake(&h->changes, 1, FW_FUTEX_PRIVATE);
}

/* In the lock.  NULL: no room. */
static struct helper *with_room(struct threads *t)
{
    for (int i = 0; i < HELPERS_MAX; i++) {
        struct helper *h = &t->helpers[i];
        if (!h->is_started)
            h->is_started = fw_service_thread_start_(&h->thread, "fw-await", help, h) == 0;
        if (!h->is_started)
            return NULL;
        if (h->n < WORDS_MAX)
            return h;
    }
    return NULL;
}

static void arm(struct fw_engine_ *e, struct fw_kernel_wait_ *w)
{
    struct threads *t = threads_of(e);
    struct helper *h;

    fw_mutex_lock(&t->lock);
    h = with_room(t);
    if (h != NULL) {
        w->at = (uint32_t)(h - t->helpers);
        h->waits[h->n++] = w;
        h->is_dirty = true;
    } else {
        w->at = NO_HELPER;
        t->unarmed++;
    }
    fw_mutex_unlock(&t->lock);
}

static void disarm(struct fw_engine_ *e, struct fw_kernel_wait_ *w)
{
    struct threads *t = threads_of(e);

    fw_mutex_lock(&t->lock);
    if (w->told != FW_TOLD_NOTHING_) { /* it has just come back */
    } else if (w->at == NO_HELPER) {
        t->unarmed--;
        come_back(t, w, FW_TOLD_CANCELLED_);
    } else {
        w->is_leaving = true;
        t->helpers[w->at].has_leaving = true;
        t->helpers[w->at].is_dirty = true;
    }
    fw_mutex_unlock(&t->lock);
}

static bool flush(struct fw_engine_ *e)
{
    struct threads *t = threads_of(e);

    for (int i = 0; i < HELPERS_MAX && t->helpers[i].is_started; i++)
        if (t->helpers[i].is_dirty) {
            t->helpers[i].is_dirty = false;
            tell(&t->helpers[i]);
        }
    return t->unarmed == 0;
}

static struct fw_kernel_wait_ *reap(struct fw_engine_ *e)
{
    struct threads *t = threads_of(e);
    struct fw_kernel_wait_ *back;

    if (fw_load32_acquire(&t->has_back) == 0)
        return NULL;
    fw_mutex_lock(&t->lock);
    fw_event_read_(t->base.fd);
    back = t->back;
    t->back = NULL;
    fw_store32_relaxed(&t->has_back, 0);
    fw_mutex_unlock(&t->lock);
    return back;
}

/* What was woken meanwhile has taken a wake: it is passed on. */
static void close_threads(struct fw_engine_ *e)
{
    struct threads *t = threads_of(e);

    for (int i = 0; i < HELPERS_MAX && t->helpers[i].is_started; i++) {
        fw_mutex_lock(&t->lock);
        t->helpers[i].is_ending = true;
        fw_mutex_unlock(&t->lock);
        tell(&t->helpers[i]);
        fw_service_thread_join_(t->helpers[i].thread);
    }
    for (struct fw_kernel_wait_ *w = t->back; w != NULL; w = w->next)
        if (w->told == FW_TOLD_LOOK_)
            fw_futex_wake(w->word, 1, FW_FUTEX_SHARED);
    fw_descriptor_close_(t->base.fd);
    free(t);
}

static void forget(struct fw_engine_ *e)
{
    fw_descriptor_close_(e->fd);
    free(e);
}

const struct fw_engine_kind_ fw_engine_thread_ = {
    .name = "thread",
    .number = FW_ENGINE_THREAD_,
    .make = open_threads,
    .end = close_threads,
    .forget = forget,
    .arm = arm,
    .disarm = disarm,
    .flush = flush,
    .reap = reap,
};
