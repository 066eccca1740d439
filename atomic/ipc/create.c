/* SPDX-License-Identifier: MIT */
/*
 * To make a region's table, join it and leave it.  Contract: furwock/ipc/atomic.h.
 *
 *   making    magic    meaning                          left by
 *   0         0        nothing was done                 create: takes `making`
 *   id        0        being made                       its maker: the magic, last of all
 *   DIED      0        its maker died                   create: takes `making`, starts over
 *   any       magic    made                             nobody
 *
 * A table is made only of zeroes, and of what a maker that died has left.  A maker writes to the
 * head only, in any order except for the magic; the stripes are as they were.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <furwock/ipc/atomic.h>

#include "atomic_pair.h"
#include "region.h"
#include "robust_lock.h"
#include "sys/origin.h"
#include "table.h"

/* How long a maker may take: a hundred re-check intervals, five seconds. */
#define PATIENCE_RECHECKS 100u

/* Linux has ids of up to 22 bits. */
#define MOST_THREADS (1u << 22)

/* In `instructions`. */
#define PAIRS_BY_INSTRUCTIONS 1u

static bool is_range_valid(const void *base, size_t size)
{
    return base != NULL && (uintptr_t)base % FW_IPC_ATOMIC_ALIGNMENT == 0 &&
           size <= UINTPTR_MAX - (uintptr_t)base;
}

static uint32_t instructions_here(void)
{
    return fw_pair_is_here_() ? PAIRS_BY_INSTRUCTIONS : 0;
}

static uint64_t checksum_of(const struct fw_table_head_ *head)
{
    size_t begin = offsetof(struct fw_table_head_, version);

    return fw_hash_(FW_HASH_START_, (const char *)head + begin,
                    (unsigned)(offsetof(struct fw_table_head_, checksum) - begin));
}

/* Is this the head of a table, and one that this process can work with? */
static int check_head(const struct fw_table_head_ *head)
{
    uint64_t magic = fw_load64_acquire(&head->magic);

    if (magic == 0)
        return ENOENT;
    if (magic == __builtin_bswap64(FW_TABLE_MAGIC_))
        return EPROTO;
    if (magic != FW_TABLE_MAGIC_)
        return EUCLEAN;
    if (head->version != FW_TABLE_VERSION_)
        return EPROTO;
    if (head->checksum != checksum_of(head) || head->largest == 0 ||
        head->largest > FW_IPC_ATOMIC_LARGEST || head->stripes != FW_IPC_ATOMIC_STRIPES_ ||
        head->stripe_size != fw_table_stripe_size_(head->largest) ||
        head->size < fw_ipc_atomic_space(head->largest))
        return EUCLEAN;
    return 0;
}

static int check_origin(const struct fw_table_head_ *head, uint64_t pid_namespace)
{
    uint64_t boot = fw_boot_();

    if (head->boot != 0 && boot != 0 && head->boot != boot)
        return ESTALE;
    if (head->pid_namespace != pid_namespace)
        return EXDEV;
    return head->instructions != instructions_here() ? ENODEV : 0;
}

static bool is_blank(const char *from, const char *to)
{
    while (from != to)
        if (*from++ != 0)
            return false;
    return true;
}

/* May there be nothing yet, or what makers have left?  `making` is not held: a snapshot. */
static bool is_perhaps_begun(const struct fw_table_head_ *head, size_t largest)
{
    const char *base = (const char *)head;

    return (fw_load32_relaxed(&head->making) & FW_ROBUST_OWNER) <= MOST_THREADS &&
           head->unused == 0 && is_blank(base + sizeof *head, base + fw_ipc_atomic_space(largest));
}

/* The same for the holder of `making`; is_left: from a maker that died. */
static bool is_begun(const struct fw_table_head_ *head, size_t largest, bool is_left)
{
    if (!is_perhaps_begun(head, largest))
        return false;
    if (!is_left)
        return is_blank((const char *)&head->version, (const char *)(head + 1));
    return (head->version == 0 || head->version == FW_TABLE_VERSION_) &&
           head->instructions <= PAIRS_BY_INSTRUCTIONS && head->largest <= FW_IPC_ATOMIC_LARGEST &&
           (head->stripes == 0 || head->stripes == FW_IPC_ATOMIC_STRIPES_);
}

