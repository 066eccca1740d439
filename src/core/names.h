/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_NAMES_H
#define FW_CORE_NAMES_H

#include <errno.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>
#include <furwock/name.h>

/*
 * A table of names by address (struct fw_name_entry_), with open addressing.  An entry is claimed
 * by a compare-and-swap of its key (0 -> address), for good: whoever names that address again finds
 * it.  A reader that comes meanwhile may see a part of a text; it ends in any case.
 */
static inline struct fw_name_entry_ *fw_names_find_(struct fw_name_entry_ *table, uint64_t key)
{
    uint64_t start = (key ^ key >> 17) * UINT64_C(0x9e3779b97f4a7c15) >> 32;

    for (unsigned i = 0; i < FW_NAMES; i++) {
        struct fw_name_entry_ *e = &table[(start + i) % FW_NAMES];
        uint64_t there = fw_load64_relaxed(&e->key);

        if (there == 0 && fw_cas64_acquire(&e->key, &there, key)) /* free -> key */
            return e;
        if (there == key)
            return e;
    }
    return (struct fw_name_entry_ *)0;
}

/* The contract of fw_name. */
static inline int fw_names_set_(struct fw_name_entry_ *table, const void *lock, const char *name)
{
    struct fw_name_entry_ *e;
    unsigned i = 0;

    if (lock == (const void *)0)
        return EINVAL;
    e = fw_names_find_(table, (uint64_t)(uintptr_t)lock);
    if (e == (struct fw_name_entry_ *)0)
        return ENOSPC;
    for (; name != (const char *)0 && name[i] != '\0' && i < FW_NAME_SIZE - 1; i++)
        e->text[i] = name[i];
    e->text[i] = '\0';
    return 0;
}

#endif
