/* SPDX-License-Identifier: MIT */
#ifndef FW_FAKE_PERCPU_H
#define FW_FAKE_PERCPU_H

#include <stdint.h>

/*
 * The fake kernel's CPUs, for locks that count on them.  fake_reset() of fake.h leaves these
 * alone; the fence is fake.h's, with its hook, result and count.
 */
struct fake_percpu {
    uint32_t cpus;     /* that there are */
    uint32_t allowed;  /* of them: what fw_cpus_allowed_ answers */
    uint32_t counters; /* what fw_percpu_count_ answers; 0: the kernel does not help */
    uint32_t here;     /* the CPU on which the caller runs */
    unsigned aborts;   /* how many of the next additions are aborted */
    unsigned busy;     /* how many of the next fences find no memory */
    unsigned adds;     /* additions that were complete */
};

extern struct fake_percpu fake_percpu;

#endif
