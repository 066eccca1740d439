/* SPDX-License-Identifier: MIT */
/*
 * pthread_cond_*wait and cnd_*wait of the library that checks: the mutex is held, and while the
 * thread waits it is not; those who wait at one time have the same mutex.
 *
 * Private variables have eight bytes for this, which nobody else uses:
 *
 *   waiters  0: none, or mutex << 16 | how many wait with it
 */
#include "cond.h"

#include <errno.h>
#include <threads.h>

#include "c11.h"
#include "check.h"
#include "export.h"
#include "lock.h"
#include "stat.h"
#include "sys/clock.h"

enum { COUNT_BITS = 16 };
#define COUNT ((UINT64_C(1) << COUNT_BITS) - 1)

struct wait {
    pthread_cond_t *c;
    struct fw_check_target_ mutex;
    const void *site;
    uint64_t *waiters; /* NULL: is not counted */
    uint64_t began_ns; /* 0: it does not matter */
    bool was_held;
    uint32_t again;
};

static uint64_t *waiters_of(pthread_cond_t *c)
{
    return fw_posix_cond_is_shared_(c) ? NULL : &((uint64_t *)c)[1];
}

/* False: it is not counted, since those that wait have another mutex. */
static bool count(uint64_t *waiters, const void *mutex, const void **other)
{
    uint64_t own = (uint64_t)(uintptr_t)mutex << COUNT_BITS, seen = fw_load64_relaxed(waiters);
    uint64_t next;

    do {
        *other = (const void *)(uintptr_t)(seen >> COUNT_BITS);
        if ((seen & COUNT) != 0 && *other != mutex)
            return false;
        next = (seen & COUNT) == 0 ? own | 1 : seen + 1;
    } while (!fw_cas64_acq_rel(waiters, &seen, next));
    return true;
}

static void count_down(uint64_t *waiters)
{
    uint64_t seen = fw_load64_relaxed(waiters);

    while ((seen & COUNT) != 0 &&
           !fw_cas64_acq_rel(waiters, &seen, (seen & COUNT) == 1 ? 0 : seen - 1))
        ;
}

/* The other mutex stands in the finding as what is held. */
static void report_two(const struct wait *w, const void *other)
{
    struct fw_check_held_ h = {.object = other};

    fw_check_report_one_(FW_CHECK_TWO, w->c, w->site, 0, &h);
}

static void begin(struct wait *w)
{
    struct fw_check_thread_ *t = fw_check_thread_here_();
    struct fw_check_held_ *h = t != NULL ? fw_check_find_(t, w->mutex.object) : NULL;
    const void *other;

    w->waiters = t != NULL ? waiters_of(w->c) : NULL;
    if (w->waiters != NULL && !count(w->waiters, w->mutex.object, &other)) {
        report_two(w, other);
        w->waiters = NULL;
    }
    if (t != NULL && h == NULL && t->beyond == 0 &&
        !fw_check_owns_mutex_((pthread_mutex_t *)(uintptr_t)w->mutex.object))
        fw_check_report_one_(FW_CHECK_UNHELD, w->mutex.object, w->site, 0, NULL);
    if (h == NULL)
        return;
    w->was_held = true;
    w->again = h->again;
    fw_check_drop_(t, h);
    if (t->count != 0 && fw_check_hold_ns_ != 0)
        w->began_ns = fw_clock_ns_();
    if (t->count != 0) /* it is taken again while these are held */
        fw_check_before_(&w->mutex, FW_CHECK_WAITS, w->site);
}

/* Also of a thread that is cancelled: it has the mutex again. */
static void end(struct wait *w)
{
    struct fw_check_thread_ *t;
    struct fw_check_held_ *h;

    if (w->waiters != NULL)
        count_down(w->waiters);
    if (w->began_ns != 0)
        fw_check_blocked_(w->began_ns, w->site);
    if (!w->was_held)
        return;
    fw_check_got_(&w->mutex, w->site);
    t = fw_check_me_;
    h = t != NULL ? fw_check_find_(t, w->mutex.object) : NULL;
    if (h != NULL)
        h->again = w->again;
}

static int wait_until(pthread_cond_t *c, pthread_mutex_t *m, const fw_deadline *deadline,
                      const void *site)
{
    struct wait w
        __attribute__((cleanup(end))) = {.c = c, .mutex = fw_check_mutex_target_(m), .site = site};

    begin(&w);
    return fw_posix_cond_wait_until_(c, m, deadline, site);
}

