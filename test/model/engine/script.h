/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ENGINE_SCRIPT_H
#define MODEL_ENGINE_SCRIPT_H

#include "model.h"

/*
 * What the threads of a program do, as text: for each thread a list of words, which the program's
 * file explains, and a bar between two threads: "lock unlock | try-lock unlock".  A file declares
 * its words once,
 *
 *     SCRIPT_WORDS(LOCK, TRY_LOCK, UNLOCK);
 *
 * and names them in its hooks (.words = word_names).  For each word of a thread its hook `act` is
 * called.  Files without words read the text of a thread themselves.
 */
#define SCRIPT_MAX_WORDS 24u
#define SCRIPT_MAX_TEXT 120u
#define SCRIPT_WORDS(...)                  \
    enum word { END, __VA_ARGS__, WORDS }; \
    static const char word_names[] = #__VA_ARGS__

/* Of each thread; END, which is 0, ends a list. */
extern unsigned script_words[MODEL_MAX_THREADS][SCRIPT_MAX_WORDS];
extern char script_text[MODEL_MAX_THREADS][SCRIPT_MAX_TEXT];

/* Reads the script of model_program; how many threads it has. */
unsigned script_read(void);

/* Does what the script says. */
void script_run(unsigned self);

#endif
