/* SPDX-License-Identifier: MIT */
/*
 * The clocks, and how to wait without sleeping.  Contract: clock.h.
 *
 * All of it bypasses the C library: its clock_gettime and sched_yield may be another's, who has put
 * its own in front of them.  Such a one takes a mutex, which may be the drop-in's, whose slow path
 * is here.
 */
#include <sys/syscall.h>
#include <time.h>

#include <sys_call_arch.h>

#include "sys/clock.h"
#include "sys/pause.h"
#include "sys/vdso.h"

typedef int clock_function(clockid_t clock, struct timespec *now);

static int by_call(clockid_t clock, struct timespec *now)
{
    return (int)fw_system_call_(SYS_clock_gettime, clock, (long)(intptr_t)now, 0, 0, 0, 0);
}

/* The kernel's own, which mostly makes no system call.  Each architecture has one of the names. */
static clock_function *find(void)
{
    union {
        void *address;
        clock_function *function;
    } found = {fw_vdso_("__vdso_clock_gettime")};

    if (found.address == NULL)
        found.address = fw_vdso_("__kernel_clock_gettime");
    return found.address != NULL ? found.function : by_call;
}

/* Every thread that looks finds the same. */
void fw_clock_get_(clockid_t clock, struct timespec *now)
{
    static clock_function *known;
    clock_function *get = __atomic_load_n(&known, __ATOMIC_RELAXED);

    if (get == NULL) {
        get = find();
        __atomic_store_n(&known, get, __ATOMIC_RELAXED);
    }
    get(clock, now); /* cannot fail: these clocks always exist */
}

uint64_t fw_clock_ns_(void)
{
    struct timespec now;

    fw_clock_get_(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void fw_pause_(void)
{
    FW_CPU_PAUSE();
}

void fw_yield_(void)
{
    fw_system_call_(SYS_sched_yield, 0, 0, 0, 0, 0, 0); /* cannot fail on Linux */
}
