/* SPDX-License-Identifier: MIT */
#ifndef MODEL_STORE_H
#define MODEL_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"
#include "perform.h"

/*
 * All states that were seen.  A state is cut into parts: what the threads share, the objects in
 * memory, and each thread with the live part of its stack.  Equal parts are kept once and have a
 * number; a state is the tuple of its parts' numbers.  Parts are compared byte by byte and states
 * number by number: no two states are taken for the same because their hashes agree.
 */
#define STORE_PARTS (2u + MODEL_MAX_THREADS)

struct store_state {
    uint32_t part[STORE_PARTS];
    uint32_t parent; /* the state from which it was first reached */
    struct model_choice choice;
};

extern struct store_state *store_states;
extern uint32_t store_count;

#define STORE_NONE UINT32_MAX

void store_reset(void);

/*
 * Putting a state in is two halves, so that what is to be looked at can be on its way from memory
 * while other steps are made: store_note() takes note of the present state, store_put() answers its
 * number.  *is_new tells whether it was seen for the first time.
 */
struct store_note {
    uint32_t part[STORE_PARTS];
    uint64_t hash;
};

/* `made` is the step that was made, as a hint. */
void store_note(struct store_note *note, struct model_choice made);

/* Some time between the two, for a search in memory that is far away. */
void store_fetch(const struct store_note *note);

uint32_t store_put(const struct store_note *note, uint32_t parent, struct model_choice choice,
                   bool *is_new);

/* Makes a stored state the present one. */
void store_load(uint32_t state);

/* A step was made and is not noted: what is present is not what was loaded. */
void store_forget(void);

/* For --stats. */
uint32_t store_part_count(void);
uint64_t store_bytes(void);

#endif