/* For the holder of `making`, if there is no table. */
static void make_table(struct fw_table_head_ *head, size_t size, size_t largest,
                       uint64_t pid_namespace)
{
    char *base = (char *)head;

    /* So that it has its storage now, and not within an operation. */
    memset(base + sizeof *head, 0, fw_ipc_atomic_space(largest) - sizeof *head);
    head->version = FW_TABLE_VERSION_; /* F:ipc-atomic-magic-first */
    head->instructions = instructions_here();
    head->size = size;
    head->largest = largest;
    head->stripes = FW_IPC_ATOMIC_STRIPES_;
    head->stripe_size = (uint32_t)fw_table_stripe_size_(largest);
    head->pid_namespace = pid_namespace;
    head->boot = fw_boot_();
    head->checksum = checksum_of(head);                /* F:ipc-atomic-checksum-late */
    fw_store64_release(&head->magic, FW_TABLE_MAGIC_); /* F:ipc-atomic-unpublished */
}

static int make_or_find(struct fw_table_head_ *head, size_t size, size_t largest,
                        uint64_t pid_namespace)
{
    enum fw_robust_how_ how;
    struct fw_robust_ robust;
    bool is_data = !is_perhaps_begun(head, largest);
    int error = check_head(head); /* after the snapshot: the stripes of a table may be anything */

    if (error != ENOENT)
        return error == 0 || error == EPROTO ? EEXIST : error;
    if (is_data)
        return EUCLEAN;
    how = fw_robust_lock_(&head->making, &robust, PATIENCE_RECHECKS); /* F:ipc-atomic-makers */
    if (how == FW_ROBUST_LATE_)
        return ETIMEDOUT;
    error = fw_load64_relaxed(&head->magic) != 0 ? EEXIST : 0; /* F:ipc-atomic-made-twice */
    /* F:ipc-atomic-left-refused */
    if (error == 0 && !is_begun(head, largest, how == FW_ROBUST_LEFT_))
        error = EUCLEAN;
    if (error == 0)
        make_table(head, size, largest, pid_namespace);
    fw_robust_unlock_(&head->making, &robust); /* F:ipc-atomic-keeps-making */
    return error;
}

size_t fw_ipc_atomic_space(size_t largest)
{
    return largest == 0 || largest > FW_IPC_ATOMIC_LARGEST ? 0 : FW_IPC_ATOMIC_SPACE(largest);
}

int fw_ipc_atomic_create(void *base, size_t size, size_t largest)
{
    struct fw_table_head_ *head = (struct fw_table_head_ *)base;
    uint64_t pid_namespace = fw_pid_namespace_();
    uint32_t slot;
    int error;

    if (!is_range_valid(base, size) || fw_ipc_atomic_space(largest) == 0)
        return EINVAL;
    if (size < fw_ipc_atomic_space(largest))
        return ENOSPC;
    if (pid_namespace == 0)
        return ENOTSUP;
    error = fw_region_reserve_(base, size, pid_namespace, &slot);
    if (error != 0)
        return error;
    error = make_or_find(head, size, largest, pid_namespace);
    if (error == 0)
        fw_region_publish_(slot, largest, fw_table_stripe_size_(largest));
    else
        fw_region_cancel_(slot);
    return error;
}

int fw_ipc_atomic_join(void *base, size_t size)
{
    const struct fw_table_head_ *head = (const struct fw_table_head_ *)base;
    uint64_t pid_namespace = fw_pid_namespace_();
    uint32_t slot;
    int error;

    if (!is_range_valid(base, size) || size < sizeof *head)
        return EINVAL;
    if (pid_namespace == 0)
        return ENOTSUP;
    error = fw_region_reserve_(base, size, pid_namespace, &slot);
    if (error != 0)
        return error;
    error = check_head(head);
    if (error == 0)
        error = check_origin(head, pid_namespace);
    if (error == 0 && head->size != size)
        error = EINVAL;
    if (error == 0)
        fw_region_publish_(slot, head->largest, head->stripe_size);
    else
        fw_region_cancel_(slot);
    return error;
}

int fw_ipc_atomic_leave(void *base)
{
    return fw_region_remove_(base);
}
