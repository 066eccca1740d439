/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ATOMIC_CHECK_H
#define MODEL_ATOMIC_CHECK_H

#include <stdint.h>

#include "atomic_script.h"
#include "stripe.h"

/*
 * The objects of the programs for the generic atomics, and what must hold of them.
 *
 * Versions: the values that x or y have had, in their order; the first one is 0.  SEEN: what a
 * thread has seen of y or of the plain word in the end, plus one.
 */
enum atomic_shadow { INSIDE, IS_CHILD, NEWEST_X, NEWEST_Y, SEEN, VERSIONS_X = 8, VERSIONS_Y = 14 };
#define MAX_VERSIONS 6u

#define MAX_SIZE 32u

/* An object that is guarded by a stripe. */
struct atomic_object {
    unsigned char *object;
    struct fw_stripe_ *stripe;
    enum atomic_shadow newest, versions;
};

extern struct atomic_object atomic_x, atomic_y;
extern uint64_t *atomic_flag; /* a word that compilers handle */
extern uint32_t *atomic_opened;
extern unsigned atomic_size; /* of x and y */

void atomic_check_setup(const struct atomic_script *script);

/*
 * Which of the versions is this, in the thread's hands?  Not one that was out of date when the call
 * began, which found `since` as the newest one.
 */
uint64_t atomic_check_version(unsigned self, const struct atomic_object *p,
                              const unsigned char *bytes, uint64_t since);

#endif
