/* SPDX-License-Identifier: MIT */
/*
 * The regions that this process has joined.  Contract: region.h.  The table: ipc/region/ranges.h.
 */
#include "region.h"

#include <errno.h>

#include "sys/fork.h"
#include "sys/origin.h"
#include "word_lock.h"

struct fw_ranges_ fw_region_ranges_;

_Static_assert((int)FW_RANGES == (int)FW_IPC_ATOMIC_REGIONS, "the public constant");

/* For threads that change the table: they do so one after the other. */
static fw_word_lock changing = FW_WORD_LOCK_INIT;

/* Of all regions: one of another namespace is refused. */
static uint64_t pid_namespace;
static bool is_foreign;

/* In a forked child: no other thread is here, and nobody changes the table. */
static void after_fork(void)
{
    unsigned count = fw_ranges_after_fork_(&fw_region_ranges_);
    uint64_t here;

    fw_store32_relaxed(&changing.word, 0);
    if (count == 0)
        return;
    here = fw_pid_namespace_();
    if (here == pid_namespace || here == 0) /* 0: without /proc, as after chroot: the same, then */
        return;
    is_foreign = true;
    for (unsigned i = 0; i < FW_RANGES; i++)
        fw_store64_relaxed(&fw_region_ranges_.slots[i].value[FW_REGION_LARGEST_], 0);
}

FW_CONSTRUCTOR static void watch_forks(void)
{
    fw_at_fork_(after_fork);
}

bool fw_region_is_foreign_(void)
{
    return is_foreign;
}

int fw_region_reserve_(void *base, size_t size, uint64_t here, uint32_t *slot)
{
    int error;

    fw_word_lock_lock_(&changing);
    error = fw_range_reserve_(&fw_region_ranges_, base, size, slot);
    if (error == 0)
        pid_namespace = here;
    fw_word_lock_unlock_(&changing);
    return error;
}

void fw_region_publish_(uint32_t slot, size_t largest, size_t stripe_size)
{
    fw_word_lock_lock_(&changing);
    fw_range_publish_(&fw_region_ranges_, slot, largest, stripe_size);
    fw_word_lock_unlock_(&changing);
}

void fw_region_cancel_(uint32_t slot)
{
    fw_word_lock_lock_(&changing);
    fw_range_cancel_(&fw_region_ranges_, slot);
    fw_word_lock_unlock_(&changing);
}

int fw_region_remove_(const void *base)
{
    uint32_t slot;

    fw_word_lock_lock_(&changing);
    slot = fw_range_at_(&fw_region_ranges_, base);
    if (slot != FW_RANGES)
        fw_range_remove_(&fw_region_ranges_, slot);
    fw_word_lock_unlock_(&changing);
    return slot != FW_RANGES ? 0 : ENOENT;
}
