/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_TABLE_H
#define FW_ATOMIC_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <furwock/ipc/atomic.h>

/*
 * What lies at the beginning of a region: a head, then the stripes, then the program's objects.
 * All positions in a region are offsets from its beginning: each process has it at an address of
 * its own.
 */
#define FW_TABLE_MAGIC_ UINT64_C(0x63696d6f74617766) /* "fwatomic" */
#define FW_TABLE_VERSION_ 1u                         /* of all that is described in this file */

/* The head.  All but the first two fields are written before the magic, and never after. */
struct fw_table_head_ {
    uint32_t making; /* a robust lock: whoever makes the table holds it */
    uint32_t unused;
    uint64_t magic; /* 0 until the table is made */
    uint32_t version;
    uint32_t instructions; /* bit 0: objects of 16 bytes are handled by instructions */
    uint64_t size;         /* of the region */
    uint64_t largest;
    uint32_t stripes;
    uint32_t stripe_size;
    uint64_t pid_namespace;
    uint64_t boot;
    uint64_t checksum; /* of the fields from version to boot */
};
_Static_assert(sizeof(struct fw_table_head_) <= FW_IPC_ATOMIC_HEAD_, "it fits");

/*
 * A stripe has the lock of the objects whose offsets hash to it.  Sequence: as in stripe.h.  The
 * log is for the thread that takes the lock from a dead one: guard.c has the states.
 */
struct fw_table_stripe_ {
    uint32_t lock;   /* robust_lock.h */
    uint32_t logged; /* the size of the object that is being written; 0: the log says nothing */
    uint64_t sequence;
    uint64_t offset;     /* of that object */
    unsigned char log[]; /* its new value */
};
_Static_assert(sizeof(struct fw_table_stripe_) == FW_IPC_ATOMIC_STRIPE_, "the public constant");
_Static_assert(FW_IPC_ATOMIC_STRIPES_ == 1 << 7, "seven bits of the hash");

/* For a `largest` that is in range. */
static inline size_t fw_table_stripe_size_(size_t largest)
{
    return (largest + sizeof(struct fw_table_stripe_) + 63) / 64 * 64;
}

/* Two shifts, so that no stride between objects is a bad one: as in stripe.h. */
static inline unsigned fw_table_index_(uint64_t offset)
{
    return (unsigned)((offset >> 3 ^ offset >> 12) * UINT64_C(0x9e3779b97f4a7c15) >> 57);
}

static inline struct fw_table_stripe_ *fw_table_stripe_(char *base, size_t stripe_size,
                                                        unsigned index)
{
    return (struct fw_table_stripe_ *)(void *)(base + FW_IPC_ATOMIC_HEAD_ + index * stripe_size);
}

#endif
