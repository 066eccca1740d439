/* SPDX-License-Identifier: MIT */
/*
 * The system calls of futexes with priority inheritance.  Contract: sys/futex_pi.h.
 */
#include "sys/futex_pi.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

#include "sys/back_off.h"
#include "sys/clock.h"

/* Linux 5.14; younger than many sets of kernel headers. */
enum { LOCK_PI2 = 13 };

#define NS_PER_S 1000000000L

static int call(uint32_t *word, int op, unsigned flags, const struct timespec *at)
{
    int whose = flags == FW_FUTEX_SHARED ? 0 : FUTEX_PRIVATE_FLAG;

    return (int)fw_system_call_(SYS_futex, (long)(intptr_t)word, op | whose, 0, (long)(intptr_t)at,
                                0, 0);
}

/* The same point in time as another clock has it now. */
static struct timespec on_clock(clockid_t clock, const fw_deadline *d)
{
    struct timespec here, there, result;

    fw_clock_get_(d->clock, &here);
    fw_clock_get_(clock, &there);
    result.tv_sec = d->at.tv_sec - here.tv_sec + there.tv_sec;
    result.tv_nsec = d->at.tv_nsec - here.tv_nsec + there.tv_nsec;
    for (; result.tv_nsec < 0; result.tv_nsec += NS_PER_S)
        result.tv_sec--;
    for (; result.tv_nsec >= NS_PER_S; result.tv_nsec -= NS_PER_S)
        result.tv_sec++;
    if (result.tv_sec < 0) /* passed; what the kernel refuses would be another error */
        result = (struct timespec){0, 0};
    return result;
}

static bool has_passed(const fw_deadline *d)
{
    struct timespec now;

    fw_clock_get_(d->clock, &now);
    return !fw_time_is_before_(&now, &d->at);
}

/* The older call has one clock, that of the day, which somebody may set meanwhile. */
static int lock_by_day(uint32_t *word, unsigned flags, const fw_deadline *d)
{
    struct timespec at;
    int error;

    do {
        at = on_clock(CLOCK_REALTIME, d);
        error = call(word, FUTEX_LOCK_PI, flags, &at);
    } while (error == -ETIMEDOUT && !has_passed(d));
    return error;
}

static int lock_once(uint32_t *word, unsigned flags, const fw_deadline *d)
{
    int error;

    if (d == NULL || d->clock == CLOCK_REALTIME)
        return call(word, FUTEX_LOCK_PI, flags, d != NULL ? &d->at : NULL);
    error = call(word, LOCK_PI2, flags, &d->at);
    return error == -ENOSYS ? lock_by_day(word, flags, d) : error;
}

int fw_futex_lock_pi_(uint32_t *word, unsigned flags, const fw_deadline *deadline)
{
    int error;

    while ((error = lock_once(word, flags, deadline)) == -EAGAIN || error == -EINTR ||
           error == -ENOMEM)
        if (error == -ENOMEM)
            fw_back_off_();
    return error;
}

int fw_futex_trylock_pi_(uint32_t *word, unsigned flags)
{
    int error = call(word, FUTEX_TRYLOCK_PI, flags, NULL);

    return error == -EAGAIN || error == -EDEADLK || error == -ENOMEM ? -EBUSY : error;
}

int fw_futex_unlock_pi_(uint32_t *word, unsigned flags)
{
    int error;

    do
        error = call(word, FUTEX_UNLOCK_PI, flags, NULL);
    while (error == -EAGAIN || error == -EINTR);
    return error;
}
