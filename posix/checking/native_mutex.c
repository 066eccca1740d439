/* SPDX-License-Identifier: MIT */
/*
 * fw_mutex and fw_cond of the library that checks.  The fast path of lock is compiled into callers,
 * except for those that are compiled with FURWOCK_CALLED: of the others only calls that find the
 * mutex held come here (fw_mutex_lock_slow_).  All unlock it by a call.
 */
#include "lock.h"
#include "native.h"
#include "sys/clock.h"

static struct fw_check_target_ target_of(fw_mutex *m, bool reads)
{
    return (struct fw_check_target_){.object = m, .reads = reads};
}

static uint32_t owner_of(const fw_mutex *m)
{
    return fw_check_native_owner_(FW_NATIVE_(fw_mutex_is_held_by_me)(m), fw_mutex_owner(m));
}

static void checked_fw_mutex_init(fw_mutex *m)
{
    fw_check_native_made_(m, FW_SITE_);
    FW_NATIVE_(fw_mutex_init)(m);
}
FW_CHECKED_(fw_mutex_init);

static void lock_slow(fw_mutex *m, const void *site)
{
    struct fw_check_target_ target = target_of(m, false);
    const struct fw_check_thread_ *t = fw_check_me_;
    bool was_taken_inline = (t == NULL || t->count == 0) && FW_NATIVE_(fw_mutex_is_held_by_me)(m);
    bool counts = !was_taken_inline && fw_check_native_enter_(&target, site);

    if (was_taken_inline)
        fw_check_report_one_(FW_CHECK_RELOCK, m, site, 0, NULL);
    fw_stat_native_mutex_lock_(m, site);
    if (!counts)
        fw_check_got_(&target, site);
}

static void checked_fw_mutex_lock_slow(fw_mutex *m)
{
    if (fw_check_native_looks_(FW_SITE_))
        lock_slow(m, FW_SITE_);
    else
        fw_stat_native_mutex_lock_(m, FW_SITE_);
}
FW_EXPORT_NATIVE_ABI(checked_fw_mutex_lock_slow, fw_mutex_lock_slow);

static void checked_fw_mutex_lock(fw_mutex *m)
{
    struct fw_check_target_ target = target_of(m, false);
    const void *site = FW_SITE_;
    bool counts;

    if (!fw_check_native_looks_(site)) {
        if (FW_NATIVE_(fw_mutex_trylock)(m) != 0)
            fw_stat_native_mutex_lock_(m, site);
        return;
    }
    counts = fw_check_native_enter_(&target, site);
    if (FW_NATIVE_(fw_mutex_trylock)(m) != 0)
        fw_stat_native_mutex_lock_(m, site);
    if (!counts)
        fw_check_got_(&target, site);
}
FW_CHECKED_(fw_mutex_lock);

static int checked_fw_mutex_timedlock(fw_mutex *m, const fw_deadline *deadline)
{
    struct fw_check_target_ target = target_of(m, false);
    const void *site = FW_SITE_;
    bool looks = fw_check_native_looks_(site);
    int error;

    if (looks)
        fw_check_before_(&target, FW_CHECK_TRIES, site);
    error = fw_stat_native_mutex_timedlock_(m, deadline, site);
    if (looks && error == 0)
        fw_check_got_(&target, site);
    return error;
}
FW_CHECKED_(fw_mutex_timedlock);

FW_CHECKED_TRY(fw_mutex_trylock, fw_mutex, target_of, false);
FW_CHECKED_POLICY(fw_mutex_lock_policy, fw_mutex, target_of, false);
FW_CHECKED_UNLOCK(fw_mutex_unlock, fw_mutex, owner_of);
FW_CHECKED_UNLOCK(fw_mutex_unlock_fair, fw_mutex, owner_of);

/* --- Condition variables ---------------------------------------------------------------------- */

struct wait {
    struct fw_check_target_ mutex;
    const void *site;
    uint64_t began_ns; /* 0: it does not matter */
    bool was_held;
};

/* Without the mutex the library ends the program, once this is reported. */
static struct wait wait_begin(fw_mutex *m, const void *site)
{
    struct wait w = {.mutex = target_of(m, false), .site = site};
    struct fw_check_thread_ *t = fw_check_native_looks_(site) ? fw_check_thread_here_() : NULL;
    struct fw_check_held_ *h = t != NULL ? fw_check_find_(t, m) : NULL;

    if (t != NULL && h == NULL && !FW_NATIVE_(fw_mutex_is_held_by_me)(m))
        fw_check_report_one_(FW_CHECK_UNHELD, m, site, 0, NULL);
    if (h == NULL)
        return w;
    w.was_held = true;
    fw_check_drop_(t, h);
    if (t->count != 0 && fw_check_hold_ns_ != 0)
        w.began_ns = fw_clock_ns_();
    if (t->count != 0) /* it is taken again while these are held */
        fw_check_before_(&w.mutex, FW_CHECK_WAITS, site);
    return w;
}

static void wait_end(const struct wait *w)
{
    if (w->began_ns != 0)
        fw_check_blocked_(w->began_ns, w->site);
    if (w->was_held)
        fw_check_got_(&w->mutex, w->site);
}

static void checked_fw_cond_wait(fw_cond *c, fw_mutex *m)
{
    struct wait w = wait_begin(m, FW_SITE_);

    fw_stat_native_cond_wait_(c, m, w.site);
    wait_end(&w);
}
FW_CHECKED_(fw_cond_wait);

static int checked_fw_cond_timedwait(fw_cond *c, fw_mutex *m, const fw_deadline *deadline)
{
    struct wait w = wait_begin(m, FW_SITE_);
    int error = fw_stat_native_cond_timedwait_(c, m, deadline, w.site);

    wait_end(&w);
    return error;
}
FW_CHECKED_(fw_cond_timedwait);

static int checked_fw_cond_wait_policy(fw_cond *c, fw_mutex *m, const fw_wait_policy *policy,
                                       const fw_deadline *deadline)
{
    struct wait w = wait_begin(m, FW_SITE_);
    int error = FW_NATIVE_(fw_cond_wait_policy)(c, m, policy, deadline);

    wait_end(&w);
    return error;
}
FW_CHECKED_(fw_cond_wait_policy);
