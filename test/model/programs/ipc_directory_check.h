/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_DIRECTORY_CHECK_H
#define MODEL_IPC_DIRECTORY_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "../engine/model.h"
#include "ipc/region/region.h"

/*
 * A directory, and what must hold of it.  It has names of one letter, "a" to "c".
 *
 * At each change: only the holder of the region's lock changes it.  An entry that can be found is
 * whole, never changes, and has a name that no other entry has.  Its object begins where the one
 * before ends, lies in the region, and holds what the maker's init has left there, or zeroes.
 * Memory that belongs to no object is written only below head->dirty_to, which never falls, and an
 * object is changed only by those who use it.
 *
 * What a call returns is what was true at some moment during it.
 *
 * At the end: no use is lost, and memory of no object is zeroes from dirty_to on.
 */
enum directory_init {
    INIT_NONE,
    INIT_STAMPS, /* stores the name in the first and in the last word */
    INIT_FAILS,  /* the same, and then returns ECANCELED */
    INIT_NESTS   /* the same, and makes another object meanwhile, which is refused */
};

struct directory_request {
    const char *name;
    fw_region_kind kind;
    unsigned size; /* in bytes; one word is 8 */
    unsigned flags;
    enum directory_init init;
};

/* For a program's setup: the region, a directory of `entries`, and `bytes` for objects. */
void directory_check_make(unsigned entries, unsigned bytes);
extern struct fw_region directory_region;

/* Around a thread's call; `error` and `object` are what it returned. */
void directory_check_begins(unsigned self, const struct directory_request *r);
void directory_check_returns(unsigned self, const struct directory_request *r, int error,
                             const void *object);

/* For an init: memory as it finds it. */
void directory_check_is_blank(unsigned self, const void *object, unsigned size);

/* The word of an object that counts its uses; the caller adds 1, and tells what was there. */
uint64_t *directory_check_uses(void *object);
void directory_check_used(const struct directory_request *r, uint64_t before);

/* For the hooks of these names. */
enum model_access directory_check_access(const void *p);
void directory_check_changed(unsigned thread, uint64_t addr, uint64_t before);
void directory_check_finished(void);

#endif