static int fw_check_cond_init_(pthread_cond_t *c, const pthread_condattr_t *attr)
{
    return fw_posix_cond_init_(c, attr);
}
FW_EXPORT(fw_check_cond_init_, pthread_cond_init, GLIBC_2_3_2);
FW_EXPORT_OLDEST(fw_check_cond_init_, pthread_cond_init);

static int fw_check_cond_destroy_(pthread_cond_t *c)
{
    return fw_posix_cond_destroy_(c);
}
FW_EXPORT(fw_check_cond_destroy_, pthread_cond_destroy, GLIBC_2_3_2);
FW_EXPORT_OLDEST(fw_check_cond_destroy_, pthread_cond_destroy);

static int fw_check_cond_wait_(pthread_cond_t *c, pthread_mutex_t *m)
{
    return wait_until(c, m, NULL, FW_SITE_);
}
FW_EXPORT(fw_check_cond_wait_, pthread_cond_wait, GLIBC_2_3_2);
FW_EXPORT_OLDEST(fw_check_cond_wait_, pthread_cond_wait);

static int fw_check_cond_timedwait_(pthread_cond_t *c, pthread_mutex_t *m,
                                    const struct timespec *at)
{
    fw_deadline deadline = {*at, fw_posix_cond_clock_(c)};

    return wait_until(c, m, &deadline, FW_SITE_);
}
FW_EXPORT(fw_check_cond_timedwait_, pthread_cond_timedwait, GLIBC_2_3_2);
FW_EXPORT_OLDEST(fw_check_cond_timedwait_, pthread_cond_timedwait);

static int fw_check_cond_clockwait_(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                    const struct timespec *at)
{
    fw_deadline deadline = {*at, clock};

    return wait_until(c, m, &deadline, FW_SITE_);
}
FW_EXPORT(fw_check_cond_clockwait_, pthread_cond_clockwait, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_cond_clockwait_, pthread_cond_clockwait, GLIBC_2_30);

static int fw_check_cond_signal_(pthread_cond_t *c)
{
    return fw_posix_cond_signal_(c);
}
FW_EXPORT(fw_check_cond_signal_, pthread_cond_signal, GLIBC_2_3_2);
FW_EXPORT_OLDEST(fw_check_cond_signal_, pthread_cond_signal);

static int fw_check_cond_broadcast_(pthread_cond_t *c)
{
    return fw_posix_cond_broadcast_(c);
}
FW_EXPORT(fw_check_cond_broadcast_, pthread_cond_broadcast, GLIBC_2_3_2);
FW_EXPORT_OLDEST(fw_check_cond_broadcast_, pthread_cond_broadcast);

/* --- C11 -------------------------------------------------------------------------------------- */

static int fw_check_cnd_init_(cnd_t *c)
{
    return fw_c11_cnd_init_(c);
}
FW_EXPORT(fw_check_cnd_init_, cnd_init, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_cnd_init_, cnd_init, GLIBC_2_28);

static void fw_check_cnd_destroy_(cnd_t *c)
{
    fw_c11_cnd_destroy_(c);
}
FW_EXPORT(fw_check_cnd_destroy_, cnd_destroy, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_cnd_destroy_, cnd_destroy, GLIBC_2_28);

static int fw_check_cnd_wait_(cnd_t *c, mtx_t *m)
{
    return fw_c11_result_(wait_until((pthread_cond_t *)c, (pthread_mutex_t *)m, NULL, FW_SITE_));
}
FW_EXPORT(fw_check_cnd_wait_, cnd_wait, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_cnd_wait_, cnd_wait, GLIBC_2_28);

static int fw_check_cnd_timedwait_(cnd_t *c, mtx_t *m, const struct timespec *at)
{
    fw_deadline deadline = {*at, CLOCK_REALTIME};

    return fw_c11_result_(
        wait_until((pthread_cond_t *)c, (pthread_mutex_t *)m, &deadline, FW_SITE_));
}
FW_EXPORT(fw_check_cnd_timedwait_, cnd_timedwait, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_cnd_timedwait_, cnd_timedwait, GLIBC_2_28);

static int fw_check_cnd_signal_(cnd_t *c)
{
    return fw_c11_cnd_signal_(c);
}
FW_EXPORT(fw_check_cnd_signal_, cnd_signal, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_cnd_signal_, cnd_signal, GLIBC_2_28);

static int fw_check_cnd_broadcast_(cnd_t *c)
{
    return fw_c11_cnd_broadcast_(c);
}
FW_EXPORT(fw_check_cnd_broadcast_, cnd_broadcast, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_cnd_broadcast_, cnd_broadcast, GLIBC_2_28);
