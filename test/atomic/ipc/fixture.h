/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_IPC_FIXTURE_H
#define FW_TEST_ATOMIC_IPC_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "processes.h"

/*
 * What the tests of atomic objects between processes share: a region in memory without a name,
 * mapped anew wherever it is wanted, and processes that work on it.
 */
struct mapping {
    int fd;
    size_t size;  /* of the region */
    size_t space; /* of its table: objects from there on */
    char *base;   /* where this process has it */
};

/* Makes the region, all zeroes, and maps it; table: makes and joins that as well. */
struct mapping mapping_open(size_t objects, size_t largest);
struct mapping mapping_new(size_t objects, size_t largest);

/* Another mapping of the same region, at another address; not joined. */
struct mapping mapping_again(const struct mapping *g);

/* In a child: leaves what it inherited and unmaps it, and joins the region somewhere else. */
void mapping_move(struct mapping *g);

/* Leaves (where it is joined) and unmaps; and closes. */
void mapping_close(struct mapping *g);

/* The object at this offset behind the table. */
static inline void *at(const struct mapping *g, size_t offset)
{
    return g->base + g->space + offset;
}

/* The library's functions for objects of any size, of which compilers know only some forms. */
void any_load(size_t n, const void *object, void *out, int order) __asm__("__atomic_load");
void any_store(size_t n, void *object, const void *value, int order) __asm__("__atomic_store");
void any_exchange(size_t n, void *object, const void *value, void *out,
                  int order) __asm__("__atomic_exchange");
bool any_compare_exchange(size_t n, void *object, void *expected, const void *value, int order,
                          int failure) __asm__("__atomic_compare_exchange");

/* Fills an object: byte i is byte i % 8 of the word. */
void stamp(void *object, size_t n, uint64_t word);

/* The word of such bytes; fails if they are torn. */
uint64_t read_stamp(const void *bytes, size_t n);

/* The same for an atomic object. */
void store_stamp(void *object, size_t n, uint64_t word);
uint64_t load_stamp(const void *object, size_t n);
uint64_t exchange_stamp(void *object, size_t n, uint64_t word);

/* True, or *expected is what was there. */
bool change_stamp(void *object, size_t n, uint64_t *expected, uint64_t word);

/* The largest object of the tests. */
enum { MOST_BYTES = 512 };

#endif
