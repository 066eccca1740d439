/* SPDX-License-Identifier: MIT */
/*
 * pthread_cond_wait and its like.  Contract: cond.h.  Reasons: doc/design/drop-in-cond.md.
 *
 *   byte        0        4        8 .. 28 ..... 36 ......
 *   private     [ fw_cond       ]  -   0         flags
 *   shared      word     mark      -   0         flags
 *
 *   flags   FW_COND_* (cond.h); written by pthread_cond_init only
 *
 * A C library without us puts its flags there, too, or at byte 28 since glibc 2.41: whoever meets a
 * shared variable that such a process has made sees FW_COND_SHARED in one of the two, and no mark.
 *
 * All zero bytes are a private variable that measures time on CLOCK_REALTIME.
 *
 * What waiters of a private variable are woken by depends on their mutex:
 *
 * mutex                             a broadcast, or a signal with the mutex held
 * --------------------------------  ------------------------------------------------------------
 * plain, and held once              moves them to it (fw_cond: src/thread/cond.c)
 * plain recursive, held more often  wakes them; they lock it as its kind says (foreign:
 * of any other kind                 cond_posix.h), and so do those whose mutex is another one
 *                                   than that of the others who wait
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cond.h"
#include "cond_shared.h"
#include "export.h"
#include "mutex.h"
#include "object.h"
#include "stat.h"
#include "sys/clock.h"
#include "thread/cond_posix.h"
#include "thread/cond_queue.h"
#include "thread/mutex_requeue.h"
#include "thread/mutex_word.h"

/* Out of the way of those who find nobody waiting; not rare where threads wait. */
#define APART __attribute__((noinline))

struct fw_posix_cond_ {
    union {
        fw_cond lone;
        struct fw_shared_cond_ shared;
    };
    uint32_t unused[5];    /* of a private one, checking/cond.c has the first two */
    uint32_t others_flags; /* 0 in ours */
    uint32_t also_unused;
    uint32_t flags;
};

_Static_assert(sizeof(struct fw_posix_cond_) <= sizeof(pthread_cond_t), "fits");
_Static_assert(_Alignof(struct fw_posix_cond_) <= _Alignof(pthread_cond_t), "fits");
_Static_assert(offsetof(fw_cond, seq_) == offsetof(struct fw_shared_cond_, word), "0 at first");
_Static_assert(offsetof(struct fw_posix_cond_, others_flags) == 28 &&
                   offsetof(struct fw_posix_cond_, flags) == 36,
               "where glibc has them since 2.41, and where it had them before");

/* The mutex of a waiter, and what its calls are to know. */
struct held {
    pthread_mutex_t *m;
    const void *site;
};

static struct fw_posix_cond_ *cond_of(pthread_cond_t *c)
{
    return (struct fw_posix_cond_ *)c;
}

static inline uint32_t flags_of(const struct fw_posix_cond_ *c)
{
    return c->flags | c->others_flags;
}

static inline bool is_shared(const struct fw_posix_cond_ *c)
{
    return (flags_of(c) & FW_COND_SHARED) != 0;
}

bool fw_posix_cond_is_shared_(const pthread_cond_t *c)
{
    return is_shared((const struct fw_posix_cond_ *)c);
}

