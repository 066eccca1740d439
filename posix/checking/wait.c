/* SPDX-License-Identifier: MIT */
/*
 * What is looked at only where a thread is about to wait for a mutex or a read-write lock: whether
 * there is anybody to release it, and who of the two has the higher priority.
 */
#include <sched.h>

#include "lock.h"
#include "object.h"
#include "stat.h"
#include "sys/schedule.h"

/* A mutex with a protocol takes care of it. */
static bool has_protocol(enum fw_stat_what_ what, const void *object)
{
    const struct fw_posix_mutex_ *m = object;

    return what == FW_STAT_MUTEX && (m->kind & (FW_KIND_INHERIT | FW_KIND_PROTECT)) != 0;
}

/* 0: not a real-time thread; SCHED_DEADLINE is above all others. */
static int priority_of(uint32_t thread)
{
    int policy = 0, priority = 0;

    if (fw_scheduled_as_(thread, &policy, &priority) != 0)
        return 0;
    policy &= ~SCHED_RESET_ON_FORK;
    if (policy == SCHED_DEADLINE)
        return FW_URGENCY_DEADLINE;
    return policy == SCHED_FIFO || policy == SCHED_RR ? priority : 0;
}

static void see_priorities(const struct fw_check_thread_ *t, const void *object, const void *site)
{
    int own = priority_of(0);
    uint32_t owner = 0;
    const struct fw_check_held_ *h;

    if (own == 0)
        return;
    h = fw_check_holder_(object, &owner);
    if (h != NULL && owner != t->thread && priority_of(owner) < own)
        fw_check_report_one_(FW_CHECK_INVERSION, object, site, owner, h);
}

static void see_wait(enum fw_stat_what_ what, const void *object, const void *site)
{
    const struct fw_check_thread_ *t = fw_check_me_;
    struct fw_check_held_ h = {.object = object};
    uint32_t thread;

    if (t == NULL || t->is_busy || what == FW_STAT_COND || what == FW_STAT_BARRIER ||
        what == FW_STAT_SEM)
        return;
    if (fw_check_is_lost_(object, &thread, &h.site))
        fw_check_report_one_(FW_CHECK_LOST, object, site, thread, &h);
    else if (!has_protocol(what, object))
        see_priorities(t, object, site);
}

__attribute__((constructor)) static void begin(void)
{
    fw_stat_on_wait_ = see_wait;
}
