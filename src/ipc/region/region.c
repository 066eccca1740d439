/* SPDX-License-Identifier: MIT */
/*
 * The regions of this process: opened, adopted, closed.  Contract: furwock/ipc/region.h.
 *
 *   uses  dormant  meaning                      left by
 *   0     no       a free handle                open, adopt: all fields, then uses = 1
 *   n     no       open, to be closed n times   open of the same file: n + 1; close: n - 1
 *   0     yes      closed for the last time     open of the same file: uses = 1;
 *                  while others had slots       any open or close that finds none: free
 *
 *   RGN1  `opening` is held while handles change.  A call on an open handle reads it without.
 *   RGN2  A region is at one address: to open its file again returns the handle that is there.
 *   RGN3  Memory that the kernel knows, since a living thread has a slot there, stays mapped; so
 *         does the mapping, and the threads' registration stays valid.  So opening and closing
 *         leaves nothing behind, however often.
 *   RGN4  A file that was opened by name is checked by its descriptor, before anything is read from
 *         it or written to it.  Its owner can then be changed by that user only, or root.
 *   RGN5  A stale file is not made a region again, since it is a living one to the processes that
 *         still have it: a new file takes its name.  Only the holder of the stale file's lock
 *         removes it, to renew it or by fw_region_remove, and only if the name is still its own;
 *         which process makes the new file is decided as ever (O_EXCL, join.c).
 */
#include <furwock/ipc/region.h>

#include <errno.h>
#include <stdbool.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>
#include <furwock/mutex.h>

#include "core/linkable.h"
#include "core/recheck.h"
#include "core/sleep.h"
#include "ipc/region/agent.h"
#include "ipc/region/join.h"
#include "ipc/region/participant.h"
#include "ipc/region/refuse.h"
#include "ipc/region/region.h"
#include "ipc/region/repairs.h"
#include "ipc/region/why.h"
#include "sys/clock.h"
#include "sys/fork.h"
#include "sys/region_file.h"

#define PERMISSIONS 0777u
#define PERMISSIONS_USUAL 0600u
#define MAKING ((unsigned)FW_REGION_CREATE | FW_REGION_EXCLUSIVE)

/* What is found after a renewal is of this boot: the second time is for what others do. */
enum { RENEWALS = 8 };

/* To forget a thread that has ended takes microseconds, or a time slice on a busy machine. */
#define GONE_WITHIN_NS UINT64_C(1000000000)

_Static_assert((int)FW_REGION_MAX_OPEN == (int)FW_RANGES, "a mapping for each handle");

static struct fw_region regions[FW_REGION_MAX_OPEN];
static fw_mutex opening = FW_MUTEX_INIT;

/* In a forked child nobody opens anything. */
static void begin_anew(void)
{
    fw_mutex_init(&opening);
}

static void lock_handles(void)
{
    static bool is_watching;

    fw_mutex_lock(&opening);
    if (!is_watching)
        fw_at_fork_(begin_anew);
    is_watching = true;
}

bool fw_region_is_open_(const struct fw_region *region)
{
    uintptr_t at = (uintptr_t)region - (uintptr_t)regions;

    return at < sizeof regions && at % sizeof *region == 0 && fw_load32_acquire(&region->uses) != 0;
}

static struct fw_region *free_handle(void)
{
    for (unsigned i = 0; i < FW_REGION_MAX_OPEN; i++)
        if (regions[i].uses == 0 && !regions[i].is_dormant)
            return &regions[i];
    return NULL;
}

static struct fw_region *handle_of(const struct fw_shm_about_ *about)
{
    for (unsigned i = 0; i < FW_REGION_MAX_OPEN; i++) {
        struct fw_region *r = &regions[i];
        if ((r->uses != 0 || r->is_dormant) && !r->is_adopted && r->device == about->device &&
            r->inode == about->inode)
            return r;
    }
    return NULL;
}

static bool is_taken(const void *memory, size_t size)
{
    for (unsigned i = 0; i < FW_REGION_MAX_OPEN; i++) {
        const struct fw_region *r = &regions[i];
        if (r->uses == 0 && !r->is_dormant)
            continue;
        if ((uintptr_t)memory - (uintptr_t)r->joined.base < r->joined.plan.size ||
            (uintptr_t)r->joined.base - (uintptr_t)memory < size)
            return true;
    }
    return false;
}

/*
 * Frees what is closed, if no other thread has a slot any more; the calling thread gives back its
 * own.  For the holder of `opening`.
 */
