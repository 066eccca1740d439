/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SCRIPT_H
#define MODEL_SCRIPT_H

#include <furwock/bits/deadline.h>
#include <furwock/wait.h>

#include "../engine/model.h"

/*
 * What the threads of a program do, as text: for each thread a list of words, which the program's
 * file explains.  A file declares its words once,
 *
 *     SCRIPT_WORDS(LOCK, TRY_LOCK, UNLOCK);
 *
 * and a script says "try-lock unlock".
 */
#define SCRIPT_MAX_WORDS 24u
#define SCRIPT_WORDS(...)                  \
    enum word { END, __VA_ARGS__, WORDS }; \
    static const char word_names[] = #__VA_ARGS__

struct script {
    const char *threads[MODEL_MAX_THREADS];
    uint64_t initial; /* the object's word, or what it is made with */
};

/* Of each thread; END, which is 0, ends a list. */
extern unsigned script_words[MODEL_MAX_THREADS][SCRIPT_MAX_WORDS];

/* Reads the scripts of all threads; `word_names` are those of SCRIPT_WORDS. */
void script_read(const char *const *threads, const char *word_names);

/* How the words wait. */
extern const fw_wait_policy script_blocking, script_spinning;

/* What comes with one tick of the clock; with two, or with one sleep that ends with it. */
extern const fw_deadline script_soon, script_deadline, script_deadline_real;

#define SCRIPT_OF(...)             \
    &(const struct script)         \
    {                              \
        .threads = { __VA_ARGS__ } \
    }
#define SCRIPT_FROM(word, ...)                      \
    &(const struct script)                          \
    {                                               \
        .threads = {__VA_ARGS__}, .initial = (word) \
    }

#endif
