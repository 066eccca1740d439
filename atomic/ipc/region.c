/* SPDX-License-Identifier: MIT */
/*
 * The regions that this process has joined.  Contract: region.h.
 *
 *   generation   is_reserved   meaning                 left by
 *   even         0             empty                   reserve
 *   even         1             about to be joined      publish (-> odd), cancel
 *   odd          1             joined                  remove (-> even)
 */
#include "region.h"

#include <errno.h>
#include <pthread.h>

#include "sys/origin.h"
#include "sys/panic.h"
#include "sys/thread.h"
#include "word_lock.h"

struct fw_region_slot_ fw_region_slots_[FW_IPC_ATOMIC_REGIONS];
uint32_t fw_region_slots_used_;

/* For those who change slots: they do so one after the other. */
static fw_word_lock changing = FW_WORD_LOCK_INIT;

/* Of all regions: each was refused that is of another. */
static uint64_t pid_namespace;
static bool is_foreign;

static bool is_joined(const struct fw_region_slot_ *slot)
{
    return (fw_load64_relaxed(&slot->generation) & 1) != 0;
}

static bool overlaps(const struct fw_region_slot_ *slot, uint64_t base, uint64_t size)
{
    return slot->is_reserved && base < slot->base + slot->size && slot->base < base + size;
}

/* In a forked child: no other thread is here, and nobody changes slots. */
static void after_fork(void)
{
    bool has_regions = false;
    uint64_t here;

    fw_store32_relaxed(&changing.word, 0);
    for (unsigned i = 0; i < FW_IPC_ATOMIC_REGIONS; i++) {
        struct fw_region_slot_ *slot = &fw_region_slots_[i];
        slot->is_reserved = is_joined(slot);
        has_regions |= is_joined(slot);
    }
    if (!has_regions)
        return;
    here = fw_pid_namespace_();
    if (here == pid_namespace || here == 0) /* 0: without /proc, as after chroot: the same, then */
        return;
    is_foreign = true;
    for (unsigned i = 0; i < FW_IPC_ATOMIC_REGIONS; i++)
        fw_store64_relaxed(&fw_region_slots_[i].largest, 0);
}

FW_CONSTRUCTOR static void watch_forks(void)
{
    int error = pthread_atfork(NULL, NULL, after_fork);

    if (error != 0)
        fw_panic_errno_("pthread_atfork", error);
}

bool fw_region_is_foreign_(void)
{
    return is_foreign;
}

int fw_region_reserve_(void *base, size_t size, uint64_t here, unsigned *slot)
{
    int error = EMFILE;

    fw_word_lock_lock_(&changing);
    for (unsigned i = 0; i < FW_IPC_ATOMIC_REGIONS; i++) {
        if (overlaps(&fw_region_slots_[i], (uintptr_t)base, size)) {
            error = EBUSY;
            break;
        }
        if (!fw_region_slots_[i].is_reserved && error == EMFILE) {
            *slot = i;
            error = 0;
        }
    }
    if (error == 0) {
        struct fw_region_slot_ *mine = &fw_region_slots_[*slot];
        mine->is_reserved = 1;
        fw_store64_relaxed(&mine->base, (uintptr_t)base);
        fw_store64_relaxed(&mine->size, size);
        pid_namespace = here;
    }
    fw_word_lock_unlock_(&changing);
    return error;
}

void fw_region_publish_(unsigned slot, size_t largest, size_t stripe_size)
{
    struct fw_region_slot_ *mine = &fw_region_slots_[slot];

    fw_word_lock_lock_(&changing);
    fw_store64_relaxed(&mine->largest, largest);
    fw_store64_relaxed(&mine->stripe_size, stripe_size);
    fw_store64_release(&mine->generation, mine->generation + 1);
    if (slot >= fw_region_slots_used_)
        fw_store32_release(&fw_region_slots_used_, slot + 1);
    fw_word_lock_unlock_(&changing);
}

void fw_region_cancel_(unsigned slot)
{
    fw_word_lock_lock_(&changing);
    fw_region_slots_[slot].is_reserved = 0;
    fw_word_lock_unlock_(&changing);
}

int fw_region_remove_(const void *base)
{
    int error = ENOENT;

    fw_word_lock_lock_(&changing);
    for (unsigned i = 0; i < FW_IPC_ATOMIC_REGIONS; i++) {
        struct fw_region_slot_ *slot = &fw_region_slots_[i];
        if (is_joined(slot) && slot->base == (uintptr_t)base) {
            fw_store64_relaxed(&slot->generation, slot->generation + 1);
            fw_fence_release(); /* whoever sees the next region's fields sees that this one ended */
            slot->is_reserved = 0;
            error = 0;
            break;
        }
    }
    fw_word_lock_unlock_(&changing);
    return error;
}