static void sweep(struct fw_region *r)
{
    if (!r->is_dormant || r->is_stuck)
        return;
    fw_ipc_agent_stop_(r->mapping);
    if (fw_ipc_has_other_participants_(r->mapping))
        return;
    r->is_stuck = !fw_ipc_leave_(r->mapping);
    if (r->is_stuck)
        return;
    fw_ipc_mapping_remove_(r->mapping);
    fw_shm_unmap_(r->joined.base, (size_t)r->joined.plan.size);
    r->is_dormant = false;
}

static void sweep_all(void)
{
    for (unsigned i = 0; i < FW_REGION_MAX_OPEN; i++)
        sweep(&regions[i]);
}

/* For the holder of `opening`. */
static int open_file(int fd, size_t size, unsigned flags, fw_region **region)
{
    struct fw_shm_about_ about = {0};
    int error = fw_shm_about_(fd, &about);
    struct fw_region *r = error == 0 ? handle_of(&about) : NULL;

    if (r != NULL) { /* RGN2 */
        if ((flags & FW_REGION_EXCLUSIVE) != 0)
            return EEXIST;
        if (r->joined.plan.size < size)
            return fw_region_fail_of_size_(r->joined.plan.size, size);
        r->is_dormant = false;
        fw_store32_release(&r->uses, r->uses + 1);
        *region = r;
        return 0;
    }
    sweep_all();
    r = free_handle();
    if (error == 0)
        error = r == NULL ? fw_region_fail_of_handles_()
                          : fw_ipc_join_file_(fd, size, flags, &r->joined);
    if (error != 0)
        return r == NULL ? error : fw_region_explain_(error, &r->joined.plan, size);
    error = fw_ipc_mapping_add_(r->joined.base, &r->joined.plan, &r->mapping);
    if (error != 0) {
        fw_shm_unmap_(r->joined.base, (size_t)r->joined.plan.size);
        return error;
    }
    r->is_adopted = r->is_stuck = false;
    r->device = about.device;
    r->inode = about.inode;
    r->owner = about.owner;
    fw_store32_release(&r->uses, 1);
    *region = r;
    return 0;
}

static int open_descriptor(int fd, size_t size, unsigned flags, fw_region **region)
{
    int error;

    lock_handles();
    error = open_file(fd, size, flags, region);
    fw_mutex_unlock(&opening);
    return error;
}

int fw_region_open_fd(int fd, size_t size, unsigned flags, fw_region **region)
{
    int error;

    fw_region_forget_();
    error = fw_region_check_call_(region, flags, 0);
    return error != 0 ? error : fw_region_ended_(open_descriptor(fd, size, flags, region));
}
FW_LINKABLE_(fw_region_open_fd);

/* The permissions that are asked for; those of a file that is there may be any: all. */
static unsigned permissions_of(unsigned flags)
{
    unsigned asked = flags & PERMISSIONS;

    if (asked == 0)
        asked = (flags & FW_REGION_CREATE) != 0 ? PERMISSIONS_USUAL : PERMISSIONS;
    return asked;
}

/* What is found under a name may have been put there by any user: RGN4. */
static int check_privacy(int fd, unsigned flags)
{
    struct fw_shm_about_ about = {0};
    int error = (flags & FW_REGION_SHARED) == 0 ? fw_shm_about_(fd, &about) : 0;

    if (error != 0 || (flags & FW_REGION_SHARED) != 0)
        return error;
    return fw_region_check_file_(&about, permissions_of(flags));
}

/* 0: *is_replaced, or *region is the region. */
static int open_name(const char *name, size_t size, unsigned flags, bool *is_replaced,
                     fw_region **region)
{
    bool is_making = (flags & FW_REGION_CREATE) != 0;
    int fd;
    int error =
        fw_shm_open_(name, is_making ? FW_SHM_MAKE_ : FW_SHM_WRITE_, permissions_of(flags), &fd);

    if (error != 0)
        return error;
    error = check_privacy(fd, flags);
    if (error == 0)
        error = open_descriptor(fd, size, flags, region);
    *is_replaced = error == ESTALE && (flags & FW_REGION_RENEW) != 0;
    if (*is_replaced)
        error = fw_shm_replace_(name, fd);
    fw_shm_close_(fd);
    return error;
}

int fw_region_open(const char *name, size_t size, unsigned flags, fw_region **region)
{
    bool is_replaced = true;
    int error = 0;

    fw_region_forget_();
    error = fw_region_check_call_(region, flags, FW_REGION_RENEW);
    if (error == 0)
        error = fw_region_check_name_(name);
    if (error == 0 && (flags & FW_REGION_CREATE) != 0)
        error = fw_region_check_size_(size);
    for (unsigned i = 0; i < RENEWALS && error == 0 && is_replaced; i++)
        error = open_name(name, size, flags, &is_replaced, region);
    if (error == 0 && is_replaced)
        error = fw_region_fail_(ETIMEDOUT, "others renew it all the time");
    return fw_region_ended_(error);
}
FW_LINKABLE_(fw_region_open);

