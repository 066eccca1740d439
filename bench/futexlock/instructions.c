/* SPDX-License-Identifier: MIT */
#include "futexlock.h"
#include "measure/clock.h"

enum {
    STEP = 2, /* a subtraction and a jump back, as gcc and clang compile the loop */
    TRIAL = 100000,
    TRIALS = 200 /* the fastest counts: the others were disturbed */
};

/* One function, so that a step takes as long inside the lock as outside. */
__attribute__((noinline, aligned(64))) void instructions_do(uint64_t n)
{
    for (uint64_t steps = n / STEP; steps != 0; steps--)
        __asm__ volatile("" : "+r"(steps));
}

static double measured(void)
{
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < TRIALS; i++) {
        uint64_t began = clock_ns();
        instructions_do(TRIAL);
        uint64_t took = clock_ns() - began;
        if (took < best)
            best = took;
    }
    return (double)best / TRIAL / BILLION;
}

double instructions_seconds(void)
{
    static double seconds;

    if (seconds == 0)
        seconds = measured();
    return seconds;
}
