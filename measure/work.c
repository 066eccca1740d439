/* SPDX-License-Identifier: MIT */
#include "clock.h"

/*
 * One step is a multiplication and an addition that depend on the step before: some four cycles
 * on any CPU of today, in registers only, and nothing that a compiler can shorten.
 */
enum {
    CALIBRATION_STEPS = 200000, /* a fraction of a millisecond: shorter than a time slice */
    CALIBRATION_TRIES = 25      /* the fastest counts: the others were disturbed */
};

static double steps_per_ns;

void work_do(uint64_t steps)
{
    uint64_t x = steps;

    for (; steps != 0; steps--) {
        x = x * 6364136223846793005u + 1442695040888963407u; /* Knuth's linear congruence */
        __asm__ volatile("" : "+r"(x));
    }
}

double work_calibrate(void)
{
    double rate;

    __atomic_load(&steps_per_ns, &rate, __ATOMIC_RELAXED);
    if (rate > 0)
        return rate;

    uint64_t best = UINT64_MAX;
    for (int i = 0; i < CALIBRATION_TRIES; i++) {
        uint64_t began = clock_ns();
        work_do(CALIBRATION_STEPS);
        uint64_t took = clock_ns() - began;
        if (took < best)
            best = took;
    }
    work_set_rate((double)CALIBRATION_STEPS / (double)(best > 0 ? best : 1));
    return work_calibrate();
}

void work_set_rate(double rate)
{
    __atomic_store(&steps_per_ns, &rate, __ATOMIC_RELAXED);
}

uint64_t work_steps(double ns)
{
    return ns > 0 ? (uint64_t)(ns * work_calibrate() + 0.5) : 0;
}

void work_ns(uint64_t ns)
{
    work_do(work_steps((double)ns));
}
