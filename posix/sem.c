/* SPDX-License-Identifier: MIT */
/*
 * sem_wait and its like.  Contract: sem.h.  Layout, and the fast paths: sem_word.h.  States: of a
 * semaphore of one process, src/thread/permits.c; of a shared one, sem_shared.c.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "cancel.h"
#include "core/attributes.h"
#include "export.h"
#include "sem.h"
#include "sem_word.h"
#include "stat.h"

/* In as few lines of the instruction cache as it can be: it costs little more than its call. */
#define HOT __attribute__((aligned(64)))

static COLD int fail(int error)
{
    errno = error;
    return -1;
}

int fw_posix_sem_init_(sem_t *s, int shared, unsigned value)
{
    if (value > FW_SEM_VALUE_MAX_)
        return fail(EINVAL);
    *fw_posix_sem_(s) = (struct fw_posix_sem_){
        .state = value, .shared = shared != 0 ? FW_SEM_SHARED_ : 0, .guess = value};
    return 0;
}

FW_EXPORT(fw_posix_sem_init_, sem_init, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_sem_init_, sem_init, GLIBC_2_2_5);

/* Nothing to do: as with the C library's, nobody is asked whether somebody waits. */
int fw_posix_sem_destroy_(sem_t *s)
{
    (void)s;
    return 0;
}

FW_EXPORT(fw_posix_sem_destroy_, sem_destroy, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_sem_destroy_, sem_destroy, GLIBC_2_2_5);

static COLD int trywait_slow(struct fw_posix_sem_ *s)
{
    bool taken =
        fw_posix_sem_is_shared_(s) ? fw_sem_shared_take_(s) : fw_permits_take_any_(&s->state);

    return taken ? 0 : fail(EAGAIN);
}

int fw_posix_sem_trywait_(sem_t *s)
{
    if (fw_posix_sem_take_(fw_posix_sem_(s)))
        return 0;
    return trywait_slow(fw_posix_sem_(s));
}

FW_EXPORT(fw_posix_sem_trywait_, sem_trywait, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_sem_trywait_, sem_trywait, GLIBC_2_2_5);

static COLD int wait_slow(struct fw_posix_sem_ *s, const fw_deadline *deadline, const void *site)
{
    struct fw_stat_ stat;
    int error;

    fw_posix_cancel_point_();
    if (fw_posix_sem_take_(s))
        return 0;
    fw_stat_begin_(&stat, FW_STAT_SEM, s, site);
    error = fw_posix_sem_is_shared_(s) ? fw_sem_shared_wait_(s, deadline)
                                       : fw_permits_wait_posix_(&s->state, deadline);
    fw_stat_end_(&stat, error);
    return error == 0 ? 0 : fail(error);
}

HOT int fw_posix_sem_wait_(sem_t *s)
{
    if (!fw_posix_may_be_cancelled_() && fw_posix_sem_take_(fw_posix_sem_(s)))
        return 0;
    return wait_slow(fw_posix_sem_(s), NULL, FW_SITE_);
}

FW_EXPORT(fw_posix_sem_wait_, sem_wait, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_sem_wait_, sem_wait, GLIBC_2_2_5);

static int wait_until(sem_t *s, clockid_t clock, const struct timespec *at, const void *site)
{
    const fw_deadline deadline = {*at, clock};

    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return fail(EINVAL);
    if (at->tv_nsec < 0 || at->tv_nsec >= 1000000000)
        return fail(EINVAL);
    if (!fw_posix_may_be_cancelled_() && fw_posix_sem_take_(fw_posix_sem_(s)))
        return 0;
    return wait_slow(fw_posix_sem_(s), &deadline, site);
}

int fw_posix_sem_timedwait_(sem_t *s, const struct timespec *at)
{
    return wait_until(s, CLOCK_REALTIME, at, FW_SITE_);
}

FW_EXPORT(fw_posix_sem_timedwait_, sem_timedwait, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_sem_timedwait_, sem_timedwait, GLIBC_2_2_5);

int fw_posix_sem_clockwait_(sem_t *s, clockid_t clock, const struct timespec *at)
{
    return wait_until(s, clock, at, FW_SITE_);
}

FW_EXPORT(fw_posix_sem_clockwait_, sem_clockwait, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_sem_clockwait_, sem_clockwait, GLIBC_2_30);

static COLD int post_slow(struct fw_posix_sem_ *s)
{
    bool added = fw_posix_sem_is_shared_(s) ? fw_sem_shared_post_(s)
                                            : fw_permits_post_(&s->state, 1, FW_SEM_VALUE_MAX_);

    return added ? 0 : fail(EOVERFLOW);
}

HOT int fw_posix_sem_post_(sem_t *s)
{
    if (fw_posix_sem_add_(fw_posix_sem_(s)))
        return 0;
    return post_slow(fw_posix_sem_(s));
}

FW_EXPORT(fw_posix_sem_post_, sem_post, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_sem_post_, sem_post, GLIBC_2_2_5);

/* In both formats the value is in the same bits. */
int fw_posix_sem_getvalue_(sem_t *s, int *value)
{
    *value = (int)fw_permits_value_(&fw_posix_sem_(s)->state);
    return 0;
}

FW_EXPORT(fw_posix_sem_getvalue_, sem_getvalue, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_sem_getvalue_, sem_getvalue, GLIBC_2_2_5);
