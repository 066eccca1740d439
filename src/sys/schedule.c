/* SPDX-License-Identifier: MIT */
#include "sys/schedule.h"

#include <sched.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

#include "sys/panic.h"

/* Set beside the policy: unknown to old headers. */
enum { RESET_ON_FORK = 0x40000000, DEADLINE = 6 };

bool fw_is_real_time_(void)
{
    long policy = fw_system_call_(SYS_sched_getscheduler, 0, 0, 0, 0, 0, 0);

    if (policy < 0)
        return false;
    policy &= ~(long)RESET_ON_FORK;
    return policy == SCHED_FIFO || policy == SCHED_RR || policy == DEADLINE;
}

int fw_schedule_(unsigned thread, int policy, int priority)
{
    struct sched_param param = {.sched_priority = priority};

    return (int)fw_system_call_(SYS_sched_setscheduler, (long)thread, policy,
                                (long)(intptr_t)&param, 0, 0, 0);
}

/* Two threads may ask at once; they get the same answer. */
static int ask_once(int *known, long call)
{
    int value = __atomic_load_n(known, __ATOMIC_RELAXED);

    if (value < 0) {
        value = (int)fw_system_call_(call, SCHED_FIFO, 0, 0, 0, 0, 0);
        if (value < 0)
            fw_panic_errno_("range of SCHED_FIFO", -value);
        __atomic_store_n(known, value, __ATOMIC_RELAXED);
    }
    return value;
}

int fw_fifo_lowest_(void)
{
    static int lowest = -1;

    return ask_once(&lowest, SYS_sched_get_priority_min);
}

int fw_fifo_highest_(void)
{
    static int highest = -1;

    return ask_once(&highest, SYS_sched_get_priority_max);
}
