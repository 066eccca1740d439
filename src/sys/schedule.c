/* SPDX-License-Identifier: MIT */
#include "sys/schedule.h"

#include <sched.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

#include "sys/panic.h"

/* A policy that is unknown to old headers. */
enum { DEADLINE = 6 };

__thread uint32_t fw_inheriting_ __attribute__((tls_model("initial-exec")));

/* What fw_urgency_ has found, and 1; 0: it was never called. */
static __thread int known_urgency __attribute__((tls_model("initial-exec")));

/* struct sched_attr as it was first (Linux 3.14); not in all sets of headers. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

_Static_assert(sizeof(struct attributes) == 48, "the kernel's layout");

static int urgency(void)
{
    struct attributes a = {.size = sizeof a};

    if (fw_system_call_(SYS_sched_getattr, 0, (long)(intptr_t)&a, sizeof a, 0, 0, 0) != 0)
        return 0;
    if (a.policy == DEADLINE)
        return FW_URGENCY_DEADLINE;
    return a.policy == SCHED_FIFO || a.policy == SCHED_RR ? (int)a.priority : 0;
}

int fw_urgency_(void)
{
    known_urgency = urgency() + 1;
    return known_urgency - 1;
}

int fw_urgency_known_(void)
{
    return known_urgency != 0 ? known_urgency - 1 : fw_urgency_();
}

bool fw_is_real_time_(void)
{
    return fw_urgency_() != 0;
}

int fw_schedule_(unsigned thread, int policy, int priority)
{
    struct sched_param param = {.sched_priority = priority};

    return (int)fw_system_call_(SYS_sched_setscheduler, (long)thread, policy,
                                (long)(intptr_t)&param, 0, 0, 0);
}

int fw_scheduled_as_(unsigned thread, int *policy, int *priority)
{
    struct sched_param param = {.sched_priority = 0};
    long now = fw_system_call_(SYS_sched_getscheduler, (long)thread, 0, 0, 0, 0, 0);
    long error = now < 0 ? now
                         : fw_system_call_(SYS_sched_getparam, (long)thread, (long)(intptr_t)&param,
                                           0, 0, 0, 0);

    if (error != 0)
        return (int)error;
    *policy = (int)now;
    *priority = param.sched_priority;
    return 0;
}

void fw_enter_kernel_(void)
{
    fw_system_call_(SYS_getppid, 0, 0, 0, 0, 0, 0);
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
