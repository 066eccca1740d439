/* SPDX-License-Identifier: MIT */
/*
 * fw_sem.  Contract: furwock/sem.h.  The states, and what happens in them: permits.c.  Reasons,
 * proofs and figures: doc/design/sem.md.
 *
 * Origin: the semaphore of Franke, Russell and Kirkwood (OLS 2002, section 3).
 */
#include <errno.h>
#include <stddef.h>

/* This file has the linkable copy of the inline functions. */
#define FW_INLINE FW_API

#include <furwock/sem.h>

#include "thread/any_source.h"
#include "thread/permits.h"
#include "thread/permits_word.h"

_Static_assert(sizeof(fw_sem) == 24, "the public promise");
_Static_assert(offsetof(fw_sem, state_) == 0 && offsetof(fw_sem, guess_) == PERMITS_GUESS_AT &&
                   offsetof(fw_sem, spin_) == PERMITS_SPIN_AT,
               "permits.h wants them there");
_Static_assert(FW_SEM_MAX == PERMITS_VALUE_MAX, "the value half has room for every value");
_Static_assert(PERMITS_RESERVED > FW_SEM_MAX && PERMITS_WAITER > FW_SEM_MAX,
               "a word up to FW_SEM_MAX, which is what a guess can be, says that nobody waits");

int fw_sem_init(fw_sem *s, uint32_t value, uint32_t max)
{
    if (max == 0 || max > FW_SEM_MAX || value > max)
        return EINVAL;
    *s = (fw_sem){.limit_ = FW_SEM_MAX ^ max, .guess_ = value};
    fw_store64_relaxed(&s->state_, value);
    return 0;
}

int fw_sem_trywait_slow_(fw_sem *s)
{
    return fw_permits_take_(&s->state_) ? 0 : EAGAIN;
}

void fw_sem_wait_slow_(fw_sem *s)
{
    fw_permits_wait_(&s->state_, NULL,
                     NULL); /* cannot fail: no deadline, and the default is valid */
}

int fw_sem_post_slow_(fw_sem *s, uint32_t n)
{
    return fw_permits_post_(&s->state_, n, FW_SEM_MAX ^ s->limit_) ? 0 : EOVERFLOW;
}

int fw_sem_timedwait(fw_sem *s, const fw_deadline *deadline)
{
    return fw_sem_wait_policy(s, NULL, deadline);
}

int fw_sem_wait_policy(fw_sem *s, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    return fw_sem_take_(s) ? 0 : fw_permits_wait_(&s->state_, policy, deadline);
}

int fw_sem_post_n(fw_sem *s, uint32_t n)
{
    return fw_sem_post_slow_(s, n);
}

uint32_t fw_sem_value(const fw_sem *s)
{
    return fw_permits_value_(&s->state_);
}

static bool any_try(struct fw_any_registration_ *p)
{
    return fw_permits_any_try_(&((fw_sem *)p->object)->state_, p);
}

static bool any_prepare(struct fw_any_registration_ *p, fw_futex_any *sleep)
{
    return fw_permits_any_prepare_(&((fw_sem *)p->object)->state_, p, sleep);
}

static void any_leave(struct fw_any_registration_ *p)
{
    fw_permits_any_leave_(&((fw_sem *)p->object)->state_, p);
}

const struct fw_any_source_ fw_sem_source_ = {any_try, any_prepare, any_leave};
