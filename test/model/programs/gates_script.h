/* SPDX-License-Identifier: MIT */
#ifndef MODEL_GATES_SCRIPT_H
#define MODEL_GATES_SCRIPT_H

#include "../engine/model.h"

/*
 * The scripts of the barrier's, the latch's and the once's programs: for each thread a list of
 * words, which the program's file explains; 0 ends a list.
 */
#define GATES_MAX_WORDS 8u

struct gates_script {
    const char *threads[MODEL_MAX_THREADS];
    uint64_t initial; /* the object's word, or what it is made with */
};

extern unsigned gates_words[MODEL_MAX_THREADS][GATES_MAX_WORDS];

/* Reads the scripts of all threads; names begins with a name for the end. */
void gates_script_read(const struct gates_script *script, const char *const *names, unsigned n);

#define GATES_SCRIPT(...)          \
    &(const struct gates_script)   \
    {                              \
        .threads = { __VA_ARGS__ } \
    }
#define GATES_SCRIPT_FROM(word, ...)                \
    &(const struct gates_script)                    \
    {                                               \
        .threads = {__VA_ARGS__}, .initial = (word) \
    }

#endif
