/* SPDX-License-Identifier: MIT */
/* fw_brlock of the library that checks: no call of it is compiled into callers. */
#include <furwock/brlock.h>

#include "lock.h"
#include "native.h"

static struct fw_check_target_ target_of(fw_brlock *l, bool reads)
{
    return (struct fw_check_target_){.object = l, .reads = reads, .blocks_readers = true};
}

static uint32_t readers_of(const fw_brlock *l)
{
    (void)l;
    return FW_CHECK_UNKNOWN;
}

static uint32_t writer_of(const fw_brlock *l)
{
    return fw_check_native_owner_(FW_NATIVE_(fw_brlock_is_held_by_me)(l),
                                  FW_NATIVE_(fw_brlock_owner)(l));
}

static int checked_fw_brlock_init(fw_brlock *l)
{
    fw_check_native_made_(l, FW_SITE_);
    return FW_NATIVE_(fw_brlock_init)(l);
}
FW_CHECKED_(fw_brlock_init);
FW_EXPORT_NATIVE_ABI(checked_fw_brlock_init, fw_brlock_init);

static bool is_held(const fw_brlock *l)
{
    uint32_t thread;

    return fw_check_holder_(l, &thread) != NULL;
}

static void checked_fw_brlock_destroy(fw_brlock *l)
{
    if (fw_check_native_looks_(FW_SITE_))
        fw_check_destroyed_(l, is_held(l), FW_SITE_);
    FW_NATIVE_(fw_brlock_destroy)(l);
}
FW_CHECKED_(fw_brlock_destroy);

static int checked_fw_brlock_trydestroy(fw_brlock *l)
{
    int error = FW_NATIVE_(fw_brlock_trydestroy)(l);

    if (error == 0)
        fw_check_forget_(l);
    return error;
}
FW_CHECKED_(fw_brlock_trydestroy);

FW_CHECKED_TRY(fw_brlock_tryrdlock, fw_brlock, target_of, true);
FW_CHECKED_LOCK(fw_brlock_rdlock, fw_brlock, target_of, true);
FW_CHECKED_TIMED(fw_brlock_timedrdlock, fw_brlock, target_of, true);
FW_CHECKED_POLICY(fw_brlock_rdlock_policy, fw_brlock, target_of, true);
FW_CHECKED_UNLOCK(fw_brlock_rdunlock, fw_brlock, readers_of);
FW_CHECKED_TRY(fw_brlock_trywrlock, fw_brlock, target_of, false);
FW_CHECKED_LOCK(fw_brlock_wrlock, fw_brlock, target_of, false);
FW_CHECKED_TIMED(fw_brlock_timedwrlock, fw_brlock, target_of, false);
FW_CHECKED_POLICY(fw_brlock_wrlock_policy, fw_brlock, target_of, false);
FW_CHECKED_UNLOCK(fw_brlock_wrunlock, fw_brlock, writer_of);
