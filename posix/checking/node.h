/* SPDX-License-Identifier: MIT */
#ifndef FW_CHECKING_NODE_H
#define FW_CHECKING_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

/*
 * The nodes of the order graph.  A node is a lock or a class of locks:
 *
 *   key                      what                                       becomes
 *   -----------------------  -----------------------------------------  -----------------------
 *   address                  a lock in a program's data                 -
 *   call site | CLASS        all locks that were initialised there, or  split, once two of them
 *                            if they never were, first locked there     nest, or it is in a cycle
 *   address | INSTANCE       a lock of a class that was split           forgotten, once destroyed
 *
 * A lock's node number is kept in the lock where there is room: so a new lock at the address of an
 * old one begins without.  Number 0: none yet.
 *
 * Mark: node number * 2, + 1 if the lock is held or asked for by a reader.
 */
enum { FW_CHECK_NODES = 1 << 16 };

#define FW_CHECK_CLASS_ (UINT64_C(1) << 63)
#define FW_CHECK_INSTANCE_ (UINT64_C(1) << 62)
#define FW_CHECK_GONE_ UINT64_MAX /* an instance that was destroyed */

struct fw_check_node_ {
    uint64_t key;
    uint64_t made_at; /* a return address in the program */
    uint32_t out;     /* the first edge that leaves it, + 1; 0: none */
    uint32_t is_split;
    uint32_t is_written;     /* a read-write lock that has had a writer */
    uint32_t blocks_readers; /* a read-write lock that lets no reader pass a waiting writer */
    uint32_t is_left_by_fork;
    uint32_t unused;
};

extern struct fw_check_node_ fw_check_nodes_[FW_CHECK_NODES];

static inline struct fw_check_node_ *fw_check_node_of_(uint32_t mark)
{
    return &fw_check_nodes_[mark >> 1];
}

static inline bool fw_check_reads_(uint32_t mark)
{
    return (mark & 1) != 0;
}

/*
 * Where a lock keeps the number, if it has room: a lock that has the node of a class has.  Written
 * by the thread that holds it, or that is about to ask for it: all write the same.
 */
enum { FW_CHECK_NUMBER_AT = 8 };

static inline uint32_t *fw_check_number_(const void *object)
{
    return (uint32_t *)((uintptr_t)object + FW_CHECK_NUMBER_AT);
}

/* The node of a lock that was initialised at the site; 0: there is no room left. */
uint32_t fw_check_node_init_(const void *object, const void *site);

/*
 * The node of a lock, of which `known` is what the lock says (0: nothing).  Not that of a class
 * that was split, if it matters (`exact`).
 */
uint32_t fw_check_node_(const void *object, uint32_t known, const void *site, bool exact);

/* Where the key is looked for first; the entry 0 is not used. */
static inline uint64_t fw_check_node_hash_(uint64_t key)
{
    key = (key ^ key >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return key ^ key >> 32;
}

static inline uint32_t fw_check_node_index_(uint64_t hash)
{
    return (uint32_t)(hash % (FW_CHECK_NODES - 1)) + 1;
}

/* The node of a lock that is found by its address, if it has one; 0. */
uint32_t fw_check_node_seen_slow_(const void *object);

static inline uint32_t fw_check_node_seen_(const void *object)
{
    uint32_t at = fw_check_node_index_(fw_check_node_hash_((uintptr_t)object));

    return __builtin_expect(fw_load64_acquire(&fw_check_nodes_[at].key) == (uintptr_t)object, 1)
               ? at
               : fw_check_node_seen_slow_(object);
}

/* The same of a lock that has no room for a number: by its address alone. */
uint32_t fw_check_node_by_address_(const void *object, const void *site);

/* The instance of a split class, made if there is none; 0: no room. */
uint32_t fw_check_instance_(const void *object, const struct fw_check_node_ *of);

/* Does it lie in the data of the program or of a library? */
bool fw_check_is_variable_(const void *object);

/* The lock is destroyed: nobody at that address has this node again. */
void fw_check_forget_(const void *object);

/* The memory is freed: the same for all locks that were found in it by their addresses. */
void fw_check_forget_block_(const void *block, size_t size);

/* Is there any such lock outside of variables?  Else nothing need be forgotten. */
extern uint32_t fw_check_has_blocks_;

#endif
