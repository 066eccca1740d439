/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_AWAIT_REGION_FIXTURE_H
#define FW_TEST_AWAIT_REGION_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <furwock/ipc.h>

#include "test/support/unit.h"

/*
 * Tests of operations on the locks of a region: each is run with each engine that works here, in a
 * region of its own, which children inherit.
 */
#define TASK(n) ((UINT32_C(1) << 22 | (n)) << 8 | 1)

extern fw_region *region;
extern fw_loop *loop;
extern fw_ipc_mutex *m;
extern fw_ipc_sem *s;
extern volatile uint64_t *shared; /* 8 words beside the locks */

/* An operation that counts its ends. */
struct asked {
    fw_await op;
    unsigned ends;
    int error; /* of the last one */
};

void ask_for(struct asked *a, fw_task task);

/* Asks for the mutex as TASK(task). */
int ask_for_mutex(struct asked *a, unsigned task);

/* Waits until another process has made one of the words other than 0. */
void await_word(volatile uint64_t *word);

/* In a process that holds something: says so, and returns when shared[1] is not 0. */
void stay_until_told(void);

/* Holds the mutex so; for start_holder. */
void hold_mutex(void *unused);

/* Starts a process that runs the body, and waits until that stays. */
pid_t start_holder(void (*body)(void *));

/* Runs the loop until *ends is n. */
void run_until(const unsigned *ends, unsigned n);

/* What was asked for with that answer times out, now or later. */
void assert_times_out(int error, struct asked *a);

/* Calls `body` once with each engine. */
void with_each_engine(void (*body)(void));

/* A test that is the body of this. */
#define EACH(name)              \
    static void name(void);     \
    TEST(each_##name)           \
    {                           \
        with_each_engine(name); \
    }                           \
    static void name(void)

/* For UNIT_MAIN, where deaths are seen at once. */
int need_robust(void);

/* A loop of that engine, for children that have a region already. */
fw_loop *new_loop(void);

#endif
