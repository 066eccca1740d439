/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_STAT_FILE_H
#define FW_PRELOAD_STAT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "check_file.h"

/*
 * What the library that counts writes, and `furwock run --stat` reads: a file for each process,
 * PID.N in the directory that FURWOCK_STAT names (N: how many programs that process was before, by
 * exec), mapped shared, so that the figures outlive a process that is killed.  Beside it lies
 * PID.N.maps: copies of /proc/PID/maps, the latest one last, made whenever a place in the program
 * turned up that no earlier copy covers.
 *
 * The file has a fixed size, and nothing in it moves: tables with open addressing, an entry found
 * by its key, and claimed by a compare-and-swap of that key (0 -> key) for good.  Entry 0 of a
 * table stands for all that found no place in it.  Counters only grow, by atomic additions; whoever
 * reads while the process runs gets figures that may not fit together, each of them true at some
 * moment.
 *
 * A thread writes its wait into its own entry, and adds it to the tables when it comes to wait
 * again: there it has time, and not while it holds what it has just got.  So the last wait of each
 * thread is in no table; the reader adds it.  A wait that has begun and not ended is there as well.
 */
#define FW_STAT_MAGIC UINT64_C(0x3230746174737766) /* "fwstat02" in a hex dump */

enum {
    FW_STAT_LOCKS = 1024,
    FW_STAT_SITES = 4096,
    FW_STAT_HOLDERS = 2048,
    FW_STAT_CHAINS = 1024,
    FW_STAT_THREADS = 1024,
    FW_STAT_BUCKETS = 128,
    FW_STAT_FRAMES = 12,
    FW_STAT_NAME = 64
};

/* A chain of calls is taken at one wait in this many of a thread, and at the first for a lock. */
enum { FW_STAT_CHAIN_EVERY = 64 };

/* Which object, and how it is waited for: its address, and enum fw_stat_what_ + 1 above. */
enum { FW_STAT_WHAT_SHIFT = 56 };

static inline uint64_t fw_stat_key_(const void *object, unsigned what)
{
    uint64_t address = (uint64_t)(uintptr_t)object & ((UINT64_C(1) << FW_STAT_WHAT_SHIFT) - 1);

    return address | (uint64_t)(what + 1) << FW_STAT_WHAT_SHIFT;
}

struct fw_stat_lock_ {
    uint64_t key;
    int32_t kind;    /* of a mutex: posix/object.h */
    uint32_t thread; /* that came first */
    uint64_t waits;
    uint64_t failed; /* of these: did not get it, or were not woken in time */
    uint64_t ns;
    uint64_t longest;
    uint64_t unused[2];
    uint32_t histogram[FW_STAT_BUCKETS];
};

/* Where a thread waits, and where the holder took the lock. */
struct fw_stat_site_ {
    uint64_t key;    /* a hash of the three */
    uint64_t waiter; /* return addresses; 0: not known */
    uint64_t holder;
    uint64_t lock; /* index in the table */
    uint64_t waits;
    uint64_t ns;
};

struct fw_stat_holder_ {
    uint64_t key; /* index of the lock << 32, thread */
    uint64_t waits;
    uint64_t ns;
};

/* How one got to a place where one waits, innermost call first. */
struct fw_stat_chain_ {
    uint64_t key; /* a hash of the others */
    uint64_t lock;
    uint64_t samples;
    uint64_t depth;
    uint64_t frames[FW_STAT_FRAMES];
};

/* CLOCK_MONOTONIC nanoseconds; ended 0: not yet; key 0: none. */
struct fw_stat_wait_ {
    uint64_t key;
    uint64_t waiter;
    uint64_t holder_site;
    uint32_t holder; /* thread, 0: not known */
    int32_t result;
    int32_t kind; /* as in fw_stat_lock_ */
    uint32_t unused;
    uint64_t began;
    uint64_t ended;
};

struct fw_stat_thread_ {
    uint64_t key; /* its id */
    char name[16];
    uint64_t waits;
    uint64_t ns;
    struct fw_stat_wait_ wait; /* the latest one */
    uint64_t unused[4];
};

/* A lock's name (furwock/name.h); an empty text: none any more.  As src/core/names.h has it. */
struct fw_stat_name_ {
    uint64_t key;
    char text[40];
};

enum { FW_STAT_NAMES = 1024 };

struct fw_stat_head_ {
    uint64_t magic; /* written last */
    uint64_t size;
    uint32_t process;
    uint32_t parent;
    uint64_t began; /* CLOCK_MONOTONIC nanoseconds */
    char program[FW_STAT_NAME];
    uint32_t number; /* of the file: PROCESS.NUMBER */
    uint32_t unused_number;
    uint64_t unused[3];
};

struct fw_stat_file_ {
    struct fw_stat_head_ head;
    struct fw_stat_thread_ threads[FW_STAT_THREADS];
    struct fw_stat_lock_ locks[FW_STAT_LOCKS];
    struct fw_stat_site_ sites[FW_STAT_SITES];
    struct fw_stat_holder_ holders[FW_STAT_HOLDERS];
    struct fw_stat_chain_ chains[FW_STAT_CHAINS];
    struct fw_stat_name_ names[FW_STAT_NAMES];
    struct fw_check_ check; /* of the library that checks; else nothing is ever written there */
};

_Static_assert(sizeof(struct fw_stat_head_) == 128, "two lines");
_Static_assert(sizeof(struct fw_stat_thread_) == 128, "two lines, of which others write none");
_Static_assert(sizeof(struct fw_stat_lock_) == 576, "nine lines");

/*
 * The histogram of waiting times: bucket 0 is below 64 ns; then each power of 2 has four, up to
 * 2^37 ns, over two minutes; the last one has what is longer.  No bucket is wider than a quarter of
 * what is in it.
 */
enum { FW_STAT_LOW_BIT = 6, FW_STAT_HIGH_BIT = 37 };

static inline unsigned fw_stat_bucket_(uint64_t ns)
{
    unsigned top;

    if (ns >> FW_STAT_LOW_BIT == 0)
        return 0;
    top = 63u - (unsigned)__builtin_clzll(ns);
    if (top >= FW_STAT_HIGH_BIT)
        return FW_STAT_BUCKETS - 1;
    return (top - FW_STAT_LOW_BIT) * 4 + (unsigned)(ns >> (top - 2) & 3) + 1;
}

/* The least time that is in the bucket. */
static inline uint64_t fw_stat_least_(unsigned bucket)
{
    unsigned top = FW_STAT_LOW_BIT + (bucket - 1) / 4;

    if (bucket == 0)
        return 0;
    if (bucket == FW_STAT_BUCKETS - 1)
        return UINT64_C(1) << FW_STAT_HIGH_BIT;
    return (UINT64_C(4) + (bucket - 1) % 4) << (top - 2);
}

_Static_assert((FW_STAT_HIGH_BIT - FW_STAT_LOW_BIT) * 4 + 1 < FW_STAT_BUCKETS, "room for all");

#endif
