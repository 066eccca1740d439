/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IPC_REGION_USERS_H
#define FW_TEST_IPC_REGION_USERS_H

#include <stdint.h>

/*
 * What the users of a region do while somebody writes over it: every kind of call, always with a
 * deadline where there is one.  They look at no result, except what they need to go on.
 */
enum { REGION_SIZE = 1 << 18 };

/* What users and the test have in common, outside of the region. */
struct play {
    int fd; /* of the region */
    uint32_t must_end;
    uint64_t calls; /* all together */
    uint64_t seed;
    uint32_t doing[16]; /* what each is about, for a hang */
    uint64_t until[16]; /* each one's deadline, ns; 0: in no call that has one */
};

/* Makes all objects. */
void play_prepare(struct play *play);

/* Goes on until must_end. */
void play_on(struct play *play, unsigned who);

#endif
