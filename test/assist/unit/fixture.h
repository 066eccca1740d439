/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ASSIST_UNIT_FIXTURE_H
#define FW_TEST_ASSIST_UNIT_FIXTURE_H

#include "bpf/running/loader.h"
#include "test/assist/namespace.h"
#include <stdio.h>

enum { STRANGERS_ID = 65534 }; /* a user and group that own nothing */

/* Milliseconds, for what the page will say by and by. */
enum { FIXTURE_DEADLINE_MS = 60000 };

/* Into a /run of the test's own (namespace.h); skips the test if there can be no assist here. */
void fixture_enter(void);

/* Starts the assist there; the test fails where that does. */
void fixture_start(fw_assist_readers readers, uint32_t registration);
void fixture_stop(void);

/* Can a process become a participant in that way here? */
int fixture_knows(uint32_t registration);

/* The calling process becomes a participant. */
void fixture_ring(const struct fw_assist_page *page);

/* The entry of a thread in the caller's pid namespace; 0: it has none. */
uint64_t fixture_entry(const struct fw_assist_page *page, int tid);

/*
 * Waits until the thread has an entry with that state.  0: it never had.  One look shows nothing: a
 * kernel may leave out a switch (some do not report those from idle threads), and the entry is
 * right again after the next.
 */
int fixture_see(const struct fw_assist_page *page, int tid, uint64_t state);

/*
 * Runs it in a child that is `user` and in no other groups, and waits for it.  Answers what the
 * function does, or 100 + the signal that ended it.
 */
int fixture_in_child(int (*run)(void), unsigned user);

/*
 * Runs it as the first process of a new pid namespace, whose /proc it has, and waits for it.
 * Returns 0 if the function does.
 */
int fixture_in_new_namespace(int (*run)(void));

/* The calling thread and those that it makes stay on one CPU from now on. */
void fixture_share_one_cpu(void);

/* For what runs in a child: it answers 1, and says why, where the condition does not hold. */
#define EXPECT(condition)                                                   \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            return 1;                                                       \
        }                                                                   \
    } while (0)

#endif
