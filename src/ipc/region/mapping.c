/* SPDX-License-Identifier: MIT */
/*
 * Where this process has its regions.  Contract: place.h.
 *
 *   base   is_taken   meaning          left by
 *   0      0          empty            add: all fields, then base
 *   not 0  1          has a region     remove: base = 0, then is_taken = 0
 *
 *   MAP1  Who finds an address between base and base + size finds the other fields of that region:
 *         they are stored before base, and do not change until no operation is under way there.
 *   MAP2  The epoch changes after every change of a place: what a thread remembers is forgotten.
 *   MAP3  Who has looked at all places within one epoch has not put one region's base and another's
 *         size together.  A place changes its size only while its base is 0, which ends an epoch.
 */
#include "ipc/region/mapping.h"

#include <errno.h>

#include <furwock/bits/atomic.h>
#include <furwock/mutex.h>

#include "ipc/region/head.h"
#include "sys/thread.h"

struct fw_ipc_mapping_ fw_ipc_mappings_[FW_IPC_PLACES];

/* For those who change places: they do so one after the other. */
static fw_mutex changing = FW_MUTEX_INIT;

/* Ends the epoch.  Its number is new in this process, and in all that it was forked from. */
static uint64_t begin_epoch(void)
{
    static uint64_t last;
    uint64_t number = fw_add64_acq_rel(&last, 1) + 1;

    fw_store64_release((fw_word_ *)(uintptr_t)(fw_robust_life_ + FW_ROBUST_EPOCH_), number);
    return number;
}

uint64_t fw_ipc_epoch_(void)
{
    uint64_t now = fw_load64_acquire(fw_robust_life_ + FW_ROBUST_EPOCH_);

    return now != 0 ? now : begin_epoch();
}

static uintptr_t base_of(const struct fw_ipc_mapping_ *mapping)
{
    return (uintptr_t)fw_load64_acquire((const fw_word_ *)&mapping->base);
}

static void set_base(struct fw_ipc_mapping_ *mapping, uintptr_t base)
{
    fw_store64_release((fw_word_ *)&mapping->base, base);
    begin_epoch();
}

static const struct fw_ipc_mapping_ *find(uintptr_t object)
{
    for (unsigned i = 0; i < FW_IPC_PLACES; i++) {
        const struct fw_ipc_mapping_ *mapping = &fw_ipc_mappings_[i];
        uintptr_t base = base_of(mapping);
        size_t size = (size_t)fw_load64_acquire((const fw_word_ *)&mapping->size);
        if (base != 0 && object - base < size)
            return mapping;
    }
    return NULL;
}

const struct fw_ipc_mapping_ *fw_ipc_mapping_of_(const void *object)
{
    const struct fw_ipc_mapping_ *mapping;
    uint64_t epoch;

    /* MAP3 */
    do {
        epoch = fw_ipc_epoch_();
        mapping = find((uintptr_t)object);
    } while (epoch != fw_ipc_epoch_());
    return mapping;
}

/* In a forked child nobody changes places. */
static void begin_anew(void)
{
    fw_mutex_init(&changing);
}

/* No thread has had a line yet.  (Sixteen pages a place, used as far as there are lines.) */
static struct fw_ipc_own_line_ *no_lines_had(unsigned index, uint32_t n)
{
    static struct fw_ipc_own_line_ lines_had[FW_IPC_PLACES][FW_IPC_MEMBERS_MOST];

    for (uint32_t i = 0; i < n; i++)
        __atomic_store_n(&lines_had[index][i].thread, 0, __ATOMIC_RELAXED);
    return lines_had[index];
}

static void fill(struct fw_ipc_mapping_ *mapping, unsigned index, void *base,
                 const struct fw_ipc_plan_ *plan)
{
    fw_store64_relaxed((fw_word_ *)&mapping->size, plan->size);
    mapping->generation++;
    mapping->head = base;
    mapping->members = (struct fw_ipc_member_ *)(void *)((char *)base + plan->members_at);
    mapping->member_count = plan->member_count;
    mapping->lines_had = no_lines_had(index, plan->member_count);
    mapping->index = index;
    mapping->flags = plan->flags;
    mapping->is_taken = 1;
    set_base(mapping, (uintptr_t)base);
}

int fw_ipc_mapping_add_(void *base, const struct fw_ipc_plan_ *plan,
                        const struct fw_ipc_mapping_ **mapping)
{
    static uint32_t is_watching;
    struct fw_ipc_mapping_ *mine = NULL;
    int error = 0;

    fw_mutex_lock(&changing);
    if (!is_watching)
        fw_at_fork_(begin_anew);
    is_watching = 1;
    for (unsigned i = 0; i < FW_IPC_PLACES && error == 0; i++) {
        struct fw_ipc_mapping_ *p = &fw_ipc_mappings_[i];
        if (!p->is_taken)
            mine = mine == NULL ? p : mine;
        else if ((uintptr_t)base < p->base + p->size && p->base < (uintptr_t)base + plan->size)
            error = EBUSY;
    }
    if (error == 0 && mine == NULL)
        error = EMFILE;
    if (error == 0) {
        fill(mine, (unsigned)(mine - fw_ipc_mappings_), base, plan);
        *mapping = mine;
    }
    fw_mutex_unlock(&changing);
    return error;
}

void fw_ipc_mapping_remove_(const struct fw_ipc_mapping_ *mapping)
{
    struct fw_ipc_mapping_ *p = &fw_ipc_mappings_[mapping->index];

    fw_mutex_lock(&changing);
    set_base(p, 0);
    p->is_taken = 0;
    fw_mutex_unlock(&changing);
}