clockid_t fw_posix_cond_clock_(const pthread_cond_t *c)
{
    bool is_monotonic = (((const struct fw_posix_cond_ *)c)->flags & FW_COND_MONOTONIC) != 0;

    return is_monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

/* The variable for processes, which one of us has made. */
static struct fw_shared_cond_ *shared_of(struct fw_posix_cond_ *c)
{
    if (!fw_shared_cond_is_ours_(&c->shared))
        fw_posix_foreign_("condition variable", c);
    return &c->shared;
}

int fw_posix_cond_init_(pthread_cond_t *p, const pthread_condattr_t *attr)
{
    struct fw_posix_cond_ *c = cond_of(p);

    memset(p, 0, sizeof *p);
    if (attr != NULL)
        memcpy(&c->flags, attr, sizeof c->flags);
    c->flags &= FW_COND_SHARED | FW_COND_MONOTONIC;
    if (is_shared(c))
        fw_shared_cond_init_(&c->shared);
    return 0;
}
FW_EXPORT(fw_posix_cond_init_, pthread_cond_init, GLIBC_2_3_2);
FW_EXPORT_OLDEST(fw_posix_cond_init_, pthread_cond_init);

int fw_posix_cond_destroy_(pthread_cond_t *p)
{
    struct fw_posix_cond_ *c = cond_of(p);

    if (fw_load32_relaxed(&c->lone.seq_) != 0) /* or the shared word: somebody has waited */
        fw_cond_await_nobody_(c);
    return 0;
}
FW_EXPORT(fw_posix_cond_destroy_, pthread_cond_destroy, GLIBC_2_3_2);
FW_EXPORT_OLDEST(fw_posix_cond_destroy_, pthread_cond_destroy);

/* While it waits, the mutex is in use: it is counted, under the mutex. */
static int unlock(void *arg)
{
    const struct held *held = arg;
    struct fw_posix_mutex_ *m = fw_posix_mutex_(held->m);
    int error;

    m->users++;
    error = fw_posix_mutex_unlock_(held->m);
    if (error != 0)
        m->users--; /* not held: the program errs, and may find it in use, or not */
    return error;
}

static int lock(void *arg, bool is_counted)
{
    const struct held *held = arg;
    struct fw_posix_mutex_ *m = fw_posix_mutex_(held->m);
    int error = 0;

    if (is_counted) {
        fw_mutex_lock_registered_(&m->lock);
        fw_stat_took_(m, held->site);
    } else {
        error = fw_posix_mutex_lock_until_(held->m, NULL, held->site);
    }
    if (error == 0 || error == EOWNERDEAD)
        m->users--;
    return error;
}

/* Of a type that refuses to be released by another. */
static bool is_refused(const struct fw_posix_mutex_ *m)
{
    int type = fw_kind_type_(m->kind);

    return (type == FW_KIND_RECURSIVE || type == FW_KIND_ERRORCHECK) &&
           owner_half(fw_load64_relaxed(&m->lock.state_)) != fw_self_();
}

static int wait_lone(fw_cond *c, struct held *held, const fw_deadline *deadline)
{
    struct fw_posix_mutex_ *m = fw_posix_mutex_(held->m);
    struct fw_cond_mutex_ how = {.unlock = unlock, .lock = lock, .mutex = held};

    if (fw_kind_is_plain_(m->kind)) {
        if (is_refused(m))
            return EPERM;
        if (m->count == 0) {
            how.moves = &m->lock;
            how.late = &m->late;
        }
    }
    return fw_cond_wait_posix_(c, &how, deadline);
}

int fw_posix_cond_wait_until_(pthread_cond_t *p, pthread_mutex_t *m, const fw_deadline *deadline,
                              const void *site)
{
    struct fw_posix_cond_ *c = cond_of(p);
    struct held held = {m, site};
    struct fw_stat_ stat;
    int error;

    if (!fw_deadline_is_valid_(deadline))
        return EINVAL;
    fw_stat_begin_(&stat, FW_STAT_COND, c, site);
    if (is_shared(c)) {
        struct fw_cond_mutex_ how = {.unlock = unlock, .lock = lock, .mutex = &held};

        error = fw_shared_cond_wait_(shared_of(c), &how, deadline);
    } else {
        error = wait_lone(&c->lone, &held, deadline);
    }
    fw_stat_end_(&stat, error);
    return error;
}

int fw_posix_cond_wait_(pthread_cond_t *c, pthread_mutex_t *m)
{
    return fw_posix_cond_wait_until_(c, m, NULL, FW_SITE_);
}
FW_EXPORT(fw_posix_cond_wait_, pthread_cond_wait, GLIBC_2_3_2);
FW_EXPORT_OLDEST(fw_posix_cond_wait_, pthread_cond_wait);

int fw_posix_cond_timedwait_(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *at)
{
    fw_deadline deadline = {*at, fw_posix_cond_clock_(c)};

    return fw_posix_cond_wait_until_(c, m, &deadline, FW_SITE_);
}
FW_EXPORT(fw_posix_cond_timedwait_, pthread_cond_timedwait, GLIBC_2_3_2);
FW_EXPORT_OLDEST(fw_posix_cond_timedwait_, pthread_cond_timedwait);

int fw_posix_cond_clockwait_(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                             const struct timespec *at)
{
    fw_deadline deadline = {*at, clock};

    return fw_posix_cond_wait_until_(c, m, &deadline, FW_SITE_);
}
FW_EXPORT(fw_posix_cond_clockwait_, pthread_cond_clockwait, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_cond_clockwait_, pthread_cond_clockwait, GLIBC_2_30);

/* Private, and nobody waits: in one look, since programs signal most often then. */
static inline bool is_idle(const struct fw_posix_cond_ *c)
{
    uint32_t bits = fw_load32_acquire(&c->lone.waiters_) | flags_of(c);

    return __builtin_expect((bits & (COND_WAITERS | FW_COND_SHARED)) == 0, 1);
}

APART static int signal_slow(struct fw_posix_cond_ *c)
{
    if (is_shared(c))
        fw_shared_cond_signal_(shared_of(c));
    else
        fw_cond_signal(&c->lone);
    return 0;
}

int fw_posix_cond_signal_(pthread_cond_t *p)
{
    struct fw_posix_cond_ *c = cond_of(p);

    return is_idle(c) ? 0 : signal_slow(c);
}
FW_EXPORT(fw_posix_cond_signal_, pthread_cond_signal, GLIBC_2_3_2);
FW_EXPORT_OLDEST(fw_posix_cond_signal_, pthread_cond_signal);

APART static int broadcast_slow(struct fw_posix_cond_ *c)
{
    if (is_shared(c))
        fw_shared_cond_broadcast_(shared_of(c));
    else
        fw_cond_broadcast(&c->lone);
    return 0;
}

int fw_posix_cond_broadcast_(pthread_cond_t *p)
{
    struct fw_posix_cond_ *c = cond_of(p);

    return is_idle(c) ? 0 : broadcast_slow(c);
}
FW_EXPORT(fw_posix_cond_broadcast_, pthread_cond_broadcast, GLIBC_2_3_2);
FW_EXPORT_OLDEST(fw_posix_cond_broadcast_, pthread_cond_broadcast);
