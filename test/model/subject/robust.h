/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ROBUST_H
#define MODEL_ROBUST_H

#include <stdint.h>

#include "subject.h"
#include "sys/robust.h"

/* A model thread is a process of its own, too. */
#define SUBJECT_FIRST_PROCESS 11u

/* But in programs that say in their setup, after region_make, that all threads are of one. */
extern _Bool subject_is_one_process;

/* What the kernel finds in a dead thread's robust list: a word in it, and a pending one; or 0. */
void subject_robust_words(unsigned thread, uint64_t *listed, uint64_t *pending);

/* Is this where the running thread announces a word? */
bool subject_is_announcement(const void *at);

/* For threads whose word is in their list from the start; called by the thread. */
void subject_robust_begin(uint32_t *word);

#endif
