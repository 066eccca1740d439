/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ATOMIC_CALLS_H
#define MODEL_ATOMIC_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "calls.h"
#include "word_lock.h"

/* The generic atomics' lock, their objects, and what a fork's child does. */
struct atomic_calls {
    int (*trylock)(fw_word_lock *l);
    void (*lock)(fw_word_lock *l);
    void (*unlock)(fw_word_lock *l);
    void (*load)(const void *object, void *out, size_t n, int order);
    void (*store)(void *object, const void *value, size_t n, int order);
    void (*exchange)(void *object, const void *value, void *out, size_t n, int order);
    bool (*compare_exchange)(void *object, void *expected, const void *value, size_t n, int order,
                             int failure);
    void (*child)(void);
};

#define atomic_in_use ((const struct atomic_calls *)calls_in_use[FAMILY_ATOMIC])

#endif