/* For the holder of `opening`. */
static int adopt_memory(void *memory, size_t size, unsigned flags, struct fw_region *r)
{
    if (memory == NULL || (uintptr_t)memory % fw_shm_page_() != 0)
        return fw_region_fail_(EINVAL, "the memory does not begin on a page");
    if (fw_region_check_size_(size - size % FW_IPC_HEAD_SIZE) != 0)
        return EINVAL;
    return fw_region_explain_(fw_ipc_join_memory_(memory, size, flags, &r->joined), &r->joined.plan,
                              size);
}

int fw_region_adopt(void *memory, size_t size, unsigned flags, fw_region **region)
{
    struct fw_region *r;
    int error;

    fw_region_forget_();
    error = fw_region_check_call_(region, flags, 0);
    if (error != 0)
        return error;
    lock_handles();
    sweep_all();
    r = free_handle();
    if (r == NULL)
        error = fw_region_fail_of_handles_();
    else if (is_taken(memory, size))
        error = fw_region_fail_(EBUSY, "this process has a region that overlaps with it");
    else
        error = adopt_memory(memory, size, flags, r);
    if (error == 0)
        error = fw_ipc_mapping_add_(memory, &r->joined.plan, &r->mapping);
    if (error == 0) {
        r->is_adopted = true;
        fw_store32_release(&r->uses, 1);
        *region = r;
    }
    fw_mutex_unlock(&opening);
    return fw_region_ended_(error);
}
FW_LINKABLE_(fw_region_adopt);

/*
 * Does another thread have a slot?  One that has ended is known to the kernel for a moment after
 * its slot is marked, and after a join of it returns.
 */
static bool has_other_threads(const struct fw_region *r)
{
    const fw_deadline gone = fw_deadline_in_(CLOCK_MONOTONIC, GONE_WITHIN_NS);

    while (fw_ipc_has_other_participants_(r->mapping)) {
        if (!fw_ipc_others_seem_gone_(r->mapping) || fw_deadline_is_over_(&gone))
            return true;
        fw_sleep_for_(FW_RECHECK_ENDING_NS);
    }
    return false;
}

/* For the holder of `opening`. */
static int close_adopted(struct fw_region *r)
{
    bool has_left;

    fw_ipc_agent_stop_(r->mapping);
    if (has_other_threads(r))
        return EBUSY;
    has_left = fw_ipc_leave_(r->mapping);
    fw_ipc_forget_repairs_(r->mapping);
    fw_ipc_mapping_remove_(r->mapping);
    fw_store32_release(&r->uses, 0);
    return has_left ? 0 : EUCLEAN;
}

/* For the holder of `opening`. */
static int close_last(struct fw_region *r)
{
    if (r->is_adopted)
        return close_adopted(r);
    r->is_stuck = !fw_ipc_leave_(r->mapping);
    r->is_dormant = true; /* RGN3 */
    fw_ipc_forget_repairs_(r->mapping);
    fw_store32_release(&r->uses, 0);
    sweep_all();
    return 0;
}

int fw_region_close(fw_region *region)
{
    int error;

    lock_handles();
    if (!fw_region_is_open_(region)) {
        error = EINVAL;
    } else if (region->uses > 1) {
        fw_store32_relaxed(&region->uses, region->uses - 1);
        error = 0;
    } else {
        error = close_last(region);
    }
    fw_mutex_unlock(&opening);
    return error;
}

int fw_region_leave(fw_region *region)
{
    if (!fw_region_is_open_(region))
        return EINVAL;
    fw_ipc_leave_(region->mapping);
    return 0;
}

int fw_region_remove(const char *name)
{
    return name == NULL || !fw_shm_is_name_(name) ? EINVAL : fw_shm_remove_(name);
}

void *fw_region_base(const fw_region *region)
{
    return fw_region_is_open_(region) ? region->joined.base : NULL;
}

size_t fw_region_size(const fw_region *region)
{
    return fw_region_is_open_(region) ? (size_t)region->joined.plan.size : 0;
}

int fw_region_owner(const fw_region *region, uid_t *owner)
{
    if (!fw_region_is_open_(region) || owner == NULL)
        return EINVAL;
    if (region->is_adopted)
        return ENOTSUP;
    *owner = region->owner;
    return 0;
}
