/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_SUBJECT_H
#define FW_ATOMIC_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/adapters/libatomics.h"
#include "test/stress/stress.h"

/*
 * What the stress programs for generic atomics share: whom they hunt, and how.
 *
 * The mode of a program is a list of words, separated by commas:
 *   furwock (the default), libatomic     a library that libatomics_open knows
 *   any name in broken.c                 made here; broken in one way, and must be caught
 *   pinned                               thread i stays on the i-th CPU
 *   signals                              a timer interrupts each thread all the time
 *   anything else                        is for the program itself: see subject_has
 *
 * What is wrong is fatal in furwock, the purpose in a broken library, and a remark in the system's.
 */

/* Opens what the mode names.  Exits with 77 where that is not there, with 2 where it is nothing. */
void subject_begin(int argc, char **argv, const char *const *words);

extern const struct libatomics *subject;

/* Is this word in the mode? */
bool subject_has(const char *word);

/* Something that cannot be.  Aborts, or counts. */
void subject_caught(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The time has passed, or a broken library has been caught. */
bool subject_is_over(void);

/* What each thread calls first: pins it and starts its signals, where the mode says so. */
void subject_thread(const struct worker *me);

/* The program itself goes wrong on purpose. */
void subject_must_be_caught(void);

/* The exit status: a broken library has to have been caught. */
int subject_end(void);

/* --- Values --------------------------------------------------------------------------------- */

enum { LARGEST = 4096, VALUES = 256 };

/* The bytes of a value count up from it: `tag(v)` is where those of v begin, for any size. */
extern unsigned char subject_ramp[VALUES + LARGEST];

static inline const void *tag(unsigned v)
{
    return &subject_ramp[v % VALUES];
}

/* Which value these bytes are; -1 where they are of several. */
int tag_of(const void *bytes, size_t n);

/* --- Broken libraries ------------------------------------------------------------------------ */

/* NULL: no such name.  "sound" is not broken: what the others are made of. */
const struct libatomics *broken_open(const char *name);

#endif
