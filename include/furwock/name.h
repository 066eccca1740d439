/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_NAME_H
#define FURWOCK_NAME_H

#include <stdint.h>

#include <furwock/bits/api.h>

FW_BEGIN_DECLS

/*
 * Names for locks, for those who look at them from outside: `furwock run --stat`, `--observe` and
 * `--check` show the name in place of the address.  Locks on the heap, and those in an array, have
 * no other name; of any kind, also the C library's.
 *
 * Rules
 *  - The name belongs to the address, until the program gives it another one or takes it away: do
 *    that before the lock's memory is used for something else.
 *  - There is room for FW_NAMES names, and of each for FW_NAME_SIZE - 1 bytes; it is copied.
 *  - A program that is linked with the archive names its locks for itself alone: furwock run sees
 *    what goes to the shared library.
 *
 * Safe in signal handlers; takes no lock and allocates nothing.  A forked child has the names.
 *
 * Example: the shards of a cache
 *
 *     struct shard {
 *         fw_mutex lock;
 *         int values[16];
 *     };
 *
 *     int begin_shard(struct shard *s, int number)
 *     {
 *         char name[FW_NAME_SIZE];
 *
 *         fw_mutex_init(&s->lock);
 *         snprintf(name, sizeof name, "cache %d", number);
 *         return fw_name(&s->lock, name);
 *     }
 *
 *     void end_shard(struct shard *s)
 *     {
 *         fw_name(&s->lock, NULL);
 *     }
 */
#define FW_NAMES 1024
#define FW_NAME_SIZE 40

/*
 * Names the lock, or with NULL takes its name away; what does not fit is cut off.  ENOSPC: no room
 * for another name; EINVAL: lock is NULL.
 */
FW_API int fw_name(const void *lock, const char *name);

/*
 * For tools that look into a process from outside: its table.  key: the address, 0 in an entry that
 * was never used; an empty text: the name was taken away.
 */
struct fw_name_entry_ {
    uint64_t key;
    char text[FW_NAME_SIZE];
};
FW_API extern struct fw_name_entry_ fw_names_[FW_NAMES];

FW_END_DECLS

#endif
