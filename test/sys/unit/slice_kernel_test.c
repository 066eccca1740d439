/* SPDX-License-Identifier: MIT */
/*
 * Longer time slices, from the real kernel: sys/slice.h.
 *
 * Newer kernels grant nothing to a thread whose C library has registered only the first 32 bytes of
 * struct rseq (glibc before 2.41).  So the program starts itself again with a C library that does
 * not register (a tunable), and registers an area of its own, as large as the kernel wants it.
 *
 * Two threads on one CPU: one holds a "lock" for some microseconds, over and over; the other wakes
 * up every now and then, and wants the CPU.  Passes if the kernel has let the holder finish at
 * least once, and nothing has killed it.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sys/slice.h"
#include "test/support/now.h"

enum { SKIPPED = 77, AUX_RSEQ_FEATURE_SIZE = 27, AREA = 256, LEAST = 32, KERNELS_ENOTSUPP = 524 };
#define SIGNATURE 0x53053053
#define RUN_NS UINT64_C(3000000000)
#define SECTION_NS UINT64_C(4000)
#define RECHECK_NS 50000
#define TUNABLE "glibc.pthread.rseq=0"

static _Alignas(AREA) unsigned char area[AREA];
static atomic_bool is_over;

static volatile struct fw_slice_control_ *control(void)
{
    return (volatile struct fw_slice_control_ *)(area + FW_SLICE_OFFSET);
}

static int skip(const char *why, int error)
{
    printf("skipped: %s: %s\n", why, strerror(error));
    return SKIPPED;
}

static void *disturb(void *unused)
{
    const struct timespec pause = {.tv_nsec = RECHECK_NS};

    (void)unused;
    while (!atomic_load(&is_over))
        nanosleep(&pause, NULL);
    return NULL;
}

static void stay_on_one_cpu(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((unsigned)sched_getcpu(), &set);
    sched_setaffinity(0, sizeof set, &set);
}

static int hold_and_release(void)
{
    static struct fw_slice_ slice;
    uint64_t end = now_ns() + RUN_NS;
    unsigned sections = 0, granted = 0, in_time = 0, lost = 0;

    for (; now_ns() < end; sections++) {
        uint64_t out = now_ns() + SECTION_NS;

        fw_slice_ask_in_(&slice, control(), &slice);
        while (now_ns() < out)
            ;
        lost += control()->request == 0 && control()->granted == 0 ? 1 : 0;
        if (!fw_slice_done_in_(&slice, control(), &slice))
            continue;
        granted++;
        in_time += fw_slice_yield_() == 1 ? 1 : 0;
        if (control()->granted != 0) {
            printf("time is still granted after a yield\n");
            return 1;
        }
    }
    printf("%u sections: %u were granted time, %u of these yielded in time; %u lost the CPU\n",
           sections, granted, in_time, lost);
    return granted > 0 ? 0 : 1;
}

/* Starts the program anew, once, in a C library that leaves struct rseq to it. */
static void start_again(char **words)
{
    const char *tunables = getenv("GLIBC_TUNABLES");

    if (tunables != NULL && strcmp(tunables, TUNABLE) == 0)
        return;
    setenv("GLIBC_TUNABLES", TUNABLE, 1);
    execv("/proc/self/exe", words);
}

int main(int argc, char **argv)
{
    unsigned long size = getauxval(AUX_RSEQ_FEATURE_SIZE);
    pthread_t other;
    int error, failed;

    (void)argc;
    start_again(argv);
    if (size < LEAST)
        return skip("this kernel's struct rseq has no room for it", ENOSYS);
    if (syscall(SYS_rseq, area, size, 0, SIGNATURE) != 0)
        return skip("rseq", errno);
    error = -fw_slice_allow_();
    if (error == KERNELS_ENOTSUPP)
        error = EOPNOTSUPP; /* which strerror knows */
    if (error != 0)
        return skip("this kernel has no time slice extensions", error);
    printf("struct rseq has %lu bytes\n", size);
    stay_on_one_cpu();
    if (pthread_create(&other, NULL, disturb, NULL) != 0)
        return 1;
    failed = hold_and_release();
    atomic_store(&is_over, true);
    pthread_join(other, NULL);
    return failed;
}
