/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WAITS_INTERN_H
#define FW_COMMAND_WAITS_INTERN_H

#include <stddef.h>
#include <stdint.h>

/* A set of things that are kept until the program ends, found by what they are. */
struct intern {
    void **all;      /* by their numbers */
    unsigned *table; /* numbers + 1, by hash; 0: free */
    unsigned count, size;
};

/* The one that is as `like`, or NULL: then intern_add is to be called with the new one. */
void *intern_find(const struct intern *set, uint64_t hash, const void *like,
                  int (*is_same)(const void *a, const void *b));

/* Returns its number.  hash_of: of all that are in it, when the table grows. */
unsigned intern_add(struct intern *set, void *thing, uint64_t (*hash_of)(const void *thing));

uint64_t intern_hash(uint64_t seed, const void *bytes, size_t size);
uint64_t intern_hash_text(uint64_t seed, const char *text); /* NULL is a text of its own */

/* The same text, kept; NULL of NULL. */
const char *intern_text(const char *text);

#endif
